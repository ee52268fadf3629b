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
#include "loss/link_simd.hpp"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace ideal::kernel::HWY_NAMESPACE {
namespace {

constexpr LinkLanes lanes;

/// What is asked for slopes by a call multiplies sparse rows, one number at a time. CPUs with AVX-512 slow
/// down for a millisecond after wider registers, at the most by a quarter: slopes are a hundredth of the
/// time, the other 99 would take longer.
#if HWY_TARGET <= HWY_AVX3
using SlopeLanes = hn::CappedTag<double, 2>;
#else
using SlopeLanes = LinkLanes;
#endif

}  // namespace

void slopes(double* z, const double* b, Index count, double scale) {
  slopes_in_place<SlopeLanes>(z, b, count, scale);
}

void curvatures(double* z, Index count, double scale) {
  transform(lanes, z, z, count, [scale](auto tag, auto zs, auto) HWY_ATTR {
    const auto one = hn::Set(tag, 1), factor = hn::Set(tag, scale);
    const auto e = shrinking(tag, zs), sum = hn::Add(one, e);
    return hn::Mul(factor, hn::Div(e, hn::Mul(sum, sum)));
  });
}

double values(double sum, const double* z, const double* b, Index count) {
  constexpr Index most = 64;
  double each[most];
  for (Index first = 0; first < count; first += most) {
    const Index some = std::min(most, count - first);
    std::copy_n(z + first, some, each);
    transform(lanes, each, b + first, some, [](auto tag, auto zs, auto bs) HWY_ATTR {
      const auto margin = hn::Mul(bs, zs);
      return hn::Add(hn::Log1p(tag, shrinking(tag, margin)), hn::Max(hn::Neg(margin), hn::Zero(tag)));
    });
    for (Index k = 0; k < some; ++k) sum += each[k];
  }
  return sum;
}

double probabilities(double* scores, Index classes, Index room) {
  const double top = *std::max_element(scores, scores + classes);
  std::fill(scores + classes, scores + room, top);
  transform(lanes, scores, scores, room, [top](auto tag, auto each, auto) HWY_ATTR {
    return exp_of_negative(tag, hn::Sub(each, hn::Set(tag, top)));
  });
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
double logistic_values(double sum, const double* z, const double* b, Index count) {
  return HWY_DYNAMIC_DISPATCH(values)(sum, z, b, count);
}
double softmax(double* scores, Index classes, Index width) {
  return HWY_DYNAMIC_DISPATCH(probabilities)(scores, classes, width);
}

}  // namespace ideal::kernel
#endif
