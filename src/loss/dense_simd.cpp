// SPDX-License-Identifier: Apache-2.0
#include "loss/kernels.hpp"

#include <algorithm>
#include <utility>

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

constexpr Index sums = least_columns;  // partial sums of a dot product
constexpr Index group = 4;             // rows whose sums fit the registers together
constexpr Index most_rows = 64;        // of a tile
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
  Sum(double* numbers, Index d) : g(numbers), d_(d) { std::copy_n(g + d - sums, sums, end); }
  ~Sum() {
    for (Index k = d_ / sums * sums; k < d_; ++k) g[k] = end[k - d_ + sums];
  }
  Sum(const Sum&) = delete;
  Sum& operator=(const Sum&) = delete;

  double* g;
  HWY_ALIGN double end[sums];

 private:
  Index d_;
};

/// Rows whose dot products with x are wanted next.
template <class Number>
struct Ahead {
  const Number* rows;
  const Point& x;
  double* z;
};

/// Rows of which multiples are added.
template <class Number>
struct Behind {
  const Number* rows;
  const double* r;
  double *g, *end;
};

/// What a step asks for on its way: so many rows that come later, into the nearest cache or the one behind
/// it.
enum class Cache { nearest, second };
template <Index rows, Cache cache = Cache::nearest>
struct Fetched {
  /// The share of `columns` columns from k on: one line behind the other, the order in which memory is
  /// fastest.
  template <class Number>
  static HWY_INLINE void ask(const Number* block, Index k, Index columns) {
    constexpr Index line = 64 / sizeof(Number);
    for (Index at = 0; at < rows * columns; at += line)
      __builtin_prefetch(block + k * rows + at, 0, cache == Cache::nearest ? 3 : 2);
  }
};
using NothingFetched = Fetched<0>;

/// Rows that come later, of which so many halves are asked for with each row that is used.
template <class Number, Index halves, Cache cache>
struct Later {
  template <Index rows>
  using Share = Fetched<rows * halves / 2, cache>;
  [[nodiscard]] const Number* share(Index row, Index d) const { return first + row * d * halves / 2; }

  const Number* first = nullptr;
};
template <class Number>
using Nothing = Later<Number, 0, Cache::nearest>;
template <class Number>
using NextTile = Later<Number, 2, Cache::nearest>;
template <class Number>
using FromMemory = Later<Number, 2, Cache::second>;
template <class Number>
using HalfFromMemory = Later<Number, 1, Cache::second>;

