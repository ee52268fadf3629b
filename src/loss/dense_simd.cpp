// SPDX-License-Identifier: Apache-2.0
#include "loss/kernels.hpp"

#include <algorithm>

// The order matters.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "loss/dense_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "loss/link_simd.hpp"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace ideal::kernel::HWY_NAMESPACE {
namespace {

constexpr Index sums = least_columns;      // partial sums of a dot product
constexpr Index group = 4;                 // rows whose sums fit the registers together
constexpr Index most_rows = most_margins;  // of a tile
constexpr Index nearest_cache = 32 << 10;

using Widest = hn::CappedTag<double, sums>;
#if HWY_TARGET == HWY_SCALAR
using Narrower = Widest;
#else
using Narrower = hn::CappedTag<double, 4>;
#endif

/// x, and its last eight numbers without those that whole steps of eight reach.
struct Point {
  Point(const double* numbers, Index d) : x(numbers), whole(d / sums * sums) {
    for (Index k = 0; k < sums; ++k) end[k] = d - sums + k >= whole ? x[d - sums + k] : 0;
  }
  const double* x;
  Index whole;
  HWY_ALIGN double end[sums];
};

/// A vector that is added to; its last eight numbers apart from the others until it is given back, since
/// a store of single numbers would make every load of them wait.
class Sum {
 public:
  Sum(double* numbers, Index d) : g(numbers), whole(d / sums * sums), d_(d) {
    std::copy_n(g + d - sums, sums, end);
  }
  ~Sum() {
    for (Index k = whole; k < d_; ++k) g[k] = end[k - d_ + sums];
  }
  Sum(const Sum&) = delete;
  Sum& operator=(const Sum&) = delete;

  double* g;
  Index whole;
  HWY_ALIGN double end[sums];

 private:
  Index d_;
};

enum class Cache { nearest, second };

/// Asks for `count` numbers, one line behind the other: the order in which memory is fastest.
template <Cache cache, class Number>
HWY_INLINE void ask_for(const Number* first, Index count) {
  constexpr Index line = 64 / sizeof(Number);
  for (Index at = 0; at < count; at += line)
    __builtin_prefetch(first + at, 0, cache == Cache::nearest ? 3 : 2);
}

/// What a step asks for on its way: so many rows that come later, into the nearest cache or the one behind
/// it.
template <Index rows, Cache cache>
struct Fetched {
  /// The share of `columns` columns from k on.
  template <class Number>
  static HWY_INLINE void ask(const Number* block, Index k, Index columns) {
    ask_for<cache>(block + k * rows, rows * columns);
  }
};

/// Rows that come later, of which so many eighths are asked for with each row that is used.
template <class Number, Index eighths, Cache cache>
struct Later {
  template <Index rows>
  using Share = Fetched<rows * eighths / 8, cache>;
  [[nodiscard]] const Number* share(Index row, Index d) const { return first + row * d * eighths / 8; }

