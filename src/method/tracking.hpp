// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/method.hpp>

#include <array>
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

/// log10 of the step as published: Qu and Li (2018), mu/L^2 ((1 - sigma)/6)^2, on one undirected network;
/// Nedic, Olshevsky and Shi (2017), the step with the best rate of Theorem 10 on one that changes, of Theorem
/// 18 for push-sum. Their mu is the mean of all mu_i. Here it is the smallest, which every host knows: losses
/// are strongly convex with any smaller mu, too, so that the theorems hold, and the steps are shorter.
double log10_of_published_step(const Objective& F, const Mixing& W, Tracking kind);

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

 private:
  /// Throws InputError where the theorem does not apply, or its step is no number a computer has.
  [[nodiscard]] static double published(const Objective& F, const Mixing& W, Tracking kind);
};

}  // namespace ideal
