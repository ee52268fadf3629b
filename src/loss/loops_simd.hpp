// SPDX-License-Identifier: Apache-2.0
// Included once for each instruction set, behind <hwy/foreach_target.h>: the guard is set the first time and
// taken back the next.
#if defined(IDEAL_LOSS_LOOPS_SIMD_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef IDEAL_LOSS_LOOPS_SIMD_HPP
#undef IDEAL_LOSS_LOOPS_SIMD_HPP
#else
#define IDEAL_LOSS_LOOPS_SIMD_HPP
#endif

#include <ideal/block.hpp>

#include <hwy/highway.h>

// A lambda that is part of a loop: a call would take as long as what it does.
#undef IDEAL_INLINED
#define IDEAL_INLINED HWY_ATTR __attribute__((always_inline))

HWY_BEFORE_NAMESPACE();
namespace ideal::kernel::HWY_NAMESPACE {
namespace {

/// AVX-512, and what has come since: better instruction sets have smaller numbers.
constexpr bool avx512 = HWY_TARGET <= HWY_AVX3;

/// take<many>(j) for all numbers j from `begin` to `end`: `many` at a time, and those left by half as many.
template <Index many, class Take>
HWY_INLINE void by_groups(Index begin, Index end, const Take& take) {
  for (; begin + many <= end; begin += many) take.template operator()<many>(begin);
  if constexpr (many > 1)
    if (begin < end) by_groups<many / 2>(begin, end, take);
}

}  // namespace
}  // namespace ideal::kernel::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
