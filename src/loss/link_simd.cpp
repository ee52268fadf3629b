// SPDX-License-Identifier: Apache-2.0
#include "loss/kernels.hpp"

#include <algorithm>
#include <cmath>

// The order matters.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "loss/link_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include <hwy/contrib/math/math-inl.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace ideal::kernel::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using Lanes = hn::CappedTag<double, 8>;
using V = hn::Vec<Lanes>;
constexpr Lanes lanes;
constexpr Index width = hn::MaxLanes(lanes);

/// Applies f(z, b) to all numbers, the last ones in a copy that is long enough.
template <class Function>
HWY_INLINE void transform(double* z, const double* b, Index count, Function f) {
  Index k = 0;
  for (; k + width <= count; k += width)
    hn::StoreU(f(hn::LoadU(lanes, z + k), hn::LoadU(lanes, b + k)), lanes, z + k);
  if (k == count) return;
  HWY_ALIGN double z_end[width] = {}, b_end[width] = {};
  std::copy(z + k, z + count, z_end);
  std::copy(b + k, b + count, b_end);
  hn::Store(f(hn::Load(lanes, z_end), hn::Load(lanes, b_end)), lanes, z_end);
  std::copy_n(z_end, count - k, z + k);
}

/// exp(-|t|), which never overflows.
HWY_INLINE V shrinking(V t) { return hn::Exp(lanes, hn::Neg(hn::Abs(t))); }

}  // namespace

void slopes(double* z, const double* b, Index count, double scale) {
  const V one = hn::Set(lanes, 1), factor = hn::Set(lanes, -scale);
  transform(z, b, count, [&](V zs, V bs) HWY_ATTR {
    const V t = hn::Neg(hn::Mul(bs, zs)), e = shrinking(t);
    const V sigmoid = hn::Div(hn::IfThenElse(hn::Ge(t, hn::Zero(lanes)), one, e), hn::Add(one, e));
    return hn::Mul(hn::Mul(factor, bs), sigmoid);
  });
}

void curvatures(double* z, Index count, double scale) {
  const V one = hn::Set(lanes, 1), factor = hn::Set(lanes, scale);
  transform(z, z, count, [&](V zs, V) HWY_ATTR {
    const V e = shrinking(zs), sum = hn::Add(one, e);
    return hn::Mul(factor, hn::Div(e, hn::Mul(sum, sum)));
  });
}

double values(const double* z, const double* b, Index count) {
  constexpr Index most = 64;
  double each[most], sum = 0;
  for (Index first = 0; first < count; first += most) {
    const Index some = std::min(most, count - first);
    std::copy_n(z + first, some, each);
    transform(each, b + first, some, [&](V zs, V bs) HWY_ATTR {
      const V margin = hn::Mul(bs, zs);
      return hn::Add(hn::Log1p(lanes, shrinking(margin)), hn::Max(hn::Neg(margin), hn::Zero(lanes)));
    });
    for (Index k = 0; k < some; ++k) sum += each[k];
  }
  return sum;
}

double probabilities(double* scores, Index classes, Index room) {
  const double top = *std::max_element(scores, scores + classes);
  std::fill(scores + classes, scores + room, top);
  const V shift = hn::Set(lanes, top);
  for (Index k = 0; k < room; k += width)
    hn::StoreU(hn::Exp(lanes, hn::Sub(hn::LoadU(lanes, scores + k), shift)), lanes, scores + k);
  double sum = 0;
  for (Index k = 0; k < classes; ++k) sum += scores[k];
  for (Index k = 0; k < classes; ++k) scores[k] /= sum;
  std::fill(scores + classes, scores + room, 0.0);
  return top + std::log(sum);
}

}  // namespace ideal::kernel::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ideal::kernel {

HWY_EXPORT(slopes);
HWY_EXPORT(curvatures);
HWY_EXPORT(values);
HWY_EXPORT(probabilities);

void logistic_slopes(double* z, const double* b, Index count, double scale) {
  HWY_DYNAMIC_DISPATCH(slopes)(z, b, count, scale);
}
void logistic_curvatures(double* z, Index count, double scale) {
  HWY_DYNAMIC_DISPATCH(curvatures)(z, count, scale);
}
double logistic_values(const double* z, const double* b, Index count) {
  return HWY_DYNAMIC_DISPATCH(values)(z, b, count);
}
double softmax(double* scores, Index classes, Index width) {
  return HWY_DYNAMIC_DISPATCH(probabilities)(scores, classes, width);
}

}  // namespace ideal::kernel
#endif
