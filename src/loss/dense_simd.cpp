// SPDX-License-Identifier: Apache-2.0
#include "loss/kernels.hpp"

#include <algorithm>
#include <utility>

// The order matters.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "loss/dense_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/cache_control.h>
#include <hwy/highway.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace ideal::kernel::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr Index sums = least_columns;  // partial sums of a dot product
using Lanes = hn::CappedTag<double, sums>;
using V = hn::Vec<Lanes>;
constexpr Lanes lanes;
constexpr Index width = hn::MaxLanes(lanes);
constexpr Index parts = sums / width;  // registers that hold them
constexpr Index group = 4;             // rows whose sums fit the registers together
constexpr Index most_rows = 64;        // of a tile

HWY_INLINE V load(const double* from) { return hn::LoadU(lanes, from); }
HWY_INLINE V load(const float* from) {
  return hn::PromoteTo(lanes, hn::LoadU(hn::Rebind<float, Lanes>(), from));
}

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
  ~Sum() { std::copy(end + sums - d_ % sums, end + sums, g + d_ / sums * sums); }
  Sum(const Sum&) = delete;
  Sum& operator=(const Sum&) = delete;

  double* g;
  HWY_ALIGN double end[sums];

 private:
  Index d_;
};

#if HWY_TARGET == HWY_SCALAR
HWY_INLINE V folded(Lanes, V v) { return v; }
HWY_INLINE double halves_added(V v) { return hn::GetLane(v); }
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

/// Eight partial sums become ((a0+a4) + (a2+a6), (a1+a5) + (a3+a7)), of which the sum is the total.
HWY_INLINE auto two_left(V* a) {
  for (Index half = parts / 2; half > 0; half /= 2)
    for (Index p = 0; p < half; ++p) a[p] = hn::Add(a[p], a[p + half]);
  return folded(lanes, a[0]);
}