/// How far behind those that are read next to fetch from memory, in numbers.
template <class Number>
constexpr Index further = (32 << 10) / sizeof(Number);

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

  /// `next` dot products and `last` multiples in one loop, so that the arithmetic of the ones fills the time
  /// in which the others wait for memory. Every address in it is a local variable: a store of a register may
  /// change anything else, and a load that is not of rows costs as much as one that is.
  template <Index next, Index last, class Fetch = NothingFetched, class Number>
  static HWY_INLINE void step(Index d, const Ahead<Number>& A, const Behind<Number>& B,
                              const Number* later = nullptr) {
    const Index whole = A.x.whole;
    const double* const x = A.x.x;
    double* const g = B.g;
    const Number *ahead[std::max<Index>(next, 1)], *behind[std::max<Index>(last, 1)];
    V sum[std::max<Index>(next, 1)][parts], scale[std::max<Index>(last, 1)];
    for (Index j = 0; j < next; ++j) {
      ahead[j] = A.rows + j * d;
      for (Index p = 0; p < parts; ++p) sum[j][p] = hn::Zero(lanes);
    }
    for (Index j = 0; j < last; ++j) {
      behind[j] = B.rows + j * d;
      scale[j] = hn::Set(lanes, B.r[j]);
    }
    const auto add_products = [&](Index at, Index p, V factor) HWY_ATTR {
      for (Index j = 0; j < next; ++j) sum[j][p] = hn::MulAdd(load(ahead[j] + at), factor, sum[j][p]);
    };
    const auto multiples_added = [&](Index at, V to) HWY_ATTR {
      for (Index j = 0; j < last; ++j) to = hn::MulAdd(load(behind[j] + at), scale[j], to);
      return to;
    };

    for (Index k = 0; k < whole; k += sums) {
      Fetch::ask(later, k, sums);
      for (Index p = 0; p < parts; ++p) {
        const Index at = k + p * width;
        if constexpr (next > 0) add_products(at, p, load(x + at));
        if constexpr (last > 0) hn::StoreU(multiples_added(at, load(g + at)), lanes, g + at);
      }
    }
    if (whole < d) {  // the last eight columns again, for those that are left
      Fetch::ask(later, whole, d - whole);
      const Index done = (sums - (d - whole)) / width;  // registers with none of these
      for (Index p = 0; p < parts; ++p) {
        if (p < done) continue;  // not where p begins: sums that are counted from there are no registers
        const Index at = d - sums + p * width;
        if constexpr (next > 0) add_products(at, p, hn::Load(lanes, A.x.end + p * width));
        if constexpr (last > 0)
          hn::Store(multiples_added(at, hn::Load(lanes, B.end + p * width)), lanes, B.end + p * width);
      }
    }
    if constexpr (next > 0) store_totals<next>(sum, A.z);
  }

  template <class Number, class Later = Nothing<Number>>
  static HWY_INLINE void multiply(const Rows<Number>& A, const Point& x, double* z, Later later = {}) {
    by_groups<group>(A.count, [&]<Index rows>(Index j) HWY_ATTR {
      step<rows, 0, typename Later::template Share<rows>>(A.d, Ahead<Number>{A.row(j), x, z + j},
                                                          Behind<Number>{}, later.share(j, A.d));
    });
  }

  template <class Number, class Later = Nothing<Number>>
  static HWY_INLINE void add(const Rows<Number>& A, const Point& x, const double* r, Sum& g,
                             Later later = {}) {
    by_groups<2 * group>(A.count, [&]<Index rows>(Index j) HWY_ATTR {
      step<0, rows, typename Later::template Share<rows>>(A.d, Ahead<Number>{nullptr, x, nullptr},
                                                          Behind<Number>{A.row(j), r + j, g.g, g.end},
                                                          later.share(j, A.d));
    });
  }

  /// From memory, tile by tile: the products of one beside the additions of the one before, `rows` at once,
  /// while later ones are fetched.
  template <Index rows, class Number>
  static HWY_INLINE void pass_beside(const Rows<Number>& A, const double* x_numbers, double* g_numbers,
                                     const Residual& residual) {
    constexpr Index bytes = 4 << 10;  // two tiles share the nearest cache with x and g
    using Fetch = Fetched<rows, Cache::second>;
    const Index row_bytes = A.d * static_cast<Index>(sizeof(Number));
    const Index tile = std::clamp(bytes / row_bytes / rows * rows, rows, most_rows);
    const Index whole = A.count / tile * tile;
    const Point x(x_numbers, A.d);
    Sum g(g_numbers, A.d);
    HWY_ALIGN double margins[2][most_rows];
    double *z = margins[0], *z_next = margins[1];
    for (Index first = 0; first < whole; first += tile) {
      for (Index j = 0; j < tile; j += rows) {
        const Ahead<Number> ahead{A.row(first + j), x, z_next + j};
        const Number* const later = A.row(first + j) + further<Number>;
        if (first == 0)
          step<rows, 0, Fetch>(A.d, ahead, Behind<Number>{}, later);
        else
          step<rows, rows, Fetch>(A.d, ahead, Behind<Number>{A.row(first - tile + j), z + j, g.g, g.end},
                                  later);
      }
      settle(residual, first, tile, z_next);
      std::swap(z, z_next);
    }
    if (whole > 0) add(A.some(whole - tile, tile), x, z, g);
    const auto rest = A.some(whole, A.count - whole);
    multiply(rest, x, z);
    if (rest.count > 0) settle(residual, whole, rest.count, z);
    add(rest, x, z, g);
  }

  /// Tile by tile, a tile's products and then its additions out of a cache, while what comes behind it is
  /// fetched from memory.
  template <class Number>
  static HWY_INLINE void pass_tiles(const Rows<Number>& A, Index tile, const double* x_numbers,
                                    double* g_numbers, const Residual& residual) {
    const Point x(x_numbers, A.d);
    Sum g(g_numbers, A.d);
    HWY_ALIGN double z[most_rows];
    for (Index first = 0; first < A.count; first += tile) {
      const auto some = A.some(first, std::min(tile, A.count - first));
      const HalfFromMemory<Number> behind{some.data + std::max(further<Number>, tile * A.d)};
      multiply(some, x, z, behind);
      settle(residual, first, some.count, z);
      add(some, x, z, g, HalfFromMemory<Number>{behind.share(some.count, A.d)});
    }
  }

  /// Memory is fastest where it is read in order. Rows taken at once are read side by side, which does no
  /// harm as long as they lie close together. Where they are floats, computing takes as long as reading, and
  /// where x and g fill the nearest cache, so does fetching these: then several rows must share each number
  /// of x.
  template <class Number>
  static HWY_INLINE void pass_far(const Rows<Number>& A, const double* x, double* g,
                                  const Residual& residual) {
    constexpr Index close = 6 << 10, longest = nearest_cache / 4 / sizeof(double), tile = 8;
    constexpr bool floats = sizeof(Number) < sizeof(double);
    const Index row_bytes = A.d * static_cast<Index>(sizeof(Number));
    if (group * row_bytes <= close) return pass_beside<group>(A, x, g, residual);
    if (floats || A.d > longest) return pass_tiles(A, tile, x, g, residual);
    if (2 * row_bytes <= close) return pass_beside<2>(A, x, g, residual);
    pass_beside<1>(A, x, g, residual);
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
        add(some, x, z, g, NextTile<Number>{A.row(first + tile)});
      else
        add(some, x, z, g);
    }
  }

  /// How many rows the nearest cache holds beside x and g.
  template <class Number>
  static Index fitting_rows(const Rows<Number>& A) {
    constexpr Index of_number = sizeof(Number), of_double = sizeof(double);
    return (nearest_cache - 2 * A.d * of_double) / (A.d * of_number);
  }

  /// So few rows that the nearest cache holds them all, as many agents have who share a memory, are one tile:
  /// others' rows are fetched meanwhile.
  template <class Number>
  static HWY_INLINE void pass(const Rows<Number>& A, const double* x, double* g, const Residual& residual) {
    if (A.count <= std::min(fitting_rows(A), most_rows))
      pass_tiles(A, A.count, x, g, residual);
    else if (A.cached)
      pass_near(A, x, g, residual);
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
    if (A.cached)
      dense.multiply(A, Point(x, A.d), z);
    else
      dense.multiply(A, Point(x, A.d), z, FromMemory<Number>{A.data + further<Number>});
  });
}
template <class Number>
HWY_INLINE void add_any(const Rows<Number>& A, const double* r, double* g) {
  Sum sum(g, A.d);
  with_fitting_registers(A, [&](auto dense) HWY_ATTR { dense.add(A, Point(g, A.d), r, sum); });
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
