// SPDX-License-Identifier: Apache-2.0
#include "method/at_once.hpp"
#include "method/gossip.hpp"
#include "method/registry.hpp"
#include "method/tracking.hpp"

namespace ideal {

namespace {

struct PushDiging {
  TrackingStep step;

  static About about() {
    return {.name = "push-diging",
            .family = "gradient tracking",
            .summary =
                "DIGing by push-sum: messages may go one way, and an agent knows only how many listen to it",
            .rule =
                "U+ = C (U - alpha Y);  v+ = C v;  x_i+ = u_i+ / v_i+;  Y+ = C Y + g+ - g;  U_0 = X_0, v_0 = "
                "1, Y_0 = g_0;  C = W_DS, or 1/(1 + out-degree) for each listener and oneself",
            .cost = "(1, 2)",
            .rate =
                "linear; on an undirected network that stays max(kappa_f, sqrt(kappa_f)/(1 - sigma)) "
                "log(1/eps), on quadratics of equal Hessians; with the published step kappa_f^(3/2) "
                "log(1/eps) times what grows faster than exponentially with n",
            .assumptions =
                "f_i convex and smooth, f strongly convex; a network that may change and be directed, but "
                "stays strongly connected over time",
            .citation =
                "Nedic, Olshevsky, Shi. Achieving geometric convergence for distributed optimization over "
                "time-varying graphs. SIAM J. Optim. 2017, Algorithm 2 and Theorem 18; the default step: "
                "docs/decisions/019",
            .meets = {Demand::no_dual_oracle, Demand::time_varying, Demand::directed}};
  }

  void parameters(Fields& fields) {
    step.parameters(
        fields,
        "step alpha; auto: 0.8 of what is proven to converge, at most (1 - sigma) sqrt(kappa_f)/L: 2/L on an "
        "undirected network that stays, less where W_DS has negative eigenvalues; on one that is directed or "
        "changes a frequency inequality or a gain tells; min(0.4, 2 (1 - sigma)^2, min v/2)/L, which is "
        "measured, where directed edges wake at random or agents times graphs are more than 120; published: "
        "of Theorem 18, on a directed network, smaller by more than n^(n^2)");
    step.choose_theory(fields);
  }

  Block operator()(Objective& F, Mixing& W, Run& run, Block X) const {
    const double s = doubly_stochastic_scale(W.spectrum());  // C = I - s W
    const double alpha = step(F, W, run, Tracking::pushed);

    const Index d = X.rows();
    Block Y = Block::Zero(d, X.cols()), G_prev = Y;
    Block UV(d + 1, X.cols());  // U above v: they travel together
    UV << X, Block::Ones(1, X.cols());
    Index k = 0;

    run.keep(X, UV, Y, G_prev, k);
    while (run.more(X)) {
      const bool zero = k == 0;
      const Both oracles = at_once(W, Y, zero, [&]() -> const Block& { return F.gradient(X); });
      const Block &G = oracles.gradient, &WY = oracles.mixed;
      W.locally(X, [&](auto own) {
        own(Y) += own(G) - own(G_prev) - s * own(WY);
        own(G_prev) = own(G);
      });
      UV.topRows(d) -= alpha * Y;
      const Block& WUV = W.mix(UV);
      W.locally(UV, [&](auto own) { own(UV) -= s * own(WUV); });
      X.array() = UV.topRows(d).array().rowwise() / UV.row(d).array();
      ++k;
    }
    return X;
  }
};

}  // namespace

Method make::push_diging() { return Method::of(PushDiging{}); }

}  // namespace ideal
