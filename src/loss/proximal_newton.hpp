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

/// Minimises a strongly convex loss whose kinks are rounded off: Newton's directions, each followed to where
/// the loss is least along it. A curvature that jumps makes full steps useless, and the minimum along a
/// direction ends on the right pieces after a few. Returns the norm of the gradient reached.
double rounded_newton(const Loss& f, Vector& x);

}  // namespace ideal
