// SPDX-License-Identifier: Apache-2.0
#include "method/single_loop_tuning.hpp"

#include <ideal/mixing.hpp>

#include <algorithm>
#include <cmath>

namespace ideal {

namespace {

// The agents' differences hide how far the mean has come: where rounds are cheap, so much is paid for fewer.
constexpr double for_better_mixing = 0.04, well_mixed = 1.2;

double kappa_of_degree(double kappa_W, Index J) {
  if (kappa_W - 1 < 1e-9) return 1;
  const double ripple = 1 / std::cosh(static_cast<double>(J) * std::acosh((kappa_W + 1) / (kappa_W - 1)));
  return (1 + ripple) / (1 - ripple);
}

}  // namespace

Tuning tuning(double kappa_f, double kappa_M, double sigma) {
  const double root = std::sqrt(kappa_f);
  const bool near = kappa_M * sigma <= 1.55;  // mixing so good that differences do no harm
  constexpr double s = 0.8;                   // of the dual step that commuting modes bear
  double c = 1.1;
  if (root < 1.001)
    return {.momentum = 0, .penalty = c, .dual_step = s * c * c / kappa_M, .iterations = kappa_M};

  // How much slower than centralized acceleration consensus makes the mean: by what commuting modes allow,
  // and by differences.
  const double a = c * root / kappa_M, under = a * a + 4 * (kappa_M / (s * c) - 1);
  const double commuting = under > 0 ? (std::sqrt(under) - a) / 2 : 0;
  const double slower =
      std::min(std::max({1.0, commuting, near ? 0 : sigma * std::sqrt(kappa_M)}), 0.999 * root);

  // The momentum that gives the mean's slowest mode this root; for slower = 1 Nesterov's.
  const double r = 1 - 1 / (slower * root);
  const double b = r * (1 - r / (1 - 1 / kappa_f)) / (1 - r), damping = 1 - b;
  const double eta = std::min(s * c * (c / kappa_M + damping), near ? 0.6 : damping / (sigma * sigma));
  c = std::min(c, (1 + (1 - 0.6 * eta) / (1 + 2 * b)) / 1.2);  // stable with lambda_max 20 % too small

  // Nesterov's momentum makes a double root, whose factor of k takes as long as this leaves out.
  constexpr double single_root = 0.75;
  return {.momentum = b,
          .penalty = c,
          .dual_step = eta,
          .iterations = std::max(root, single_root * std::max(slower * root, kappa_M / eta))};
}

Tuning nids_tuning(double kappa_f, double kappa_M) {
  return {.momentum = 0, .penalty = 0.5, .dual_step = 0.5, .iterations = std::max(kappa_f, 2 * kappa_M)};
}

Degree best_degree(double kappa_f, double kappa_W, double tau, double sigma) {
  const auto cost = [&](Index J) { return 1 + tau * static_cast<double>(J); };
  const auto time = [&](Index J) {
    return cost(J) * tuning(kappa_f, kappa_of_degree(kappa_W, J), sigma).iterations;
  };
  const Index most = 4 * Chebyshev::default_degree(kappa_W);
  Index best = 1;
  for (Index J = 2; J <= most; ++J)
    if (time(J) < time(best)) best = J;
  const double affordable = (1 + for_better_mixing) * cost(best), soon = (1 + for_better_mixing) * time(best);
  while (best < most && cost(best + 1) <= affordable && time(best + 1) <= soon &&
         kappa_of_degree(kappa_W, best) > well_mixed)
    ++best;
  return {best, time(best)};
}

}  // namespace ideal
