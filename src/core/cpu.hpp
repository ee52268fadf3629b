// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ideal {

/// Caches of CPUs with the same instructions differ in what helps them, which only their makers' names tell.
inline bool made_by_amd() {
#if defined(__x86_64__) || defined(__i386__)
  static const bool amd = [] {
    __builtin_cpu_init();
    return __builtin_cpu_is("amd") != 0;
  }();
  return amd;
#else
  return false;
#endif
}

}  // namespace ideal
