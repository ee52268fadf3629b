// SPDX-License-Identifier: Apache-2.0
#include "loss/kernels.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

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

/// exp(t) for t <= 0, to about a unit in the last place; 0 below -708, where no normal number is left. No
/// positive numbers, no care for the smallest: two thirds of the time of Highway's, and the link is a sixth
/// of the time that rows of 100 numbers take which lie in a cache.
template <class Tag, class Vec>
HWY_INLINE Vec exp_of_negative(Tag tag, Vec t) {
  const auto number = [tag](double c) HWY_ATTR { return hn::Set(tag, c); };
  // t = k ln 2 + r. The sum with a number so large that it has no fraction rounds to k, and ends with its
  // bits.
  const auto large = number(0x1.8p52);
  const auto shifted = hn::MulAdd(t, number(std::numbers::log2e), large), k = hn::Sub(shifted, large);
  // ln 2 in two parts, of which the first ends with zeros: its products with k are exact.
  const auto high = number(0x1.62e42fefa3800p-1);  // NOLINT(modernize-use-std-numbers)
  const auto low = number(0x1.ef35793c76730p-45);
  const auto r = hn::NegMulAdd(k, low, hn::NegMulAdd(k, high, t));
  // exp r = 1 + r + r^2 q(r): q interpolates at the Chebyshev points of |r| <= ln 2 / 2, which errs
  // by 1.6e-17
  const auto r2 = hn::Mul(r, r), r4 = hn::Mul(r2, r2);
  const auto pair = [&](double even, double odd)
                        HWY_ATTR { return hn::MulAdd(number(odd), r, number(even)); };
  const auto q0 = pair(0x1.0000000000001p-1, 0x1.5555555555556p-3);
  const auto q2 = pair(0x1.5555555553d63p-5, 0x1.11111111109b3p-7);
  const auto q4 = pair(0x1.6c16c1788bd90p-10, 0x1.a01a01a7c41d5p-13);
  const auto q6 = pair(0x1.a019b90d2ae7ap-16, 0x1.71de0dae63bb3p-19);
  const auto q8 = pair(0x1.289185613a3d6p-22, 0x1.af38a9b0ec855p-26);
  const auto first = hn::MulAdd(q2, r2, q0), second = hn::MulAdd(q8, r4, hn::MulAdd(q6, r2, q4));
  const auto power = hn::Add(hn::MulAdd(hn::MulAdd(second, r4, first), r2, r), number(1));
  const hn::RebindToUnsigned<Tag> bits;
  const auto two_to_k = hn::ShiftLeft<52>(hn::Add(hn::BitCast(bits, shifted), hn::Set(bits, 1023)));
  return hn::IfThenZeroElse(hn::Lt(t, number(-708)), hn::Mul(power, hn::BitCast(tag, two_to_k)));
}

/// exp(-|t|), which never overflows.
template <class Tag, class Vec>
HWY_INLINE Vec shrinking(Tag tag, Vec t) {
  return exp_of_negative(tag, hn::Neg(hn::Abs(t)));
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
double logistic_values(const double* z, const double* b, Index count) {
  return HWY_DYNAMIC_DISPATCH(values)(z, b, count);
}
double softmax(double* scores, Index classes, Index width) {
  return HWY_DYNAMIC_DISPATCH(probabilities)(scores, classes, width);
}

}  // namespace ideal::kernel
#endif
