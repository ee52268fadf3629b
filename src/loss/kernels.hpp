// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/block.hpp>

/// The two halves of a one-pass gradient, on four rows small enough to stay in the L1 cache in between.
/// The order of every addition is fixed by the source, not by the instruction set, so all CPUs give the same
/// bits.
namespace ideal::kernel {

constexpr Index row_group = 4;

/// out[k] = row_k . x for four consecutive rows of d numbers.
void dot4(const double* rows, const double* x, Index d, double* out);

/// g += sum_k r[k] row_k for four consecutive rows, added in row order.
void add4(const double* rows, const double* r, Index d, double* g);

double dot(const double* row, const double* x, Index d);
void add(const double* row, double r, Index d, double* g);

}  // namespace ideal::kernel
