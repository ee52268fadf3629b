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
constexpr Lanes lanes;

/// Applies f(tag, z, b) to all numbers: by whole registers, what is left by a half of one if it fills that,
/// and the last ones in a copy that is long enough.
template <class Tag, class Function>
HWY_INLINE void transform(Tag tag, double* z, const double* b, Index count, const Function& f) {
  constexpr Index wide = hn::MaxLanes(tag);
  Index k = 0;
  for (; k + wide <= count; k += wide)
    hn::StoreU(f(tag, hn::LoadU(tag, z + k), hn::LoadU(tag, b + k)), tag, z + k);
  if (k == count) return;
  if constexpr (wide > 4) {
    transform(hn::Half<Tag>(), z + k, b + k, count - k, f);
  } else {
    HWY_ALIGN double z_end[wide] = {}, b_end[wide] = {};
    std::copy(z + k, z + count, z_end);
    std::copy(b + k, b + count, b_end);
    hn::Store(f(tag, hn::Load(tag, z_end), hn::Load(tag, b_end)), tag, z_end);
    std::copy_n(z_end, count - k, z + k);
  }
}

/// exp(-|t|), which never overflows.
template <class Tag, class Vec>
HWY_INLINE Vec shrinking(Tag tag, Vec t) {
  return hn::Exp(tag, hn::Neg(hn::Abs(t)));
}

}  // namespace

void slopes(double* z, const double* b, Index count, double scale) {
  transform(lanes, z, b, count, [scale](auto tag, auto zs, auto bs) HWY_ATTR {
    const auto one = hn::Set(tag, 1), factor = hn::Set(tag, -scale);
    const auto t = hn::Neg(hn::Mul(bs, zs)), e = shrinking(tag, t);
    const auto sigmoid = hn::Div(hn::IfThenElse(hn::Ge(t, hn::Zero(tag)), one, e), hn::Add(one, e));
    return hn::Mul(hn::Mul(factor, bs), sigmoid);
  });
}

void curvatures(double* z, Index count, double scale) {
  transform(lanes, z, z, count, [scale](auto tag, auto zs, auto) HWY_ATTR {
    const auto one = hn::Set(tag, 1), factor = hn::Set(tag, scale);
    const auto e = shrinking(tag, zs), sum = hn::Add(one, e);
    return hn::Mul(factor, hn::Div(e, hn::Mul(sum, sum)));
  });
}

double values(const double* z, const double* b, Index count) {
  constexpr Index most = 64;
  double each[most], sum = 0;
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
    return hn::Exp(tag, hn::Sub(each, hn::Set(tag, top)));
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
double logistic_values(const double* z, const double* b, Index count) {
  return HWY_DYNAMIC_DISPATCH(values)(z, b, count);
}
double softmax(double* scores, Index classes, Index width) {
  return HWY_DYNAMIC_DISPATCH(probabilities)(scores, classes, width);
}

}  // namespace ideal::kernel
#endif
