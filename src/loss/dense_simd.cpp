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
#include "loss/ahead_simd.hpp"
#include "loss/link_simd.hpp"
#include "loss/loops_simd.hpp"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace ideal::kernel::HWY_NAMESPACE {
namespace {

constexpr Index most_rows = most_margins;  // of a tile
constexpr Index nearest_cache = 32 << 10, page = 4 << 10;

/// So many bytes of rows, or more, are faster in streams, even if these are shorter than they should be.
constexpr Index worth_streams = streams * page / 2;
static_assert(worth_streams / (least_columns * sizeof(float)) <= most_rows, "fewer are one tile");

using Lanes = hn::CappedTag<double, sums>;

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

/// Where so many rows are, in few registers of addresses: those of every third row, and how far to the next
/// two.
template <Index rows, class Number>
struct RowPointers {
  HWY_INLINE RowPointers(const Number* first, Index apart) : one(apart), two(2 * apart) {
    for (Index j = 0; j < rows; j += 3) third[j / 3] = first + j * apart;
  }
  [[nodiscard]] HWY_INLINE const Number* at(Index j, Index column) const {
    return third[j / 3] + (column + (j % 3 == 0 ? 0 : j % 3 == 1 ? one : two));
  }
  const Number* third[(rows + 2) / 3];
  Index one, two;
};

/// What two numbers become as margins: from register to register, for who waits for each cycle of it.
struct TwoMargins {
  HWY_INLINE void settle(const Residual& residual, Index begin) {
#if HWY_TARGET != HWY_SCALAR
    if (const double* const b = residual.labels(begin)) {
      const hn::CappedTag<double, 2> two;
      const auto z = hn::InterleaveLower(hn::Set(two, first), hn::Set(two, second));
      const auto r = slopes(two, z, hn::LoadU(two, b), residual.scale());
      first = hn::GetLane(r);
      second = hn::ExtractLane(r, 1);
      return;
    }
#endif
    double z[] = {first, second};
    kernel::HWY_NAMESPACE::settle(residual, begin, 2, z);
    first = z[0];
    second = z[1];
  }
  double first, second;
};

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

#if HWY_TARGET != HWY_SCALAR
  /// (a's total, b's total) of what two_left leaves.
  template <class Two>
  static HWY_INLINE Two pair_of_totals(Two a, Two b) {
    return hn::Add(hn::InterleaveLower(a, b), hn::InterleaveUpper(hn::DFromV<Two>(), a, b));
  }
#endif
#if HWY_TARGET <= HWY_AVX3
  /// The totals of eight rows, halved together: half of the instructions of rows by themselves.
  static HWY_INLINE V eight_totals(V sum[][parts]) {
    V half[4], quarter[2];
    for (Index j = 0; j < 4; ++j)  // of row j below, of row j + 4 above
      half[j] = hn::Add(hn::ConcatLowerLower(lanes, sum[j + 4][0], sum[j][0]),
                        hn::ConcatUpperUpper(lanes, sum[j + 4][0], sum[j][0]));
    for (Index j = 0; j < 2; ++j)  // of rows j, j + 2, j + 4 and j + 6
      quarter[j] = hn::Add(hn::OddEvenBlocks(hn::SwapAdjacentBlocks(half[j + 2]), half[j]),
                           hn::OddEvenBlocks(half[j + 2], hn::SwapAdjacentBlocks(half[j])));
    return pair_of_totals(quarter[0], quarter[1]);
  }
#endif

  /// The totals of 1, 2, 4 or 8 rows. Several are stored at once: who loads them together would wait for
  /// single stores.
  template <Index count>
  static HWY_INLINE void store_totals(V sum[][parts], double* z) {
#if HWY_TARGET <= HWY_AVX3
    if constexpr (count == 8) return hn::StoreU(eight_totals(sum), lanes, z);
#endif
    if constexpr (count > 4) {
      store_totals<4>(sum, z);
      return store_totals<count - 4>(sum + 4, z + 4);
    }
#if HWY_TARGET != HWY_SCALAR
    if constexpr (count == 2)
      return hn::StoreU(pair_of_totals(two_left(sum[0]), two_left(sum[1])), hn::CappedTag<double, 2>(), z);
#endif
#if HWY_TARGET != HWY_SCALAR && HWY_MAX_BYTES >= 32
    if constexpr (count == 4) {
      const auto first = pair_of_totals(two_left(sum[0]), two_left(sum[1])),
                 second = pair_of_totals(two_left(sum[2]), two_left(sum[3]));
      const hn::CappedTag<double, 4> four;
      return hn::StoreU(hn::Combine(four, second, first), four, z);
    }
#endif
    for (Index j = 0; j < count; ++j) z[j] = halves_added(two_left(sum[j]));
  }