/// The totals of `count` rows. Four are stored at once: who loads them together would wait for single stores.
template <Index count>
HWY_INLINE void store_totals(V sum[][parts], double* z) {
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

/// Rows whose dot products with x are wanted next.
template <class Number>
struct Ahead {
  const Number* rows;
  const Point& x;
  double* z;
  Index fetch;  ///< how far behind them to fetch, in numbers
};

/// Rows of which multiples are added.
template <class Number>
struct Behind {
  const Number* rows;
  const double* r;
  double *g, *end;
};

/// `next` dot products and `last` multiples in one loop, so that the arithmetic of the ones fills the time in
/// which the others wait for memory.
template <Index next, Index last, class Number>
HWY_INLINE void step(Index d, const Ahead<Number>& A, const Behind<Number>& B) {
  V sum[std::max<Index>(next, 1)][parts], scale[std::max<Index>(last, 1)];
  for (Index j = 0; j < next; ++j)
    for (Index p = 0; p < parts; ++p) sum[j][p] = hn::Zero(lanes);
  for (Index j = 0; j < last; ++j) scale[j] = hn::Set(lanes, B.r[j]);
  const auto add_products = [&](Index at, Index p, V x) HWY_ATTR {
    for (Index j = 0; j < next; ++j) sum[j][p] = hn::MulAdd(load(A.rows + j * d + at), x, sum[j][p]);
  };
  const auto multiples_added = [&](Index at, const double* to) HWY_ATTR {
    V g = load(to);
    for (Index j = 0; j < last; ++j) g = hn::MulAdd(load(B.rows + j * d + at), scale[j], g);
    return g;
  };

  for (Index k = 0; k < A.x.whole; k += sums) {
    if constexpr (next > 0 && last > 0)
      for (Index j = 0; j < next; ++j) hwy::Prefetch(A.rows + A.fetch + j * d + k);
    for (Index p = 0; p < parts; ++p) {
      const Index at = k + p * width;
      if constexpr (next > 0) add_products(at, p, load(A.x.x + at));
      if constexpr (last > 0) hn::StoreU(multiples_added(at, B.g + at), lanes, B.g + at);
    }
  }
  if (A.x.whole < d) {  // the last eight columns again, for those that are left
    for (Index p = 0; p < parts; ++p) {
      const Index at = d - sums + p * width;
      if constexpr (next > 0) add_products(at, p, hn::Load(lanes, A.x.end + p * width));
      if constexpr (last > 0) hn::Store(multiples_added(at, B.end + p * width), lanes, B.end + p * width);
    }
  }
  if constexpr (next > 0) store_totals<next>(sum, A.z);
}

template <class Number>
HWY_INLINE void multiply_rows(const Rows<Number>& A, const Point& x, double* z) {
  Index j = 0;
  for (; j + group <= A.count; j += group)
    step<group, 0>(A.d, Ahead<Number>{A.row(j), x, z + j, 0}, Behind<Number>{});
  for (; j < A.count; ++j) step<1, 0>(A.d, Ahead<Number>{A.row(j), x, z + j, 0}, Behind<Number>{});
}

template <class Number>
HWY_INLINE void add_rows(const Rows<Number>& A, const Point& x, const double* r, Sum& g) {
  const Ahead<Number> none{nullptr, x, nullptr, 0};
  Index j = 0;
  for (; j + group <= A.count; j += group)
    step<0, group>(A.d, none, Behind<Number>{A.row(j), r + j, g.g, g.end});
  for (; j < A.count; ++j) step<0, 1>(A.d, none, Behind<Number>{A.row(j), r + j, g.g, g.end});
}

/// Two tiles of rows should share the nearest cache with x and g.
template <class Number>
Index tile_rows(Index d) {
  constexpr Index bytes = 8 << 10;
  return std::clamp<Index>(bytes / (d * static_cast<Index>(sizeof(Number))) / group * group, group,
                           most_rows);
}

/// Tile by tile: the products of one beside the additions of the one before.
template <class Number>
HWY_INLINE void pass_tiles(const Rows<Number>& A, const double* x_numbers, double* g_numbers,
                           const Residual& residual) {
  const Point x(x_numbers, A.d);
  Sum g(g_numbers, A.d);
  const Index tile = tile_rows<Number>(A.d), whole = A.count / tile * tile;
  HWY_ALIGN double margins[2][most_rows];
  double *z = margins[0], *z_next = margins[1];
  for (Index first = 0; first < whole; first += tile) {
    for (Index j = 0; j < tile; j += group) {
      const Ahead<Number> ahead{A.row(first + j), x, z_next + j, tile * A.d};
      if (first == 0)
        step<group, 0>(A.d, ahead, Behind<Number>{});
      else
        step<group, group>(A.d, ahead, Behind<Number>{A.row(first - tile + j), z + j, g.g, g.end});
    }
    residual(first, tile, z_next);
    std::swap(z, z_next);
  }
  if (whole > 0) add_rows(A.some(whole - tile, tile), x, z, g);
  const auto rest = A.some(whole, A.count - whole);
  multiply_rows(rest, x, z);
  if (rest.count > 0) residual(whole, rest.count, z);
  add_rows(rest, x, z, g);
}

/// Rows that are near, but so long that the nearest cache holds few of them: one group's products, then its
/// additions.
template <class Number>
HWY_INLINE void pass_groups(const Rows<Number>& A, const double* x_numbers, double* g_numbers,
                            const Residual& residual) {
  const Point x(x_numbers, A.d);
  Sum g(g_numbers, A.d);
  double z[group];
  for (Index first = 0; first < A.count; first += group) {
    const auto some = A.some(first, std::min(group, A.count - first));
    multiply_rows(some, x, z);
    residual(first, some.count, z);
    add_rows(some, x, z, g);
  }
}

template <class Number>
HWY_INLINE void pass_any(const Rows<Number>& A, const double* x, double* g, const Residual& residual) {
  constexpr Index nearest_cache = 32 << 10;
  const bool two_groups_fit = 2 * group * A.d * static_cast<Index>(sizeof(Number)) <= nearest_cache;
  if (A.cached && !two_groups_fit)
    pass_groups(A, x, g, residual);
  else
    pass_tiles(A, x, g, residual);
}

}  // namespace

void pass_f64(const Rows<double>& A, const double* x, double* g, const Residual& residual) {
  pass_any(A, x, g, residual);
}
void pass_f32(const Rows<float>& A, const double* x, double* g, const Residual& residual) {
  pass_any(A, x, g, residual);
}
void multiply_f64(const Rows<double>& A, const double* x, double* z) { multiply_rows(A, Point(x, A.d), z); }
void multiply_f32(const Rows<float>& A, const double* x, double* z) { multiply_rows(A, Point(x, A.d), z); }
void add_f64(const Rows<double>& A, const double* r, double* g) {
  Sum sum(g, A.d);
  add_rows(A, Point(g, A.d), r, sum);
}
void add_f32(const Rows<float>& A, const double* r, double* g) {
  Sum sum(g, A.d);
  add_rows(A, Point(g, A.d), r, sum);
}

void widen_f32(const float* in, Index count, double* out) {
  Index k = 0;
  for (; k + width <= count; k += width) hn::StoreU(load(in + k), lanes, out + k);
  for (; k < count; ++k) out[k] = in[k];
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

}  // namespace ideal::kernel
#endif