  const Number* first = nullptr;
};
template <class Number>
using Nothing = Later<Number, 0, Cache::nearest>;
template <class Number>
using NextTile = Later<Number, 8, Cache::nearest>;
template <class Number>
using FromMemory = Later<Number, 8, Cache::second>;
template <class Number>
using HalfFromMemory = Later<Number, 4, Cache::second>;
/// A line with each eight columns of four rows: what memory brings in the time that their additions take.
template <class Number>
using Meanwhile = Later<Number, 2 * sizeof(double) / sizeof(Number), Cache::second>;

/// How far behind those that are read next to fetch from memory, in numbers.
template <class Number>
constexpr Index further = (32 << 10) / sizeof(Number);

/// What a core has under way at most, in numbers: 24 lines on a Zen 3, whichever cache they are for.
template <class Number>
constexpr Index under_way = 24 * 64 / sizeof(Number);

#if HWY_TARGET == HWY_SCALAR
template <class Tag, class Vec>
HWY_INLINE Vec folded(Tag, Vec v) {
  return v;
}
template <class One>
HWY_INLINE double halves_added(One v) {
  return hn::GetLane(v);
}
#else
/// Halves are added until two numbers are left.
template <class Tag, class Vec>
HWY_INLINE auto folded(Tag, Vec v) {
  if constexpr (hn::MaxLanes(Tag()) == 2) {
    return v;
  } else {
    const hn::Half<Tag> half;
    return folded(half, hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
  }
}
template <class Two>
HWY_INLINE double halves_added(Two v) {
  return hn::GetLane(v) + hn::ExtractLane(v, 1);
}
#endif

/// What becomes of margins, in place.
HWY_INLINE void settle(const Residual& residual, Index first, Index count, double* z) {
  if (const double* const b = residual.labels(first))
    slopes_in_place(z, b, count, residual.scale());
  else
    residual(first, count, z);
}

/// take<rows>(j) for all rows j of `count`: `rows` at a time, and those left by half as many.
template <Index rows, class Take>
HWY_INLINE void by_groups(Index count, const Take& take, Index j = 0) {
  for (; j + rows <= count; j += rows) take.template operator()<rows>(j);
  if constexpr (rows > 1)
    if (j < count) by_groups<rows / 2>(count, take, j);
}

/// The kernels with registers of one width.
template <class Lanes>
struct Dense {
  using V = hn::Vec<Lanes>;
  static constexpr Lanes lanes{};
  static constexpr Index width = hn::MaxLanes(lanes);
  static constexpr Index parts = sums / width;  // registers that hold the partial sums

  static HWY_INLINE V load(const double* from) { return hn::LoadU(lanes, from); }
  static HWY_INLINE V load(const float* from) {
    return hn::PromoteTo(lanes, hn::LoadU(hn::Rebind<float, Lanes>(), from));
  }

  /// Eight partial sums become ((a0+a4) + (a2+a6), (a1+a5) + (a3+a7)), of which the sum is the total.
  static HWY_INLINE auto two_left(V* a) {
    for (Index half = parts / 2; half > 0; half /= 2)
      for (Index p = 0; p < half; ++p) a[p] = hn::Add(a[p], a[p + half]);
    return folded(lanes, a[0]);
  }

  /// The totals of `count` rows. Four are stored at once: who loads them together would wait for single
  /// stores.
  template <Index count>
  static HWY_INLINE void store_totals(V sum[][parts], double* z) {
#if HWY_TARGET != HWY_SCALAR && HWY_MAX_BYTES >= 32
    if constexpr (count == 4) {
      const hn::CappedTag<double, 4> four;
      const auto pair = [](auto a, auto b) HWY_ATTR {
        return hn::Add(hn::InterleaveLower(a, b), hn::InterleaveUpper(hn::DFromV<decltype(a)>(), a, b));
      };
      const auto first = pair(two_left(sum[0]), two_left(sum[1])),
                 second = pair(two_left(sum[2]), two_left(sum[3]));
      hn::StoreU(hn::Combine(four, second, first), four, z);
      return;
    }
#endif
    for (Index j = 0; j < count; ++j) z[j] = halves_added(two_left(sum[j]));
  }

  /// Goes through d columns, eight at a time: `take` gets the column at which a register begins and the
  /// number of that register among those of a step. Those left at the end are taken with the last eight
  /// columns by `take_last`.
  template <class Fetch, class Number, class Take, class TakeLast>
  static HWY_INLINE void for_columns(Index d, Index whole, const Number* later, const Take& take,
                                     const TakeLast& take_last) {
    for (Index k = 0; k < whole; k += sums) {
      Fetch::ask(later, k, sums);
      for (Index p = 0; p < parts; ++p) take(k + p * width, p);
    }
    if (whole == d) return;
    Fetch::ask(later, whole, d - whole);
    const Index done = (sums - (d - whole)) / width;  // registers with none of these
    for (Index p = 0; p < parts; ++p) {
      if (p < done) continue;  // not where p begins: sums that are counted from there are no registers
      take_last(d - sums + p * width, p);
    }
  }

  /// Partial sums of the dot products of so many rows with x. Every address in this and the next loop is a
  /// local variable: a store of a register may change anything else, and a load that is not of rows costs as
  /// much as one that is.
  template <Index rows, class Fetch, class Number>
  static HWY_INLINE void sum_products(const Number* A, Index d, const Point& point, V sum[][parts],
                                      const Number* later) {
    const double *const x = point.x, *const end = point.end;
    const Number* row[rows];
    for (Index j = 0; j < rows; ++j) {
      row[j] = A + j * d;
      for (Index p = 0; p < parts; ++p) sum[j][p] = hn::Zero(lanes);
    }
    const auto add_products = [&](Index at, Index p, V factor) IDEAL_INLINED {
      for (Index j = 0; j < rows; ++j) sum[j][p] = hn::MulAdd(load(row[j] + at), factor, sum[j][p]);
    };
    for_columns<Fetch>(
        d, point.whole, later, [&](Index at, Index p) IDEAL_INLINED { add_products(at, p, load(x + at)); },
        [&](Index at, Index p) IDEAL_INLINED { add_products(at, p, hn::Load(lanes, end + p * width)); });
  }

  /// Adds multiples of so many rows to g.
  template <Index rows, class Fetch, class Number>
  static HWY_INLINE void add_rows(const Number* A, Index d, const double* r, Sum& to, const Number* later) {
    double *const g = to.g, *const end = to.end;
    const Number* row[rows];
    V scale[rows];
    for (Index j = 0; j < rows; ++j) {
      row[j] = A + j * d;
      scale[j] = hn::Set(lanes, r[j]);
    }
    const auto multiples_added = [&](Index at, V sum) IDEAL_INLINED {
      for (Index j = 0; j < rows; ++j) sum = hn::MulAdd(load(row[j] + at), scale[j], sum);
      return sum;
    };
    for_columns<Fetch>(
        d, to.whole, later,
        [&](Index at, Index) IDEAL_INLINED { hn::StoreU(multiples_added(at, load(g + at)), lanes, g + at); },
        [&](Index at, Index p) IDEAL_INLINED {
          hn::Store(multiples_added(at, hn::Load(lanes, end + p * width)), lanes, end + p * width);
        });
  }

  template <class Number, class Asked = Nothing<Number>>
  static HWY_INLINE void multiply(const Rows<Number>& A, const Point& x, double* z, Asked later = {}) {
    by_groups<group>(A.count, [&]<Index rows>(Index j) IDEAL_INLINED {
      V sum[rows][parts];
      sum_products<rows, typename Asked::template Share<rows>>(A.row(j), A.d, x, sum, later.share(j, A.d));
      store_totals<rows>(sum, z + j);
    });
  }

  /// The same, reading one row after the other.
  template <class Number>
  static HWY_INLINE void multiply_in_order(const Rows<Number>& A, const Point& x, double* z) {
    using Unasked = typename Nothing<Number>::template Share<1>;
    by_groups<group>(A.count, [&]<Index rows>(Index j) IDEAL_INLINED {
      V sum[rows][parts];
      for (Index k = 0; k < rows; ++k) {
        V one[1][parts];  // in registers, which sum[k] would not be
        sum_products<1, Unasked, Number>(A.row(j + k), A.d, x, one, nullptr);
        std::copy_n(one[0], parts, sum[k]);
      }
      store_totals<rows>(sum, z + j);
    });
  }

  template <class Number, class Asked = Nothing<Number>>
  static HWY_INLINE void add(const Rows<Number>& A, const double* r, Sum& g, Asked later = {}) {
    by_groups<2 * group>(A.count, [&]<Index rows>(Index j) IDEAL_INLINED {
      add_rows<rows, typename Asked::template Share<rows>>(A.row(j), A.d, r + j, g, later.share(j, A.d));
    });
  }

  /// Rows side by side share each number of x, but are not read in order. The CPU still sees what comes next
  /// if they are a few lines apart, or on different pages.
  enum class Order { side_by_side, one_by_one };
  template <class Number>
  static Order fastest_order(const Rows<Number>& A) {
    constexpr Index close = 512, page = 4 << 10;
    const Index row_bytes = A.d * static_cast<Index>(sizeof(Number));
    return row_bytes < close || row_bytes >= page ? Order::side_by_side : Order::one_by_one;
  }

  /// From memory, tile by tile: its products, and then its additions out of a cache. Products are little more
  /// than reading: the CPU sees what comes next and fetches it at full speed, which asking for it would only
  /// disturb. While slopes and additions are computed nothing would be read, so these ask for the beginning
  /// of the next tile, which is large enough to have more than that.
  template <Order order, class Number>
  static HWY_INLINE void pass_reading(const Rows<Number>& A, const double* x_numbers, double* g_numbers,
                                      const Residual& residual) {
    constexpr Index bytes = 4 << 10;
    const Index row_bytes = A.d * static_cast<Index>(sizeof(Number));
    const Index tile = std::clamp(bytes / row_bytes / group * group, group, most_rows);
    const Point x(x_numbers, A.d);
    Sum g(g_numbers, A.d);
    HWY_ALIGN double z[most_rows];
    for (Index first = 0; first < A.count; first += tile) {
      const auto some = A.some(first, std::min(tile, A.count - first));
      const Number* const next = A.row(first + tile);
      if constexpr (order == Order::side_by_side)
        multiply(some, x, z);
      else
        multiply_in_order(some, x, z);
      ask_for<Cache::second>(next, under_way<Number>);
      settle(residual, first, some.count, z);
      add(some, z, g, Meanwhile<Number>{next + under_way<Number>});
    }
  }

  /// Tile by tile, where computing takes as long as reading, or where nobody knows whether a cache has the
  /// rows: what comes later is asked for all the time.
  template <class Number>
  static HWY_INLINE void pass_asking(const Rows<Number>& A, Index tile, const double* x_numbers,
                                     double* g_numbers, const Residual& residual) {
    const Point x(x_numbers, A.d);
    Sum g(g_numbers, A.d);
    HWY_ALIGN double z[most_rows];
    for (Index first = 0; first < A.count; first += tile) {
      const auto some = A.some(first, std::min(tile, A.count - first));
      const HalfFromMemory<Number> behind{some.data + std::max(further<Number>, tile * A.d)};
      multiply(some, x, z, behind);
      settle(residual, first, some.count, z);
      add(some, z, g, HalfFromMemory<Number>{behind.share(some.count, A.d)});
    }
  }

  /// Floats take as long to convert as to read. Only where rows are so short that slopes take much of the
  /// time are they read plainly.
  static HWY_INLINE void pass_far(const Rows<float>& A, const double* x, double* g,
                                  const Residual& residual) {
    constexpr Index shorter = 128;
    if (A.d < shorter)
      pass_reading<Order::side_by_side>(A, x, g, residual);
    else
      pass_asking(A, group, x, g, residual);
  }
  static HWY_INLINE void pass_far(const Rows<double>& A, const double* x, double* g,
                                  const Residual& residual) {
    if (fastest_order(A) == Order::side_by_side)
      pass_reading<Order::side_by_side>(A, x, g, residual);
    else
      pass_reading<Order::one_by_one>(A, x, g, residual);
  }

  /// Behind a row that somebody picked, nobody knows which is next.
  static HWY_INLINE void multiply_far(const Rows<float>& A, const Point& x, double* z) {
    if (A.count == 1)
      multiply(A, x, z);
    else
      multiply(A, x, z, FromMemory<float>{A.data + further<float>});
  }
  static HWY_INLINE void multiply_far(const Rows<double>& A, const Point& x, double* z) {
    if (fastest_order(A) == Order::side_by_side)
      multiply(A, x, z);
    else
      multiply_in_order(A, x, z);
  }

  /// From a cache: a tile's products, then its additions out of the nearest cache. Where two tiles fit that,
  /// the next is fetched meanwhile.
  template <class Number>
  static HWY_INLINE void pass_near(const Rows<Number>& A, const double* x_numbers, double* g_numbers,
                                   const Residual& residual) {
    const Index fitting = fitting_rows(A) / 2 / group * group;
    const Index tile = std::clamp(fitting, group, most_rows);
    const Point x(x_numbers, A.d);
    Sum g(g_numbers, A.d);
    HWY_ALIGN double z[most_rows];
    for (Index first = 0; first < A.count; first += tile) {
      const auto some = A.some(first, std::min(tile, A.count - first));
      multiply(some, x, z);
      settle(residual, first, some.count, z);
      if (fitting >= group)
        add(some, z, g, NextTile<Number>{A.row(first + tile)});
      else
        add(some, z, g);
    }
  }

  /// How many rows the nearest cache holds beside x and g.
  template <class Number>
  static Index fitting_rows(const Rows<Number>& A) {
    constexpr Index of_number = sizeof(Number), of_double = sizeof(double);
    return (nearest_cache - 2 * A.d * of_double) / (A.d * of_number);
  }

  /// So few rows that the nearest cache holds them all, as many agents have who share a memory, are one tile
  /// while a cache may have them: others' rows are asked for meanwhile.
  template <class Number>
  static HWY_INLINE void pass(const Rows<Number>& A, const double* x, double* g, const Residual& residual) {
    if (A.place == Place::in_cache)
      pass_near(A, x, g, residual);
    else if (A.place == Place::perhaps_in_cache && A.count <= std::min(fitting_rows(A), most_rows))
      pass_asking(A, A.count, x, g, residual);
    else
      pass_far(A, x, g, residual);
  }
};

/// Rows that do not end with a cache line begin anywhere in one: registers as long as a line would be filled
/// from two, nearly all of them.
template <class Number, class Use>
HWY_INLINE void with_fitting_registers(const Rows<Number>& A, const Use& use) {
  if constexpr (hn::MaxLanes(Narrower()) < hn::MaxLanes(Widest()))
    if (A.d % sums != 0) return use(Dense<Narrower>());
  use(Dense<Widest>());
}

template <class Number>
HWY_INLINE void pass_any(const Rows<Number>& A, const double* x, double* g, const Residual& residual) {
  with_fitting_registers(A, [&](auto dense) HWY_ATTR { dense.pass(A, x, g, residual); });
}
template <class Number>
HWY_INLINE void multiply_any(const Rows<Number>& A, const double* x, double* z) {
  with_fitting_registers(A, [&](auto dense) HWY_ATTR {
    const Point point(x, A.d);
    if (A.place == Place::in_cache)
      dense.multiply(A, point, z);
    else
      dense.multiply_far(A, point, z);
  });
}
template <class Number>
HWY_INLINE void add_any(const Rows<Number>& A, const double* r, double* g) {
  Sum sum(g, A.d);
  with_fitting_registers(A, [&](auto dense) HWY_ATTR { dense.add(A, r, sum); });
}

}  // namespace

void pass_f64(const Rows<double>& A, const double* x, double* g, const Residual& residual) {
  pass_any(A, x, g, residual);
}
void pass_f32(const Rows<float>& A, const double* x, double* g, const Residual& residual) {
  pass_any(A, x, g, residual);
}
void multiply_f64(const Rows<double>& A, const double* x, double* z) { multiply_any(A, x, z); }
void multiply_f32(const Rows<float>& A, const double* x, double* z) { multiply_any(A, x, z); }
void add_f64(const Rows<double>& A, const double* r, double* g) { add_any(A, r, g); }
void add_f32(const Rows<float>& A, const double* r, double* g) { add_any(A, r, g); }

void widen_f32(const float* in, Index count, double* out) {
  using Wide = Dense<Widest>;
  Index k = 0;
  for (; k + Wide::width <= count; k += Wide::width) hn::StoreU(Wide::load(in + k), Wide::lanes, out + k);
  for (; k < count; ++k) out[k] = in[k];
}

void multiples(double factor, const double* in, Index count, double* out) {
  using Wide = Dense<Widest>;
  const auto f = hn::Set(Wide::lanes, factor);
  Index k = 0;
  for (; k + Wide::width <= count; k += Wide::width)
    hn::StoreU(hn::Mul(f, Wide::load(in + k)), Wide::lanes, out + k);
  for (; k < count; ++k) out[k] = factor * in[k];
}

}  // namespace ideal::kernel::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ideal::kernel {