  /// Goes through d columns, eight at a time: `take` gets the column at which a register begins and the
  /// number of that register among those of a step. Those left at the end are taken with the last eight
  /// columns by `take_last`.
  template <class Steps, class Asked, class Take, class TakeLast>
  static HWY_INLINE void for_columns(Index d, Index whole, Steps& steps, Asked asked, const Take& take,
                                     const TakeLast& take_last) {
    steps(whole, [&](Index k) IDEAL_INLINED {
      asked.ask(k, sums);
      for (Index p = 0; p < parts; ++p) take(k + p * width, p);
    });
    if (whole == d) return;
    asked.ask(whole, d - whole);
    const Index done = (sums - (d - whole)) / width;  // registers with none of these
    for (Index p = 0; p < parts; ++p) {
      if (p < done) continue;  // not where p begins: sums that are counted from there are no registers
      take_last(d - sums + p * width, p);
    }
  }

  /// Partial sums of the dot products with x of so many rows, which begin `apart` numbers apart. Every
  /// address in this and the next loop is a local variable: a store of a register may change anything else,
  /// and a load that is not of rows costs as much as one that is.
  template <Index rows, class Number, class Asked, class Steps = Even>
  static HWY_INLINE void sum_products(const Number* A, Index d, Index apart, const Point& point,
                                      V sum[][parts], Asked asked, Steps&& steps = {}) {
    const double *const x = point.x, *const end = point.end;
    const RowPointers<rows, Number> row(A, apart);
    for (Index j = 0; j < rows; ++j)
      for (Index p = 0; p < parts; ++p) sum[j][p] = hn::Zero(lanes);
    const auto add_products = [&](Index at, Index p, V factor) IDEAL_INLINED {
      for (Index j = 0; j < rows; ++j) sum[j][p] = hn::MulAdd(load(row.at(j, at)), factor, sum[j][p]);
    };
    for_columns(
        d, point.whole, steps, asked,
        [&](Index at, Index p) IDEAL_INLINED { add_products(at, p, load(x + at)); },
        [&](Index at, Index p) IDEAL_INLINED { add_products(at, p, hn::Load(lanes, end + p * width)); });
  }

  /// Adds multiples of so many rows to g.
  template <Index rows, class Number, class Asked>
  static HWY_INLINE void add_rows(const Number* A, Index d, Index apart, const double* r, Sum& to,
                                  Asked asked) {
    double *const g = to.g, *const end = to.end;
    const RowPointers<rows, Number> row(A, apart);
    V scale[rows];
    Even steps;
    for (Index j = 0; j < rows; ++j) scale[j] = hn::Set(lanes, r[j]);
    const auto multiples_added = [&](Index at, V sum) IDEAL_INLINED {
      for (Index j = 0; j < rows; ++j) sum = hn::MulAdd(load(row.at(j, at)), scale[j], sum);
      return sum;
    };
    for_columns(
        d, to.whole, steps, asked,
        [&](Index at, Index) IDEAL_INLINED { hn::StoreU(multiples_added(at, load(g + at)), lanes, g + at); },
        [&](Index at, Index p) IDEAL_INLINED {
          hn::Store(multiples_added(at, hn::Load(lanes, end + p * width)), lanes, end + p * width);
        });
  }

  /// The products of the first two rows with x.
  template <class Number>
  static HWY_INLINE TwoMargins two_products(const Number* A, Index d, Index apart, const Point& point) {
    V sum[2][parts];
    sum_products<2>(A, d, apart, point, sum, Nothing());
    return {halves_added(two_left(sum[0])), halves_added(two_left(sum[1]))};
  }

  /// Adds multiples of two rows to g. Returns the products of the next two with x.
  template <class Number>
  static HWY_INLINE TwoMargins add_two_beside_products(const Number* A, Index d, Index apart, TwoMargins r,
                                                       Sum& to, const Point& point) {
    double *const g = to.g, *const g_end = to.end;
    const double *const x = point.x, *const x_end = point.end;
    const Number *const row0 = A, *const row1 = A + apart, *const row2 = A + 2 * apart,
                        *const row3 = A + 3 * apart;
    const V scale0 = hn::Set(lanes, r.first), scale1 = hn::Set(lanes, r.second);
    V sum[2][parts];
    for (Index p = 0; p < parts; ++p) sum[0][p] = sum[1][p] = hn::Zero(lanes);
    const auto both = [&](Index at, Index p, V factor, V added) IDEAL_INLINED {
      sum[0][p] = hn::MulAdd(load(row2 + at), factor, sum[0][p]);
      sum[1][p] = hn::MulAdd(load(row3 + at), factor, sum[1][p]);
      return hn::MulAdd(load(row1 + at), scale1, hn::MulAdd(load(row0 + at), scale0, added));
    };
    Even steps;
    for_columns(
        d, to.whole, steps, Nothing(),
        [&](Index at, Index p)
            IDEAL_INLINED { hn::StoreU(both(at, p, load(x + at), load(g + at)), lanes, g + at); },
        [&](Index at, Index p) IDEAL_INLINED {
          const V added = both(at, p, hn::Load(lanes, x_end + p * width), hn::Load(lanes, g_end + p * width));
          hn::Store(added, lanes, g_end + p * width);
        });
    return {halves_added(two_left(sum[0])), halves_added(two_left(sum[1]))};
  }

