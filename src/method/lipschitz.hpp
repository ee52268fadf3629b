// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/method.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

namespace ideal {

/// What methods of subgradients scale their steps by.
struct Extent {
  double G = 0;  ///< no subgradient is longer
  double R = 0;  ///< about how far the optimum is
};

/// An R at which margins are of size ten, but no larger than strong convexity has it for losses of size one.
inline double radius_for(const Objective& F, double G) {
  return F.mu() > 0 ? std::min(10 / G, std::sqrt(2 / F.mu())) : 10 / G;
}

/// G as it was told or as the losses tell it, and an R for it. Losses that do not know: G is how steep they
/// are where the run starts, and R is a gradient step away. Counted: a flood unless it was told, in the last
/// case a gradient and another flood.
inline Extent extent(Objective& F, Mixing& W, const Block& X, const std::optional<double>& told_G) {
  if (told_G) return {*told_G, radius_for(F, *told_G)};
  if (const double known = W.maximum(F.lipschitz()); std::isfinite(known) && known > 0)
    return {known, radius_for(F, known)};
  const double steepest = W.maximum(F.gradient(X).colwise().norm().transpose());
  return steepest > 0 ? Extent{steepest, steepest / F.L()} : Extent{1, 1 / F.L()};
}

inline void extent_parameters(Fields& fields, std::optional<double>& radius,
                              std::optional<double>& lipschitz) {
  fields.number("radius", radius, range::positive,
                "R, about how far the optimum is; auto: 10/G, at most sqrt(2/mu)");
  fields.number("lipschitz", lipschitz, range::positive,
                "G, the length of the longest subgradient without its l2 term; auto: as the losses know it "
                "(flooded, and counted), else G of the start and R = G/L");
}

}  // namespace ideal
