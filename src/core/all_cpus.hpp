// SPDX-License-Identifier: Apache-2.0
#pragma once

// One source, several instruction sets: the loader picks the widest one the CPU has. Sanitizers and other
// compilers get the base.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define IDEAL_ALL_CPUS __attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define IDEAL_ALL_CPUS
#endif
