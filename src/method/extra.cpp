// SPDX-License-Identifier: Apache-2.0
#include "method/at_once.hpp"
#include "method/gossip.hpp"
#include "method/registry.hpp"
#include "method/steps.hpp"

namespace ideal {

namespace {

struct Extra {
  std::optional<double> step;  ///< (1 + lambda_min(W_DS)) / (2L)
  double step_scale = 1;

  static About about() {
    return {.name = "extra",
            .family = "gradient",
            .summary =
                "exact first-order algorithm: DGD corrected by the last two gradients; PG-EXTRA where a "
                "regulariser is",
            .rule =
                "Z_1 = W_DS X_0 - alpha g_0;  Z+ = Z + W_DS X - (I + W_DS)/2 X- - alpha (g - g-);  "
                "X = prox(Z), Z itself without regulariser",
            .cost = "(1, 1)",
            .rate = "(kappa_f + 1/(1 - sigma)) log(1/(eps (1 - sigma))) with steps of order 1/L",
            .assumptions = "f_i convex and smooth, f strongly convex for the linear rate",
            .citation =
                "Shi, Ling, Wu, Yin. EXTRA. SIAM J. Optim. 2015; A proximal gradient algorithm for "
                "decentralized composite optimization. IEEE Trans. Signal Process. 2015; the rate: Li, Lin. "
                "Revisiting EXTRA for smooth distributed optimization. SIAM J. Optim. 2020",
            .meets = {Demand::no_dual_oracle, Demand::merely_convex, Demand::composite},
            .local = true};
  }

  void parameters(Fields& fields) {
    fields.number("step", step, range::positive, "step alpha; auto: (1 + lambda_min(W_DS)) / (2L)");
    fields.number("step-scale", step_scale, range::positive, "multiplies the default step");
  }

  std::string be_careful() { return half_the_step(step, step_scale); }

  Block operator()(Objective& F, Mixing& W, Run& run, Block X) const {
    const double s = doubly_stochastic_scale(W.spectrum());
    const double lambda_min_DS = 1 - s * W.spectrum().lambda_max;
    const double alpha = run.uses("step", step.value_or(step_scale * (1 + lambda_min_DS) / (2 * F.L())));

    // The last iterate and gradient; before the start they are such that the general step is the first one.
    Block X_prev = X, G_prev = Block::Zero(X.rows(), X.cols());
    Block WX_prev = G_prev, Z = X;
    Index k = 0;

    run.keep(X, X_prev, WX_prev, G_prev, k, Z);
    while (run.more(X)) {
      const bool common = k == 0 && run.starts_together();
      const Both at_X = at_once(W, X, common, [&]() -> const Block& { return F.gradient(X); });
      const Block &G = at_X.gradient, &WX = at_X.mixed;
      W.locally(X, [&](auto own) {
        own(Z) = own(Z) + own(X) - own(X_prev) - s * own(WX) + s / 2 * own(WX_prev) -
                 alpha * (own(G) - own(G_prev));
        own(X_prev) = own(X);
        own(X) = F.prox(own(Z), alpha);
        own(WX_prev) = own(WX);
        own(G_prev) = own(G);
      });
      ++k;
    }
    return X;
  }
};

}  // namespace

Method make::extra() { return Method::of(Extra{}); }

}  // namespace ideal
