// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/block.hpp>

namespace ideal {

/// What a run has cost so far. Written by Objective (computations) and Network (communications, bytes) and by
/// nobody else.
struct Meter {
  double computations = 0;   ///< gradients of F; a mini-batch counts as its share of the rows
  Index communications = 0;  ///< rounds: one vector exchanged with every neighbour
  Index bytes = 0;           ///< payload sent by the hosted agents

  /// Simulated time when a gradient takes one unit and a round tau units.
  [[nodiscard]] double time(double tau) const {
    return computations + tau * static_cast<double>(communications);
  }
  bool operator==(const Meter&) const = default;
};

}  // namespace ideal
