// SPDX-License-Identifier: Apache-2.0
#include "method/tracking.hpp"

#include "method/gossip.hpp"
#include "method/tracking_at_random.hpp"
#include "method/tracking_in_turn.hpp"
#include "method/tracking_published.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace ideal {

namespace {

/// With one symmetric P, eigenvalue p answers a gradient (scaled by alpha) by -p^j (z - 1)/(z - p)^2, j = 0,
/// 1, 2 for the three methods. The least real part of (z - 1)/(z - p)^2 on |z| = 1 is -2/(1 + p)^2, at z =
/// -1; for p < 0 and j = 1 it is the largest that counts. p = 1 is gradient descent: 2.
double limit_of_eigenvalue(double p, Tracking kind) {
  const double reflected = (1 + p) * (1 + p) / 2;
  if (kind == Tracking::combined) return reflected;
  if (p >= 0) return 2;
  if (kind == Tracking::adapted) return std::min(2.0, reflected / (p * p));
  const double c = (1 + p * (7 + p * (1 - p))) / (2 * (2 + p * (1 + p)));  // cosine of the worst frequency
  const double distance = 1 + p * p - 2 * p * c;
  return std::min(2.0, distance * distance / (-p * (1 - c) * (2 * c + 1 - 2 * p - p * p)));
}

double smallest_eigenvalue(const Spectrum& W) { return 1 - doubly_stochastic_scale(W) * W.lambda_max; }

}  // namespace

std::optional<double> proven_limit(const Mixing& W, Tracking kind) {
  const LinkSequence* links = W.links();
  const Spectrum spectrum = W.spectrum();
  if (!links) return limit_of_eigenvalue(smallest_eigenvalue(spectrum), kind);

  constexpr Index largest_response = 120;
  const Index n = links->agents(), period = std::ssize(links->in_turn());
  if (links->awake() == 1 && n * period <= largest_response)
    return limit_in_turn(*links, spectrum.averaging_scale(), 1 - W.averaging()->factor, kind);
  if (links->directed()) return {};
  return limit_at_random(*links, spectrum, kind);
}

void TrackingStep::parameters(Fields& fields, std::string_view formula) {
  fields.number("step", step, range::positive, formula);
  fields.number("step-scale", scale, range::positive, "multiplies the default step");
}

void TrackingStep::choose_theory(Fields& fields) {
  static const std::array<std::string, 3> theories{"proven", "published", "measured"};
  fields.choice("theory", theory, theories,
                "where the default step is from: proven, a theorem of docs/decisions/019; published, a far "
                "smaller one; measured, what diverged nowhere tried: 0.4 (1 + min(0, lambda_min(W_DS)))^2/L, "
                "0.4 (1 - sigma)/L on a network that changes, min(0.4, 2 (1 - sigma)^2, min v/2)/L on one "
                "that is directed");
}

double TrackingStep::operator()(const Objective& F, const Mixing& W, Run& run, Tracking kind) const {
  if (step) return run.uses("step", *step);
  if (theory == Theory::published) return run.uses("step", scale * published_step(F, W, kind));

  if (const auto published = published_step_worth_telling(F, W, kind)) run.uses("published-step", *published);

  const std::optional<Averaging> averaging = W.averaging();
  const double gap = 1 - (averaging ? averaging->factor : averaging_factor(W.spectrum()));
  const double slows = gap * std::sqrt(F.kappa());
  const std::optional<double> limit = proven_limit(W, kind);
  if (limit) run.uses("proven-below", *limit / F.L());
  if (limit && theory == Theory::proven)
    return run.uses("step", scale * std::min(0.8 * *limit, slows) / F.L());
  if (theory == Theory::proven)
    run.note(
        "No theorem tells how long a step may be here (docs/decisions/019); it is one that was stable in "
        "measurements.");
  const double share = averaging ? measured_tracking_share(*averaging) : tracking_share(W.spectrum());
  return run.uses("step", scale * 0.4 * share / F.L());
}

}  // namespace ideal
