// SPDX-License-Identifier: Apache-2.0
#include "method/tracking_published.hpp"

#include "method/averaging_window.hpp"
#include "method/gossip.hpp"
#include "method/tracking_in_turn.hpp"

#include <ideal/error.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace ideal {

namespace {

constexpr double least_power = -300;  // of ten: a shorter step is no number that a computer has

/// With a = alpha mu/1.5, Theorems 10 and 18 promise the rates (1 - a)^(1/2B) for short steps and
/// (sqrt(a J) + delta)^(1/B) for longer ones, which is 1 at the open end a = (1 - delta)^2/J. This is the a
/// where they are equal: the longest step with the first rate, and the best rate of this B.
double share_where_rates_meet(double J, double delta) {
  const double root = (std::sqrt(J + 1 - delta * delta) - delta * std::sqrt(J)) / (J + 1);
  return root * root;
}

/// Of all windows of B steps, which leave delta of what agents differ by, the one that allows the longest
/// step.
double theorem_10(const LinkSequence& links, double s, double mu, double kappa) {
  const auto n = static_cast<double>(links.agents());
  AveragingWindow window(links, s);
  double longest = 0;
  for (double B = 1; B <= AveragingWindow::longest(links); ++B) {
    const double delta = window.longer(), J = 3 * kappa * B * B * (1 + 4 * std::sqrt(n * kappa));
    longest = std::max(longest, 1.5 / mu * share_where_rates_meet(J, delta));
  }
  return longest;
}

InputError no_theorem(std::string_view what, std::string_view rule) {
  return {"--set theory=published", std::string(what), std::string(rule), "Use theory=proven."};
}

/// log10 of the step of Theorem 18 for push-sum weights of at least 1; t = n^-((2 + n B0) n B0) makes no
/// number that a computer has. Where J is so large, the rates meet at (1 - delta)^2/J but for 1/J of it.
double log10_of_theorem_18(double n, double B0, double mu, double kappa) {
  const double steps = n * B0, log_t = -(2 + steps) * steps * std::log10(n), t = std::pow(10, log_t);
  const double log_Q1 = std::log10(2 * n * (1 + t) / (1 - t)) - log_t, ln_Q1 = log_Q1 * std::numbers::ln10;
  // Any B with delta = Q1 (1 - t)^((B - 1)/(n B0)) < 1 will do. B grows with ln(Q1/delta), J with its square:
  // (1 - delta)/ln(Q1/delta) is largest at this fixed point.
  double delta = 0.5;
  for (int k = 0; k < 20; ++k) delta = 1 / (1 + ln_Q1 - std::log(delta));
  const double decay = t > 0 ? -std::log1p(-t) / t : 1;
  const double log_less_one = std::log10(steps * (ln_Q1 - std::log(delta)) / decay) - log_t;
  const double log_B = log_less_one + std::log10(1 + 2 * std::pow(10, -log_less_one));  // rounded up
  // delta + Q1 (B - 1) is at most Q1 B.
  const double log_J =
      std::log10(3 * kappa * (1 + std::sqrt(n)) * (1 + 4 * std::sqrt(n * kappa))) + 2 * log_Q1 + 2 * log_B;
  return std::log10(1.5 / mu * (1 - delta) * (1 - delta)) - log_J;
}

/// The smallest push-sum weight of any agent at any step, or a little less. C v sums to what v does and has
/// no negative shares, so that the distance to the weights that repeat themselves, as sum of absolute values,
/// never grows: once it is small no later weight is smaller than these by more.
double least_weight_ever(const LinkSequence& links, double s) {
  const std::vector<Block> C = averaging_matrices(links, s);
  const std::vector<Vector> repeating = periodic_weights(C);
  double rest = 1;
  for (const Vector& v : repeating) rest = std::min(rest, v.minCoeff());

  Vector v = Vector::Ones(links.agents());
  double least = 1;
  for (std::size_t k = 0;; k = (k + 1) % C.size()) {
    const double apart = (v - repeating[k]).lpNorm<1>();
    least = std::min(least, v.minCoeff());
    if (apart < 1e-3 * rest) return std::min(least, rest - apart);
    v = C[k] * v;
  }
}

/// Every B~ graphs in turn are strongly connected together, and so are any B0 = 2 B~ - 1.
double log10_of_push_sum_step(const LinkSequence& links, double s, double mu, double kappa) {
  const auto n = static_cast<double>(links.agents());
  const double B0 = 2 * static_cast<double>(links.in_turn().size()) - 1;
  const double power = log10_of_theorem_18(n, B0, mu, kappa);
  // Only few agents have a step that is a number. For others the publication's bound on weights will do.
  return power + (power < least_power ? -n * B0 * std::log10(n) : std::log10(least_weight_ever(links, s)));
}

/// What keeps the published theorems from telling a step.
std::optional<InputError> why_unpublished(const Objective& F, const Mixing& W, Tracking kind) {
  const LinkSequence* links = W.links();
  if (!(F.mu() > 0)) return no_theorem("losses not known to be strongly convex", "its steps have mu in them");
  if (links && links->awake() < 1)
    return no_theorem("edges that wake at random",
                      "Theorems 10 and 18 have graphs that are connected every B steps");
  if (kind == Tracking::pushed && !(links && links->directed()))
    return no_theorem("the weights of an undirected network",
                      "in Theorem 18 an agent shares evenly among itself and its listeners");
  if (kind == Tracking::pushed && W.agents() == 1)
    return no_theorem("a single agent", "the constants of Theorem 18 are infinite there");
  return {};
}

double log10_of_step(const Objective& F, const Mixing& W, Tracking kind) {
  const double L = F.L(), mu = F.mu();
  const Spectrum spectrum = W.spectrum();
  if (const LinkSequence* links = W.links()) {
    const double s = spectrum.averaging_scale();
    return kind == Tracking::pushed ? log10_of_push_sum_step(*links, s, mu, L / mu)
                                    : std::log10(theorem_10(*links, s, mu, L / mu));
  }
  const double gap = 1 - averaging_factor(spectrum);
  return std::log10(mu / (L * L) * gap * gap / 36);
}

}  // namespace

double published_step(const Objective& F, const Mixing& W, Tracking kind) {
  if (const std::optional<InputError> why = why_unpublished(F, W, kind)) throw *why;
  const double power = log10_of_step(F, W, kind);
  if (power < least_power)
    throw no_theorem(fmt::format("a step of 10^{:.0f}", power),
                     "no computer has such a number; Theorem 18 has more than n^(n^2) in it");
  return std::pow(10, power);
}

std::optional<double> published_step_worth_telling(const Objective& F, const Mixing& W, Tracking kind) {
  constexpr Index most_agents = 64;
  const bool has_one = kind != Tracking::adapted && !why_unpublished(F, W, kind);
  if (!has_one || (W.links() && W.agents() > most_agents)) return {};
  const double power = log10_of_step(F, W, kind);
  if (!(power >= least_power)) return {};
  return std::pow(10, power);
}

}  // namespace ideal
