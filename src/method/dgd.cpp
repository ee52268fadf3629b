// SPDX-License-Identifier: Apache-2.0
#include "method/at_once.hpp"
#include "method/gossip.hpp"
#include "method/registry.hpp"

#include <cmath>

namespace ideal {

namespace {

struct Dgd {
  std::optional<double> step;  ///< (1 + lambda_min(W_DS)) / (2L)
  double step_scale = 1;
  double decay = 0;

  static About about() {
    return {.name = "dgd",
            .family = "gradient",
            .summary = "decentralized gradient descent; with a constant step it stops short of the optimum",
            .rule = "X+ = W_DS X - alpha_k grad F(X),  alpha_k = alpha (k+1)^-decay",
            .cost = "(1, 1)",
            .rate = "sublinear, or linear to a neighbourhood",
            .assumptions = "f_i convex and smooth",
            .citation = "Nedic, Ozdaglar. IEEE TAC 2009; Yuan, Ling, Yin. SIAM J. Optim. 2016",
            .meets = {Demand::no_dual_oracle, Demand::merely_convex},
            .linear = false,
            .local = true};
  }

  void parameters(Fields& fields) {
    fields.number("step", step, range::positive, "step alpha; auto: (1 + lambda_min(W_DS)) / (2L)");
    fields.number("step-scale", step_scale, range::positive, "multiplies the default step");
    fields.number("decay", decay, Range{0, 1, false, false, "a number in [0, 1]"},
                  "exponent p of the decay (k+1)^-p");
  }

  Block operator()(Objective& F, Mixing& W, Run& run, Block X) const {
    const double s = doubly_stochastic_scale(W.spectrum());
    const double lambda_min_DS = 1 - s * W.spectrum().lambda_max;
    const double alpha = run.uses("step", step.value_or(step_scale * (1 + lambda_min_DS) / (2 * F.L())));
    Index k = 0;

    run.keep(X, k);
    while (run.more(X)) {
      const double alpha_k = alpha * std::pow(static_cast<double>(k + 1), -decay);
      const Both at_X = at_once(W, X, k == 0, [&]() -> const Block& { return F.gradient(X); });
      const Block &G = at_X.gradient, &WX = at_X.mixed;
      W.locally(X, [&](auto own) { own(X) = own(X) - s * own(WX) - alpha_k * own(G); });
      ++k;
    }
    return X;
  }
};

}  // namespace

Method make::dgd() { return Method::of(Dgd{}); }

}  // namespace ideal
