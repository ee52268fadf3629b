// SPDX-License-Identifier: Apache-2.0
#include "loss/kernels.hpp"

#include "core/all_cpus.hpp"

#include <cstring>

namespace ideal::kernel {

namespace {

/// Eight partial sums a row; a compiler builtin that becomes one, two or four registers.
constexpr Index width = 8;
using Lanes = double __attribute__((vector_size(width * sizeof(double))));

[[gnu::always_inline]] inline void load(Lanes& lanes, const double* from) {
  std::memcpy(&lanes, from, sizeof lanes);
}

[[gnu::always_inline]] inline double sum(const Lanes& a) {
  return ((a[0] + a[4]) + (a[2] + a[6])) + ((a[1] + a[5]) + (a[3] + a[7]));
}

}  // namespace

IDEAL_ALL_CPUS void dot4(const double* rows, const double* x, Index d, double* out) {
  const double* row[row_group] = {rows, rows + d, rows + 2 * d, rows + 3 * d};
  Lanes partial[row_group] = {};
  Index k = 0;
  for (; k + width <= d; k += width) {
    Lanes xs, a;
    load(xs, x + k);
    for (Index j = 0; j < row_group; ++j) {
      load(a, row[j] + k);
      partial[j] += a * xs;
    }
  }
  for (Index j = 0; j < row_group; ++j) {
    double tail = 0;
    for (Index t = k; t < d; ++t) tail += row[j][t] * x[t];
    out[j] = sum(partial[j]) + tail;
  }
}

IDEAL_ALL_CPUS void add4(const double* rows, const double* r, Index d, double* g) {
  const double *a0 = rows, *a1 = rows + d, *a2 = rows + 2 * d, *a3 = rows + 3 * d;
  const double r0 = r[0], r1 = r[1], r2 = r[2], r3 = r[3];
  double* __restrict out = g;
  for (Index k = 0; k < d; ++k) out[k] = (((out[k] + r0 * a0[k]) + r1 * a1[k]) + r2 * a2[k]) + r3 * a3[k];
}

IDEAL_ALL_CPUS double dot(const double* row, const double* x, Index d) {
  Lanes partial = {}, a, xs;
  Index k = 0;
  for (; k + width <= d; k += width) {
    load(xs, x + k);
    load(a, row + k);
    partial += a * xs;
  }
  double tail = 0;
  for (; k < d; ++k) tail += row[k] * x[k];
  return sum(partial) + tail;
}

IDEAL_ALL_CPUS void add(const double* row, double r, Index d, double* g) {
  double* __restrict out = g;
  for (Index k = 0; k < d; ++k) out[k] += r * row[k];
}

}  // namespace ideal::kernel
