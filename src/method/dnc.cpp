// SPDX-License-Identifier: Apache-2.0
#include "method/gossip.hpp"
#include "method/registry.hpp"
#include "method/steps.hpp"

#include <cmath>

namespace ideal {

namespace {

struct Dnc {
  std::optional<double> step;  ///< 1 / (2L)
  double step_scale = 1;

  static About about() {
    return {.name = "dnc",
            .family = "gradient",
            .summary = "distributed Nesterov gradient with more and more consensus rounds",
            .rule =
                "X_k = W_DS^tx (Y - alpha g(Y));  Y+ = W_DS^ty (X_k + (k-1)/(k+2) (X_k - X_{k-1}));  "
                "tx = ceil(2 ln k/-ln sigma),  ty = ceil((ln 3 + 2 ln k)/-ln sigma),  sigma = |W_DS - 11'/n|",
            .cost = "(1, tx + ty), k = 1, 2, ...",
            .rate = "1/k^2 after k iterations, which take k log(k)/(1 - sigma) communications",
            .assumptions = "f_i convex and smooth with bounded gradients",
            .citation = "Jakovetic, Xavier, Moura. Fast distributed gradient methods. IEEE TAC 2014",
            .meets = {Demand::no_dual_oracle, Demand::merely_convex},
            .linear = false};
  }

  void parameters(Fields& fields) {
    fields.number("step", step, range::positive, "step alpha; auto: 1/(2L)");
    fields.number("step-scale", step_scale, range::positive, "multiplies the default step");
  }

  Block operator()(Objective& F, Mixing& W, Run& run, Block X) const {
    const double s = doubly_stochastic_scale(W.spectrum());
    const double forgetting = -std::log(averaging_factor(W.spectrum()));  // infinite on a complete graph
    const double alpha = run.uses("step", step.value_or(step_scale / (2 * F.L())));
    const auto average = [&](Block& Z, double logarithm) {
      const Index rounds = logarithm > 0 ? whole_steps(logarithm / forgetting, "step") : 0;
      for (Index round = 0; round < rounds; ++round) {
        const Block& WZ = W.mix(Z);
        W.locally(Z, [&](auto own) { own(Z) -= s * own(WZ); });
      }
    };

    Block X_prev = X, Y = X;
    Index k = 1;

    run.keep(X, X_prev, Y, k);
    while (run.more(X)) {
      const auto now = static_cast<double>(k);
      const Block& G = F.gradient(Y);
      W.locally(X, [&](auto own) {
        own(X_prev) = own(X);
        own(X) = own(Y) - alpha * own(G);
      });
      average(X, 2 * std::log(now));
      W.locally(X, [&](auto own) { own(Y) = own(X) + (now - 1) / (now + 2) * (own(X) - own(X_prev)); });
      average(Y, std::log(3.0) + 2 * std::log(now));
      ++k;
    }
    return X;
  }
};

}  // namespace

Method make::dnc() { return Method::of(Dnc{}); }

}  // namespace ideal
