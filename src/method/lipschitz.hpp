// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/method.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <fmt/format.h>

namespace ideal {

/// What methods of subgradients scale their steps by.
struct Extent {
  double G = 0;  ///< no subgradient is longer in the ball of radius R
  double R = 0;  ///< the optimum is no further from the start
};

/// As the losses tell, for R as given or a bound on it. Let each loss be convex without its (l2/2) |x|^2, and
/// then nowhere below b_i: at the optimum these parts have gradients of mean -l2 x*, so that convexity, from
/// there to 0, gives l2 |x*|^2 <= mean f_i(0) - b_i, and l2 |x*| <= G. Without l2 the optimum may be
/// anywhere: R is then a guess, at which margins are of size ten, and the run says so. Losses that do not
/// know G, if it is not told: how steep they are where the run starts, and L R more in the ball. Counted: a
/// value or a gradient of F, and a flood or two.
inline Extent extent(Objective& F, Mixing& W, Run& run, const Block& X, std::optional<double> R,
                     const std::optional<double>& told_G) {
  const double l2 = F.own_l2();
  Block known(3, X.cols());
  known.row(0) = F.lipschitz().transpose();
  known.row(1) = X.colwise().norm();
  known.row(2).setConstant(std::numeric_limits<double>::infinity());
  if (l2 > 0 && !R) known.row(2) = (F.values(Block::Zero(X.rows(), X.cols())) - F.lower_bounds()).transpose();
  const Vector most = W.maxima(known);
  const double G = told_G.value_or(most[0]), from_zero = most[1],
               by_values = from_zero + std::sqrt(most[2] / l2);
  const auto guess = [&](double far) {
    run.note(fmt::format(
        "How far the optimum is follows from nothing known here; the steps are for a distance of {:.3g}, a "
        "guess. Set radius if you know better.",
        far));
    return far;
  };

  if (std::isfinite(G) && G > 0) {
    if (!R) R = l2 > 0 ? std::min(by_values, from_zero + G / l2) : guess(10 / G);
    return {G + l2 * *R, *R};
  }
  const double steepest = W.maximum(F.gradient(X).colwise().norm().transpose());
  if (!(steepest > 0)) return {1, R.value_or(1 / F.L())};
  if (!R) R = F.mu() > 0 ? std::min(by_values, steepest / F.mu()) : guess(steepest / F.L());
  return {steepest + F.L() * *R, *R};
}

inline void extent_parameters(Fields& fields, std::optional<double>& radius,
                              std::optional<double>& lipschitz) {
  fields.number("radius", radius, range::positive,
                "R, how far from the start the optimum is at most; auto, with an l2 term: |x_0| + "
                "min(sqrt(max_i f_i(0)/l2), G/l2), which is proven (one more computation, once); without: "
                "10/G, a guess, and the run says so");
  fields.number("lipschitz", lipschitz, range::positive,
                "G, the length of the longest subgradient in that ball; auto: as the losses know it "
                "(flooded, and counted), else |grad f_i(x_0)| + L R");
}

}  // namespace ideal
