// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/method.hpp>

#include <optional>
#include <string>

namespace ideal {

/// Methods that track the mean gradient differ in what W_DS is applied to.
enum class Tracking {
  combined,  ///< X+ = P X - alpha S,     S+ = P S + g+ - g     (DIGing)
  pushed,    ///< X+ = P (X - alpha S),   S+ = P S + g+ - g     (Push-DIGing, where P is symmetric)
  adapted    ///< X+ = P (X - alpha S),   S+ = P (S + g+ - g)   (ATC-DIGing)
};

/// The alpha L below which such a method converges, linearly where losses are strongly convex, proven in
/// docs/decisions/019 for any convex losses: on one undirected network the very largest there is; where
/// networks take turns or are directed, by a frequency inequality that is evaluated here; where edges wake at
/// random, in mean square. None where there is no proof: directed edges that wake at random, or a network too
/// large for the evaluation.
std::optional<double> proven_limit(const Mixing& W, Tracking kind);

/// The step of a method that tracks gradients, and where it comes from.
struct TrackingStep {
  enum class Theory { proven, published, measured };

  std::optional<double> step;
  double scale = 1;
  Theory theory = Theory::proven;

  void parameters(Fields& fields, std::string_view formula);
  void choose_theory(Fields& fields);  ///< where there is a published step, too

  /// 0.8 of the limit over L, at most (1 - sigma) sqrt(kappa_f)/L, beyond which poor networks become slower;
  /// without a limit, what was stable in measurements, and a note to say so.
  [[nodiscard]] double operator()(const Objective& F, const Mixing& W, Run& run, Tracking kind) const;
};

}  // namespace ideal
