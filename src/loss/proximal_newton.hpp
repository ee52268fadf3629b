// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/loss.hpp>
#include <ideal/regulariser.hpp>

namespace ideal {

/// Losses that are not smooth are rounded off down to this width where a solution is searched for.
inline constexpr double least_rounding_width = 1e-9;

/// Minimises f + r from x to rounding: Newton's method on the entries that r leaves free, proximal gradient
/// steps where that makes no progress. Returns the norm of the smallest subgradient reached.
double proximal_newton(const Loss& f, const Regulariser& r, Vector& x);

}  // namespace ideal
