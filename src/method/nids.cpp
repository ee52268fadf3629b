// SPDX-License-Identifier: Apache-2.0
#include "method/gossip.hpp"
#include "method/registry.hpp"
#include "method/steps.hpp"

namespace ideal {

namespace {

struct Nids {
  std::optional<double> step;  ///< 1 / L
  double step_scale = 1;

  static About about() {
    return {.name = "nids",
            .family = "gradient",
            .summary = "network-independent steps: EXTRA that also averages its gradient correction",
            .rule =
                "Z_1 = X_0 - alpha g_0;  Z+ = Z - X + (I + W_DS)/2 (2X - X- - alpha (g - g-));  "
                "X = prox(Z), Z itself without regulariser",
            .cost = "(1, 1)",
            .rate = "(kappa_f + kappa_W) log(1/eps)",
            .assumptions = "f_i convex and smooth, f strongly convex for the linear rate",
            .citation =
                "Li, Shi, Yan. A decentralized proximal-gradient method with network independent step-sizes "
                "and separated convergence rates. IEEE Trans. Signal Process. 2019",
            .meets = {Demand::no_dual_oracle, Demand::merely_convex, Demand::composite}};
  }

  void parameters(Fields& fields) {
    fields.number("step", step, range::positive, "step alpha, below 2/L on any graph; auto: 1/L");
    fields.number("step-scale", step_scale, range::positive, "multiplies the default step");
  }

  std::string be_careful() { return half_the_step(step, step_scale); }

  Block operator()(Objective& F, Mixing& W, Run& run, Block X) const {
    const double s = doubly_stochastic_scale(W.spectrum());
    const double alpha = run.uses("step", step.value_or(step_scale / F.L()));

    // Before the start they are such that the general step is the first one, but for the averaging.
    Block X_prev = X, G_prev = Block::Zero(X.rows(), X.cols());
    Block Z = X, V = X;
    Index k = 0;

    run.keep(X, X_prev, G_prev, k, Z);
    while (run.more(X)) {
      const Block& G = F.gradient(X);
      W.locally(X, [&](auto own) {
        own(V) = 2 * own(X) - own(X_prev) - alpha * (own(G) - own(G_prev));
        own(X_prev) = own(X);
        own(G_prev) = own(G);
      });
      const Block& WV = k == 0 ? W.common(V) : W.mix(V);  // the first is not averaged
      W.locally(X, [&](auto own) {
        own(Z) = own(Z) - own(X) + own(V) - s / 2 * own(WV);
        own(X) = F.prox(own(Z), alpha);
      });
      ++k;
    }
    return X;
  }
};

}  // namespace

Method make::nids() { return Method::of(Nids{}); }

}  // namespace ideal
