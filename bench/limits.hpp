// SPDX-License-Identifier: Apache-2.0
// What the machine can do at best: the yardsticks of the kernels, with the same threads on the same bytes.
#pragma once

#include <ideal/data.hpp>
#include <ideal/parallel.hpp>

#include <span>

namespace bench {

using ideal::Index;
using ideal::Threads;

/// Reads everything once.
void read_once(Threads& team, std::span<const double> data);

/// Reads 16 KB, which the nearest cache holds, so many times.
void read_nearest_cache(int times);

/// Copies by stores that pass by the caches; `to` begins on a multiple of 64 bytes.
void copy_past_caches(Threads& team, std::span<const double> from, std::span<double> to);

/// So many steps of independent chains of fused multiply-adds in registers, the same on each thread; returns
/// the floating point operations of all threads together.
double multiply_add(Threads& team, Index steps = 200'000);

/// r_j = -b_j / (1 + exp(b_j z_j)) / m in place of z_j: what stands between the two passes of a logistic
/// gradient by BLAS, here as fast as a vector unit does it.
void logistic_slopes(ideal::Vector& z, const ideal::Vector& labels);

/// The same for softmax: rows of scores become probabilities minus the indicator of the label, over m.
void softmax_slopes(ideal::DenseRows& scores, const ideal::Vector& labels);

}  // namespace bench