HWY_EXPORT(pass_f64);
HWY_EXPORT(pass_f32);
HWY_EXPORT(multiply_f64);
HWY_EXPORT(multiply_f32);
HWY_EXPORT(add_f64);
HWY_EXPORT(add_f32);
HWY_EXPORT(widen_f32);
HWY_EXPORT(multiples);

void pass(const Rows<double>& A, const double* x, double* g, const Residual& residual) {
  HWY_DYNAMIC_DISPATCH(pass_f64)(A, x, g, residual);
}
void pass(const Rows<float>& A, const double* x, double* g, const Residual& residual) {
  HWY_DYNAMIC_DISPATCH(pass_f32)(A, x, g, residual);
}
void multiply(const Rows<double>& A, const double* x, double* z) {
  HWY_DYNAMIC_DISPATCH(multiply_f64)(A, x, z);
}
void multiply(const Rows<float>& A, const double* x, double* z) {
  HWY_DYNAMIC_DISPATCH(multiply_f32)(A, x, z);
}
void add_multiples(const Rows<double>& A, const double* r, double* g) {
  HWY_DYNAMIC_DISPATCH(add_f64)(A, r, g);
}
void add_multiples(const Rows<float>& A, const double* r, double* g) {
  HWY_DYNAMIC_DISPATCH(add_f32)(A, r, g);
}
void widen(const float* in, Index count, double* out) { HWY_DYNAMIC_DISPATCH(widen_f32)(in, count, out); }
void multiply(double factor, const double* in, Index count, double* out) {
  HWY_DYNAMIC_DISPATCH(multiples)(factor, in, count, out);
}

}  // namespace ideal::kernel
#endif