  template <class Number, class Asked = Nothing>
  static HWY_INLINE void multiply(const Rows<Number>& A, const Point& x, double* z, Asked asked = {}) {
    by_groups<group>(0, A.count, [&]<Index rows>(Index j) IDEAL_INLINED {
      V sum[rows][parts];
      sum_products<rows>(A.row(j), A.d, A.apart, x, sum, asked.template share<rows>(j, A.d));
      store_totals<rows>(sum, z + j);
    });
  }

  /// The same, reading the rows in streams.
  template <class Number>
  static HWY_INLINE void multiply_in_streams(const Rows<Number>& A, const Point& x, double* z) {
    const Index length = A.count / streams, rest = length * streams;
    for (Index k = 0; k < length; ++k) {
      V sum[streams][parts];
      sum_products<streams>(A.row(k), A.d, length * A.apart, x, sum, Nothing());
      if (length == 1) {
        store_totals<streams>(sum, z);
      } else {
        HWY_ALIGN double totals[streams];
        store_totals<streams>(sum, totals);
        for (Index s = 0; s < streams; ++s) z[s * length + k] = totals[s];
      }
    }
    multiply(A.some(rest, A.count - rest), x, z + rest);
  }

  template <class Number, class Asked = Nothing>
  static HWY_INLINE void add(const Rows<Number>& A, const double* r, Sum& g, Asked asked = {}) {
    by_groups<2 * group>(0, A.count, [&]<Index rows>(Index j) IDEAL_INLINED {
      add_rows<rows>(A.row(j), A.d, A.apart, r + j, g, asked.template share<rows>(j, A.d));
    });
  }

  /// How many rows a stream of a tile has: enough to be far from the next, as far as a tile has room for
  /// them, and about as many in each tile; a few that are left at the end are one more.
  template <class Number>
  static Index stream_rows(const Rows<Number>& A, Index far_apart) {
    const Index enough = (far_apart + A.row_bytes() - 1) / A.row_bytes();
    const Index tiles = std::max<Index>(A.count / (streams * enough), 1);
    return std::clamp<Index>(A.count / (streams * tiles), 1, most_rows / streams);
  }

  /// Tile by tile: its products, and then its additions out of a cache. Products are little more than
  /// reading: the CPU sees what comes next of each stream and fetches it at full speed, which asking for it
  /// would only disturb. While slopes and additions are computed nothing would be read, so these ask for
  /// streams of the next tile.
  template <class Brought, class Number>
  static HWY_NOINLINE void pass_in_streams(const Rows<Number>& A, const double* x_numbers, double* g_numbers,
                                           const Residual& residual) {
    const Index tile = streams * stream_rows(A, Brought::far_apart);
    const Point x(x_numbers, A.d);
    Sum g(g_numbers, A.d);
    HWY_ALIGN double z[most_rows];
    for (Index first = 0; first < A.count; first += tile) {
      const auto some = A.some(first, std::min(tile, A.count - first));
      multiply_in_streams(some, x, z);
      // Behind the last tile lie the rows of another agent, who probably has as many.
      const Index left = A.count - first - some.count;
      const Index apart = std::min(tile, left > 0 ? left : A.count) / streams * A.apart;
      const Streams<Number, Brought> next{some.row(some.count), apart};
      next.ask_at_once();
      settle(residual, first, some.count, z);
      add(some, z, g, next);
    }
  }

