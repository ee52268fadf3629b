// SPDX-License-Identifier: Apache-2.0
// Included once for each instruction set, behind <hwy/foreach_target.h>: the guard is set the first time and
// taken back the next.
#if defined(IDEAL_LOSS_LINK_SIMD_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef IDEAL_LOSS_LINK_SIMD_HPP
#undef IDEAL_LOSS_LINK_SIMD_HPP
#else
#define IDEAL_LOSS_LINK_SIMD_HPP
#endif

#include "loss/loops_simd.hpp"

#include <ideal/block.hpp>

#include <numbers>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace ideal::kernel::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using LinkLanes = hn::CappedTag<double, 8>;

/// Applies f(tag, z, b) to all numbers: by whole registers, what is left by a half of one if it fills that,
/// and the last ones each in a register of its own: margins that were stored one by one would make a load of
/// several wait.
template <class Tag, class Function>
HWY_INLINE void transform(Tag tag, double* z, const double* b, Index count, const Function& f) {
  constexpr Index wide = hn::MaxLanes(tag);
  Index k = 0;
  for (; k + wide <= count; k += wide)
    hn::StoreU(f(tag, hn::LoadU(tag, z + k), hn::LoadU(tag, b + k)), tag, z + k);
  if (k == count) return;
  if constexpr (wide > 2) {
    transform(hn::Half<Tag>(), z + k, b + k, count - k, f);
  } else {
    for (; k < count; ++k) z[k] = hn::GetLane(f(tag, hn::Set(tag, z[k]), hn::Set(tag, b[k])));
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

/// For labels b of -1 or +1: scale times the slope -b sigmoid(-b z) of log(1 + exp(-b z)).
template <class Tag, class Vec>
HWY_INLINE Vec slopes(Tag tag, Vec z, Vec b, double scale) {
  const auto one = hn::Set(tag, 1), factor = hn::Set(tag, -scale);
  const auto t = hn::Neg(hn::Mul(b, z)), e = shrinking(tag, t);
  const auto sigmoid = hn::Div(hn::IfThenElse(hn::Ge(t, hn::Zero(tag)), one, e), hn::Add(one, e));
  return hn::Mul(hn::Mul(factor, b), sigmoid);
}

/// The same in place, of many.
template <class Tag = LinkLanes>
HWY_INLINE void slopes_in_place(double* z, const double* b, Index count, double scale) {
  transform(Tag(), z, b, count,
            [scale](auto tag, auto zs, auto bs) IDEAL_INLINED { return slopes(tag, zs, bs, scale); });
}

}  // namespace
}  // namespace ideal::kernel::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
