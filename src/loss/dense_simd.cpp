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

#if HWY_TARGET == HWY_SCALAR
HWY_INLINE double halves_added(Lanes, V v) { return hn::GetLane(v); }
#else
template <class Tag, class Vec>
HWY_INLINE double halves_added(Tag, Vec v) {
  if constexpr (hn::MaxLanes(Tag()) == 2) {
    return hn::GetLane(v) + hn::ExtractLane(v, 1);
  } else {
    const hn::Half<Tag> half;
    return halves_added(half, hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
  }
}
#endif

/// ((a0+a4) + (a2+a6)) + ((a1+a5) + (a3+a7))
HWY_INLINE double total(V* a) {
  for (Index half = parts / 2; half > 0; half /= 2)
    for (Index p = 0; p < half; ++p) a[p] = hn::Add(a[p], a[p + half]);
  return halves_added(lanes, a[0]);
}

/// Rows whose dot products with x are wanted next.
template <class Number>
struct Ahead {
  const Number* rows;
  const Point& x;
  double* z;
  Index fetch;  ///< how far behind them to fetch, in numbers
};

/// Rows of which multiples are added to g.
template <class Number>
struct Behind {
  const Number* rows;
  const double* r;
  double* g;
};

/// `next` dot products and `last` multiples in one loop, so that the arithmetic of the ones fills the time in
/// which the others wait for memory.
template <Index next, Index last, bool fetch, class Number>
HWY_INLINE void step(Index d, const Ahead<Number>& A, const Behind<Number>& B) {
  V sum[std::max<Index>(next, 1)][parts], scale[std::max<Index>(last, 1)];
  for (Index j = 0; j < next; ++j)
    for (Index p = 0; p < parts; ++p) sum[j][p] = hn::Zero(lanes);
  for (Index j = 0; j < last; ++j) scale[j] = hn::Set(lanes, B.r[j]);
  const auto add_products = [&](Index at, Index p, V x) HWY_ATTR {
    for (Index j = 0; j < next; ++j) sum[j][p] = hn::MulAdd(load(A.rows + j * d + at), x, sum[j][p]);
  };
  const auto multiples_added = [&](Index at) HWY_ATTR {
    V g = load(B.g + at);
    for (Index j = 0; j < last; ++j) g = hn::MulAdd(load(B.rows + j * d + at), scale[j], g);
    return g;
  };

  for (Index k = 0; k < A.x.whole; k += sums) {
    if constexpr (fetch)
      for (Index j = 0; j < next; ++j) hwy::Prefetch(A.rows + A.fetch + j * d + k);
    for (Index p = 0; p < parts; ++p) {
      const Index at = k + p * width;
      if constexpr (next > 0) add_products(at, p, load(A.x.x + at));
      if constexpr (last > 0) hn::StoreU(multiples_added(at), lanes, B.g + at);
    }
  }
  if (A.x.whole < d) {  // the last eight columns again, for those that are left
    HWY_ALIGN double end[sums];
    for (Index p = 0; p < parts; ++p) {
      const Index at = d - sums + p * width;
      if constexpr (next > 0) add_products(at, p, hn::Load(lanes, A.x.end + p * width));
      if constexpr (last > 0) hn::Store(multiples_added(at), lanes, end + p * width);
    }
    if constexpr (last > 0)
      for (Index k = A.x.whole; k < d; ++k) B.g[k] = end[k - (d - sums)];
  }
  for (Index j = 0; j < next; ++j) A.z[j] = total(sum[j]);
}

template <class Number>
HWY_INLINE void multiply_rows(const Rows<Number>& A, const Point& x, double* z) {
  Index j = 0;
  for (; j + group <= A.count; j += group)
    step<group, 0, false>(A.d, Ahead<Number>{A.row(j), x, z + j, 0}, Behind<Number>{});
  for (; j < A.count; ++j) step<1, 0, false>(A.d, Ahead<Number>{A.row(j), x, z + j, 0}, Behind<Number>{});
}

template <class Number>
HWY_INLINE void add_rows(const Rows<Number>& A, const Point& x, const double* r, double* g) {
  const Ahead<Number> none{nullptr, x, nullptr, 0};
  Index j = 0;
  for (; j + group <= A.count; j += group)
    step<0, group, false>(A.d, none, Behind<Number>{A.row(j), r + j, g});
  for (; j < A.count; ++j) step<0, 1, false>(A.d, none, Behind<Number>{A.row(j), r + j, g});
}

/// Two tiles of rows, the one that is added to g and the next one, should share the L1 cache with x and g.
template <class Number>
Index tile_rows(Index d) {
  constexpr Index bytes = 8 << 10;
  return std::clamp<Index>(bytes / (d * static_cast<Index>(sizeof(Number))) / group * group, group,
                           most_rows);
}

template <bool fetch, class Number>
HWY_INLINE void pass_tiles(const Rows<Number>& A, const double* x_numbers, double* g,
                           const Residual& residual) {
  const Point x(x_numbers, A.d);
  const Index tile = tile_rows<Number>(A.d), whole = A.count / tile * tile;
  double margins[2][most_rows];
  double *z = margins[0], *z_next = margins[1];
  for (Index first = 0; first < whole; first += tile) {
    for (Index j = 0; j < tile; j += group) {
      const Ahead<Number> ahead{A.row(first + j), x, z_next + j, tile * A.d};
      if (first == 0)
        step<group, 0, fetch>(A.d, ahead, Behind<Number>{});
      else
        step<group, group, fetch>(A.d, ahead, Behind<Number>{A.row(first - tile + j), z + j, g});
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

template <class Number>
HWY_INLINE void pass_any(const Rows<Number>& A, const double* x, double* g, const Residual& residual) {
  if (A.cached)
    pass_tiles<false>(A, x, g, residual);
  else
    pass_tiles<true>(A, x, g, residual);
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
void add_f64(const Rows<double>& A, const double* r, double* g) { add_rows(A, Point(g, A.d), r, g); }
void add_f32(const Rows<float>& A, const double* r, double* g) { add_rows(A, Point(g, A.d), r, g); }

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
