// SPDX-License-Identifier: Apache-2.0
#include "core/cpu_maker.hpp"

namespace ideal {

namespace {

bool is_amd() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_cpu_init();
  return __builtin_cpu_is("amd") != 0;
#else
  return false;
#endif
}

bool& answer() {
  static bool amd = is_amd();
  return amd;
}

}  // namespace

bool made_by_amd() { return answer(); }

void pretend_made_by_amd(std::optional<bool> pretended) { answer() = pretended.value_or(is_amd()); }

}  // namespace ideal