  /// Tile by tile: its products, its slopes, and its additions out of the nearest cache. Beside products and
  /// additions, `asked_beside` them is asked for.
  template <class Number, class AskedBeside>
  static HWY_INLINE void pass_in_tiles(const Rows<Number>& A, Index tile, const double* x_numbers,
                                       double* g_numbers, const Residual& residual,
                                       const AskedBeside& asked_beside) {
    const Point x(x_numbers, A.d);
    Sum g(g_numbers, A.d);
    HWY_ALIGN double z[most_rows];
    for (Index first = 0; first < A.count; first += tile) {
      const auto some = A.some(first, std::min(tile, A.count - first));
      const auto asked = asked_beside(some);
      multiply(some, x, z, asked);
      settle(residual, first, some.count, z);
      add(some, z, g, asked.behind(some.count));
    }
  }

  /// The same, asking for what lies so many bytes further on.
  template <Cache cache, class Number>
  static HWY_NOINLINE void pass_asking(const Rows<Number>& A, Index tile, Index bytes_further,
                                       const double* x, double* g, const Residual& residual) {
    const Index further = bytes_further / static_cast<Index>(sizeof(Number));
    pass_in_tiles(A, tile, x, g, residual, [further](const Rows<Number>& some) IDEAL_INLINED {
      return Later<Number, cache>{some.data + further, some.apart};
    });
  }

  /// Tiles of which the nearest cache has room for two.
  template <class Number, class AskedBeside>
  static HWY_NOINLINE void pass_near(const Rows<Number>& A, const double* x, double* g,
                                     const Residual& residual, const AskedBeside& asked_beside) {
    const Index fitting = fitting_rows(A) / 2 / group * group;
    pass_in_tiles(A, std::clamp(fitting, group, most_rows), x, g, residual, asked_beside);
  }

  // Calls, so that loops beside them keep their registers.
  template <class Number, class Asked>
  static HWY_NOINLINE void multiply_few(const Rows<Number>& A, const Point& x, double* z, Asked asked) {
    multiply(A, x, z, asked);
  }
  template <class Number, class Asked>
  static HWY_NOINLINE void add_few(const Rows<Number>& A, const double* r, Sum& g, Asked asked) {
    add(A, r, g, asked);
  }

  /// A few rows at a time. Their slopes are computed beside the products of the next few, so that nothing
  /// waits for them. Meanwhile what lies so many bytes further on is asked for, or the few rows behind the
  /// next.
  template <class Number>
  static HWY_NOINLINE void pass_in_groups(const Rows<Number>& A, Index bytes_further, const double* x_numbers,
                                          double* g_numbers, const Residual& residual) {
    constexpr Index rows = avx512 ? 2 * group : group;
    const Point x(x_numbers, A.d);
    Sum g(g_numbers, A.d);
    Uneven steps;
    const Index d = A.d, apart = A.apart, whole = A.count / rows * rows;
    const Index further = std::max(bytes_further / static_cast<Index>(sizeof(Number)), 3 * rows / 2 * apart);
    Later<Number, Cache::nearest> later{A.data + further, apart};
    const auto ask_beside = [&](Index count)
                                IDEAL_INLINED { return std::exchange(later, later.behind(count)); };
    HWY_ALIGN double turns[2][rows];
    double *z = turns[0], *next_z = turns[1];
    const auto products = [&](Index first, double* to) IDEAL_INLINED {
      V sum[rows][parts];
      sum_products<rows>(A.row(first), d, apart, x, sum, ask_beside(rows).template share<rows>(0, d), steps);
      store_totals<rows>(sum, to);
    };
    const auto rest = A.some(whole, A.count - whole);
    if (whole > 0) products(0, z);
    for (Index first = 0; first < whole; first += rows) {
      settle(residual, first, rows, z);
      const Index next = first + rows;
      if (next < whole)
        products(next, next_z);
      else if (rest.count > 0)
        multiply_few(rest, x, next_z, ask_beside(rest.count));
      add_rows<rows>(A.row(first), d, apart, z, g, ask_beside(rows).template share<rows>(0, d));
      std::swap(z, next_z);
    }
    if (rest.count == 0) return;
    if (whole == 0) multiply_few(rest, x, z, ask_beside(rest.count));
    settle(residual, whole, rest.count, z);
    add_few(rest, z, g, ask_beside(rest.count));
  }

  /// Two rows at a time, added beside the products of the next two: as little as possible is used between the
  /// two uses of a row, and rows are read all the time.
  template <class Number>
  static HWY_NOINLINE void pass_in_pairs(const Rows<Number>& A, const double* x_numbers, double* g_numbers,
                                         const Residual& residual) {
    const Point x(x_numbers, A.d);
    Sum g(g_numbers, A.d);
    Index first = 0;
    if (A.count >= 2) {
      TwoMargins r = two_products(A.data, A.d, A.apart, x);
      for (; first + 4 <= A.count; first += 2) {
        r.settle(residual, first);
        r = add_two_beside_products(A.row(first), A.d, A.apart, r, g, x);
      }
      r.settle(residual, first);
      const double both[] = {r.first, r.second};
      add(A.some(first, 2), both, g);
      first += 2;
    }
    if (first == A.count) return;
    double z = 0;
    multiply(A.some(first, 1), x, &z);
    settle(residual, first, 1, &z);
    add(A.some(first, 1), &z, g);
  }

