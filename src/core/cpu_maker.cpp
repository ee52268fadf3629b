// SPDX-License-Identifier: Apache-2.0
#include "core/cpu_maker.hpp"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

namespace ideal {

namespace {

#if defined(__x86_64__) || defined(__i386__)
/// Of the CPU, as AMD counts them.
unsigned family() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) == 0) return 0;
  const unsigned base = eax >> 8 & 0xf, extended = eax >> 20 & 0xff;
  return base == 0xf ? base + extended : base;
}

bool of_amd_from_family_26_on() {
  __builtin_cpu_init();
  return __builtin_cpu_is("amd") != 0 && family() >= 26;
}
#else
bool of_amd_from_family_26_on() { return false; }
#endif

}  // namespace

bool wants_to_be_asked_early() {
  static const bool answer = of_amd_from_family_26_on();
  return answer;
}

}  // namespace ideal
