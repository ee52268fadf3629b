// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "method/tracking.hpp"

#include <vector>

namespace ideal {

/// C = I - s M of each step of a period, dense.
std::vector<Block> averaging_matrices(const LinkSequence& links, double s);

/// The push-sum weights of a period, which all others approach: C_p ... C_1 v = v, sum v = n.
std::vector<Vector> periodic_weights(const std::vector<Block>& C);

/// The proven limit of alpha L where networks take turns, directed or not: one over the largest eigenvalue of
/// the Hermitian part over all frequencies: a grid as fine as the gap asks for, and a finer one around the
/// worst of it.
double limit_in_turn(const LinkSequence& links, double s, double gap, Tracking kind);

}  // namespace ideal