  /// Short tiles, or one of all rows of an agent who has few, whose slopes are waited for but once. All lines
  /// are asked for, 16 KB ahead, or further where tiles are longer.
  template <class Number>
  static HWY_NOINLINE void pass_in_short_tiles(const Rows<Number>& A, const double* x, double* g,
                                               const Residual& residual) {
    constexpr Index few = 4 * page;
    if (A.count <= most_rows && A.count * A.row_bytes() <= few)
      return pass_asking<Cache::nearest>(A, A.count, few, x, g, residual);
    const Index tile = std::clamp(page / A.row_bytes() / group * group, group, most_rows);
    const Index further = std::max(few, tile * A.row_bytes() + page);
    pass_asking<Cache::nearest>(A, tile, further, x, g, residual);
  }

  /// How many rows the nearest cache holds beside x and g.
  template <class Number>
  static Index fitting_rows(const Rows<Number>& A) {
    constexpr Index of_number = sizeof(Number), of_double = sizeof(double);
    return (nearest_cache - 2 * A.d * of_double) / (A.apart * of_number);
  }

  template <class Number>
  static void pass(const Rows<Number>& A, const double* x, double* g, const Residual& residual) {
    constexpr Index soon = 32 << 10;
    const bool worth_it = A.count >= streams && A.count * A.row_bytes() >= worth_streams;
    switch (A.reading) {
      case Reading::tiles:
        return pass_near(A, x, g, residual, [](const Rows<Number>&) IDEAL_INLINED { return Nothing(); });
      case Reading::tiles_asked_for:
        return pass_near(A, x, g, residual, [](const Rows<Number>& some) IDEAL_INLINED {
          return Later<Number, Cache::nearest>{some.row(some.count), some.apart};
        });
      case Reading::groups:
        return pass_in_groups(A, 0, x, g, residual);
      case Reading::groups_from_afar:
        return pass_in_groups(A, 16 << 10, x, g, residual);
      case Reading::pairs:
        return pass_in_pairs(A, x, g, residual);
      case Reading::streams:
        if (worth_it) return pass_in_streams<LineByLine>(A, x, g, residual);
        break;
      case Reading::streams_asked_for:
        if (worth_it) return pass_in_streams<PairByPair>(A, x, g, residual);
        break;
      case Reading::short_tiles:
        return pass_in_short_tiles(A, x, g, residual);
      case Reading::agents:
        break;
    }
    pass_asking<Cache::second>(A, std::min(A.count, most_rows), soon, x, g, residual);
  }
};

template <class Number>
HWY_INLINE void multiply_any(const Rows<Number>& A, const double* x, double* z) {
  const Point point(x, A.d);
  if (A.place == Place::memory)
    Dense::multiply_in_streams(A, point, z);
  else
    Dense::multiply(A, point, z);
}
template <class Number>
HWY_INLINE void add_any(const Rows<Number>& A, const double* r, double* g) {
  Sum sum(g, A.d);
  Dense::add(A, r, sum);
}

}  // namespace

void pass_f64(const Rows<double>& A, const double* x, double* g, const Residual& residual) {
  Dense::pass(A, x, g, residual);
}
void pass_f32(const Rows<float>& A, const double* x, double* g, const Residual& residual) {
  Dense::pass(A, x, g, residual);
}
void multiply_f64(const Rows<double>& A, const double* x, double* z) { multiply_any(A, x, z); }
void multiply_f32(const Rows<float>& A, const double* x, double* z) { multiply_any(A, x, z); }
void add_f64(const Rows<double>& A, const double* r, double* g) { add_any(A, r, g); }
void add_f32(const Rows<float>& A, const double* r, double* g) { add_any(A, r, g); }

void widen_f32(const float* in, Index count, double* out) {
  Index k = 0;
  for (; k + Dense::width <= count; k += Dense::width) hn::StoreU(Dense::load(in + k), Dense::lanes, out + k);
  for (; k < count; ++k) out[k] = in[k];
}

void multiples(double factor, const double* in, Index count, double* out) {
  const auto f = hn::Set(Dense::lanes, factor);
  Index k = 0;
  for (; k + Dense::width <= count; k += Dense::width)
    hn::StoreU(hn::Mul(f, Dense::load(in + k)), Dense::lanes, out + k);
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
