// SPDX-License-Identifier: Apache-2.0
#include "method/at_once.hpp"
#include "method/gossip.hpp"
#include "method/registry.hpp"
#include "method/tracking.hpp"

namespace ideal {

namespace {

struct Diging {
  TrackingStep step;

  static About about() {
    return {
        .name = "diging",
        .family = "gradient tracking",
        .summary = "distributed inexact gradients tracking the mean gradient",
        .rule = "X+ = W_DS X - alpha S;  S+ = W_DS S + g+ - g;  S_0 = g_0",
        .cost = "(1, 2)",
        .rate =
            "max(kappa_f, sqrt(kappa_f)/(1 - sigma)) log(1/eps) on a network that stays, on quadratics of "
            "equal Hessians; linear for all losses and networks it takes; with the published steps "
            "kappa_f^2/(1 - sigma)^2 log(1/eps), or sqrt(n) B^3 kappa_f^(3/2)/(1 - delta)^2 log(1/eps) "
            "where B steps leave delta",
        .assumptions =
            "f_i convex and smooth, f strongly convex; an undirected network, which may change but stays "
            "connected over time",
        .citation =
            "Qu, Li. Harnessing smoothness to accelerate distributed optimization. IEEE TCNS 2018; Nedic, "
            "Olshevsky, Shi. Achieving geometric convergence for distributed optimization over time-varying "
            "graphs. SIAM J. Optim. 2017, Algorithm 1 and Theorem 10; the default step: docs/decisions/019",
        .meets = {Demand::no_dual_oracle, Demand::time_varying},
        .local = true};
  }

  void parameters(Fields& fields) {
    step.parameters(
        fields,
        "step alpha; auto: 0.8 of what is proven to converge, at most (1 - sigma) sqrt(kappa_f)/L: (1 + "
        "lambda_min(W_DS))^2/(2 L) on a network that stays, which is sharp; on one that changes a frequency "
        "inequality or a gain tells; published: mu ((1 - sigma)/6)^2/L^2, or somewhat less than (1 - "
        "delta)^2/(2 L B^2 (1 + 4 sqrt(n kappa_f))), the open end of Theorem 10, where B steps leave delta");
    step.choose_theory(fields);
  }

  Block operator()(Objective& F, Mixing& W, Run& run, Block X) const {
    const double s = doubly_stochastic_scale(W.spectrum());
    const double alpha = step(F, W, run, Tracking::combined);

    Block S = Block::Zero(X.rows(), X.cols()), G_prev = S;
    Index k = 0;

    run.keep(X, S, G_prev, k);
    while (run.more(X)) {
      const bool common = k == 0;
      const Both oracles = at_once(W, S, common, [&]() -> const Block& { return F.gradient(X); });
      const Block &G = oracles.gradient, &WS = oracles.mixed;
      W.locally(X, [&](auto own) {
        own(S) += own(G) - own(G_prev) - s * own(WS);
        own(G_prev) = own(G);
      });
      const Block& WX = common ? W.common(X) : W.mix(X);
      W.locally(X, [&](auto own) { own(X) -= s * own(WX) + alpha * own(S); });
      ++k;
    }
    return X;
  }
};

}  // namespace

Method make::diging() { return Method::of(Diging{}); }

}  // namespace ideal
