// SPDX-License-Identifier: Apache-2.0
#include "loss/kernels.hpp"

// The order matters.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "loss/sparse_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace ideal::kernel::HWY_NAMESPACE {
namespace {

// What a row meets in x and g comes from anywhere, one number at a time, and how fast the second cache hands
// lines to the first decides. So these loops do as little else as can be: numbers are not gathered into wide
// registers, and nothing is asked for ahead, which would be an eighth more instructions.

constexpr Index at_once = 8;

HWY_INLINE double multiply_add(double a, double b, double sum) {
#if HWY_NATIVE_FMA
  return __builtin_fma(a, b, sum);
#else
  return a * b + sum;
#endif
}

/// Eight partial sums, so that an addition need not wait for the one before, and one of what is left.
HWY_INLINE double product(const SparseEntries& row, const double* x) {
  double sum[at_once] = {}, rest = 0;
  Index k = 0;
  for (; k + at_once <= row.count; k += at_once)
    for (Index e = 0; e < at_once; ++e)
      sum[e] = multiply_add(row.values[k + e], x[row.columns[k + e]], sum[e]);
  for (; k < row.count; ++k) rest = multiply_add(row.values[k], x[row.columns[k]], rest);
  return (((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7]))) + rest;
}

/// Eight sums are read before any is stored: a CPU that does not know yet where a store goes hesitates to
/// read on. No two columns of a row are the same.
HWY_INLINE void add_multiple(const SparseEntries& row, double r, double* g) {
  Index k = 0;
  for (; k + at_once <= row.count; k += at_once) {
    double sum[at_once];
    for (Index e = 0; e < at_once; ++e) sum[e] = multiply_add(r, row.values[k + e], g[row.columns[k + e]]);
    for (Index e = 0; e < at_once; ++e) g[row.columns[k + e]] = sum[e];
  }
  for (; k < row.count; ++k) g[row.columns[k]] = multiply_add(r, row.values[k], g[row.columns[k]]);
}

}  // namespace

void multiply_sparse(const SparseView& A, const double* x, double* z) {
  for (Index j = 0; j < A.count; ++j) z[j] = product(A.row(j), x);
}

void add_sparse(const SparseView& A, const double* r, double* g) {
  for (Index j = 0; j < A.count; ++j) add_multiple(A.row(j), r[j], g);
}

}  // namespace ideal::kernel::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ideal::kernel {

HWY_EXPORT(multiply_sparse);
HWY_EXPORT(add_sparse);

void multiply(const SparseView& A, const double* x, double* z) {
  HWY_DYNAMIC_DISPATCH(multiply_sparse)(A, x, z);
}
void add_multiples(const SparseView& A, const double* r, double* g) {
  HWY_DYNAMIC_DISPATCH(add_sparse)(A, r, g);
}

}  // namespace ideal::kernel
#endif
