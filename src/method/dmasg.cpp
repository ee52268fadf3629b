// SPDX-License-Identifier: Apache-2.0
#include "method/at_once.hpp"
#include "method/lazy_averaging.hpp"
#include "method/nesterov.hpp"
#include "method/registry.hpp"
#include "method/steps.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace ideal {

namespace {

struct Dmasg {
  std::optional<double> step;  ///< lambda_min(W_p) / L
  double step_scale = 1;
  double p = 1;
  std::optional<Index> T;      ///< ceil(sqrt(1 / (step mu)) ln 2^(p+2))
  std::optional<Index> first;  ///< 2 T
  Index batch = 32;

  static About about() {
    return {
        .name = "dmasg",
        .family = "stochastic",
        .summary = "multistage D-ASG: ever longer stages with ever smaller steps, which reach the optimum",
        .rule =
            "stage s = 1, 2, ... is 2^s T steps of D-ASG from the last iterate, momentum anew, with alpha_1 "
            "= alpha, alpha_s = alpha/4^s and beta_s = nest(1/(alpha_s mu))",
        .cost = "(batch/rows, 1)",
        .rate =
            "(T/k)^(p+1) in the start's error, sigma^2/k in the noise's, 1/k^4 in the network's; "
            "exp(-k/sqrt(kappa)) for the start's takes a first stage that is a share of a budget known "
            "beforehand",
        .assumptions = "f_i strongly convex and smooth; unbiased gradients of bounded variance",
        .citation =
            "Fallah, Gurbuzbalaban, Ozdaglar, Simsekli, Zhu. Robust distributed accelerated stochastic "
            "gradient "
            "methods for multi-agent networks. JMLR 2022 (arXiv 1910.08701); stages as in Aybat, Fallah, "
            "Gurbuzbalaban, Ozdaglar. A universally optimal multistage accelerated stochastic gradient "
            "method. NeurIPS 2019; proof: docs/decisions/020",
        .linear = false};
  }

  void parameters(Fields& fields) {
    fields.number("step", step, range::positive, "step alpha of the first stage; auto: lambda_min(W_p)/L");
    fields.number("step-scale", step_scale, range::positive, "multiplies the default step");
    fields.number("p", p, Range{1, 100, false, false, "a number in [1, 100]"},
                  "each stage shrinks what is left of the start's error by 2^-(p+2)");
    fields.number("T", T, range::count, "stage s has 2^s T steps; auto: ln 2^(p+2) / sqrt(alpha mu)");
    fields.number("first", first, range::count,
                  "steps of the first stage, as many as it takes to forget the start; auto: 2 T");
    fields.number("batch", batch, range::count, "rows of a gradient");
  }

  static bool stochastic() { return true; }

  Block operator()(Objective& F, Mixing& W, Run& run, Block X) const {
    const LazyAveraging average(W.spectrum());
    const double alpha = run.uses("step", step.value_or(step_scale * average.smallest / F.L()));
    const double kappa = std::max(1.0, 1 / (alpha * F.mu()));
    const auto T0 = static_cast<double>(
        run.uses("T", T ? *T : whole_steps(std::sqrt(kappa) * (p + 2) * std::numbers::ln2, "T")));
    const double first_steps = static_cast<double>(first.value_or(static_cast<Index>(2 * T0)));
    run.uses("batch", batch);

    Block Y = X;
    Index k = 0, t = 0, stage = 1;

    run.keep(X, Y, k, t, stage);
    while (run.more(X)) {
      const double shrinks = stage == 1 ? 1 : std::pow(4, -static_cast<double>(stage));
      const double alpha_s = alpha * shrinks, beta_s = nest(kappa / shrinks);
      const Both at_Y = at_once(W, Y, k == 0, [&]() -> const Block& { return F.gradient(Y, batch, k); });
      const Block &G = at_Y.gradient, &WY = at_Y.mixed;
      ++k;
      const double steps = stage == 1 ? first_steps : T0 * std::pow(2, static_cast<double>(stage));
      const bool ends = static_cast<double>(++t) >= steps;
      W.locally(X, [&](auto own) {
        const Part X_next = own(Y) - average.s * own(WY) - alpha_s * own(G);
        own(Y) = X_next + (ends ? 0 : beta_s) * (X_next - own(X));
        own(X) = X_next;
      });
      if (!ends) continue;
      ++stage;
      t = 0;
    }
    return X;
  }
};

}  // namespace

Method make::dmasg() { return Method::of(Dmasg{}); }

}  // namespace ideal
