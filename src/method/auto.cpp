// SPDX-License-Identifier: Apache-2.0
#include "method/registry.hpp"
#include "method/single_loop.hpp"
#include "method/single_loop_tuning.hpp"

#include <ideal/error.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

namespace ideal {

namespace {

/// tau as this run's own first rounds and curvatures show it, agreed on by all.
double measured_tau(const Objective& F, Mixing& W, const Meter& spent, Index agents_here) {
  const double computing = F.seconds() / spent.computations;
  const double mixing = W.seconds() / static_cast<double>(spent.communications);
  const Vector all = W.total(Vector{{computing, mixing}}.replicate(1, agents_here));
  return all[1] / all[0];
}

struct Candidate {
  std::string name;
  double time;  ///< to shrink the gap tenfold
};

/// What each would take, by its rate: of ideal1 the one predicted by its tuning, of the others that of their
/// theory with the constants that were measured for them.
std::vector<Candidate> candidates(const Beliefs& beliefs, double tau, double sigma) {
  const double kappa_f = beliefs.kappa_f(), kappa_W = beliefs.W.kappa();
  const double tenfold = std::numbers::ln10 / 2;
  const auto J = static_cast<double>(Chebyshev::default_degree(kappa_W));
  const Degree best = best_degree(kappa_f, kappa_W, tau, sigma);
  return {{fmt::format("ideal1 with J = {}", best.J), tenfold * best.time},
          {fmt::format("opapc with J = {}", J), tenfold * (1 + tau * J) * 1.5 * std::sqrt(kappa_f)},
          {"apapc", tenfold * (1 + tau) * std::max(std::sqrt(kappa_f * kappa_W), kappa_W)},
          {"nids", tenfold * (1 + tau) * (kappa_f + kappa_W)}};
}

struct Auto {
  std::optional<double> tau = 1;
  std::optional<double> L, mu, lambda_max, lambda_min;
  double sigma = SingleLoop::Options{}.sigma;

  static About about() {
    return {
        .name = "auto",
        .family = "augmented Lagrangian",
        .summary =
            "nothing to choose: finds out L, mu, the network's spectrum and tau, and runs ideal1 tuned for "
            "them",
        .rule =
            "ideal1 after 3 power steps on each agent's Hessian and a flood of the largest; Chebyshev "
            "moments "
            "of W ride on the first iterations' messages; nids, which is ideal1 with b = 0 and c = eta = "
            "1/2, "
            "where the run shows it to be faster",
        .cost =
            "(1, J), after (3, diameter) at the start, or (3, 2 diameters + 2 radii + 4) where vectors are "
            "shorter than 14",
        .rate = "as ideal1",
        .assumptions = "smooth and strongly convex losses, undirected connected network",
        .citation = "docs/auto.md",
        .certifies = true};
  }

  void parameters(Fields& fields) {
    fields.number("tau", tau, range::nonnegative, "time of a round in units of a gradient's; auto: measured");
    fields.number("L", L, range::positive, "largest curvature at the start; auto: found out");
    fields.number("mu", mu, range::positive, "strong convexity; auto: what agents know without their data");
    fields.number("lambda-max", lambda_max, range::positive, "largest eigenvalue of W; auto: found out");
    fields.number("lambda-min", lambda_min, range::positive, "smallest positive one; auto: found out");
    fields.number("sigma", sigma, {0, 1, true, false, "a number in (0, 1]"},
                  "how much the agents' Hessians may differ, to begin with");
  }

  Block operator()(Objective& F, Mixing& W, Run& run, Block X) const {
    SingleLoop::Options options{.tau = tau.value_or(1),
                                .sigma = sigma,
                                .switches = true,
                                .knows_directions = true,
                                .survey = Survey::possible(W),
                                .lambda_max = lambda_max,
                                .lambda_min = lambda_min,
                                .explain = [this](Run& now, const Beliefs& known, double told_tau) {
                                  explain(now, known, told_tau);
                                }};
    Beliefs beliefs;
    Block directions = X;
    if (!run.resumes()) {
      beliefs = find_out(F, W, X, directions);
      if (!options.survey) beliefs.W = W.spectrum();
      beliefs.L = L.value_or(beliefs.L);
      beliefs.mu = std::min(mu.value_or(beliefs.mu), beliefs.L);
      if (!tau) options.tau = measured_tau(F, W, run.spent(), X.cols());
    }
    return SingleLoop(F, W, beliefs, options, std::move(X), std::move(directions))(run);
  }

  void check() const {
    const auto ordered = [](std::string_view small, const std::optional<double>& least,
                            std::string_view large, const std::optional<double>& most) {
      if (least && most && *least > *most)
        throw InputError(fmt::format("--set {}", small), fmt::format("{}", *least),
                         fmt::format("at most {}, here {}", large, *most),
                         "Leave both out to have them found out.");
    };
    ordered("lambda-min", lambda_min, "lambda-max", lambda_max);
    ordered("mu", mu, "L", L);
  }

  void explain(Run& run, const Beliefs& beliefs, double told_tau) const {
    const Meter& spent = run.spent();
    run.note(fmt::format(
        "found out within {} computations and {} rounds: L = {:.4g}, mu = {:.4g}, lambda = {:.4g} ... "
        "{:.4g}; tau = {:.3g}",
        spent.computations, spent.communications, beliefs.L, beliefs.mu, beliefs.W.lambda_min,
        beliefs.W.lambda_max, told_tau));
    const auto all = candidates(beliefs, told_tau, sigma);
    std::string text = "predicted time for a tenth of the gap:";
    for (const auto& [name, time] : all) text += fmt::format(" {} {:.3g},", name, time);
    run.note(fmt::format("{} so {}", text, all.front().name));
  }
};

}  // namespace

Method make::automatic() { return Method::of(Auto{}); }

}  // namespace ideal
