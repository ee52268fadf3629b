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
            .meets = {Demand::no_dual_oracle, Demand::merely_convex, Demand::composite},
            .local = true};
  }

  void parameters(Fields& fields) {
    fields.number("step", step, range::positive, "step alpha, below 2/L on any graph; auto: 1/L");
    fields.number("step-scale", step_scale, range::positive, "multiplies the default step");
  }

  std::string be_careful() { return half_the_step(step, step_scale); }

  Block operator()(Objective& F, Mixing& W, Run& run, Block X) const {
    const double s = doubly_stochastic_scale(W.spectrum());
    const double alpha = run.uses("step", step.value_or(step_scale / F.L()));

    Block P = X;  // X- - alpha g-; before the start such that the general step is the first one
    Block Z = X, V = X;
    Index k = 0;

    run.keep(X, P, k, Z);
    while (run.more(X)) {
      F.gradient(X, [&](auto own, const auto& G) {
        own(V) = own(X) - own(P) + (own(X) - alpha * G);
        own(P) = own(X) - alpha * G;
      });
      const auto take = [&](auto own, const auto& WV) {
        if (F.composite()) {
          own(Z) = own(Z) - own(X) + own(V) - s / 2 * WV;
          own(X) = F.prox(own(Z), alpha);
        } else {  // Z would be X, so that it is not kept up to date
          own(X) = own(V) - s / 2 * WV;
        }
      };
      if (k == 0)  // not averaged
        W.locally(X, [&](auto own) { take(own, Part::Zero(own.count())); });
      else
        W.mix(V, take);
      ++k;
    }
    return X;
  }
};

}  // namespace

Method make::nids() { return Method::of(Nids{}); }

}  // namespace ideal
