// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>  // tells which C library there is

// IDEAL_CLONES("default", "avx2"): a function that is compiled for each of these instruction sets; the loader
// picks the best one the CPU has. Where compiler and loader cannot do this, and under sanitizers, which are
// not ready that early, there is one: IDEAL_HAS_CLONES tells.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__GLIBC__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define IDEAL_HAS_CLONES 1
#define IDEAL_CLONES(...) __attribute__((target_clones(__VA_ARGS__)))
#else
#define IDEAL_HAS_CLONES 0
#define IDEAL_CLONES(...)
#endif
