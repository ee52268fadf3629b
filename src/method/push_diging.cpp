// SPDX-License-Identifier: Apache-2.0
#include "method/at_once.hpp"
#include "method/gossip.hpp"
#include "method/registry.hpp"

namespace ideal {

namespace {

struct PushDiging {
  std::optional<double> step;
  double step_scale = 1;

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
                "kappa_f^(3/2) log(1/eps) with the step of the theory, times what grows faster than "
                "exponentially with n",
            .assumptions =
                "f_i convex and smooth, f strongly convex; a network that may change and be directed, but "
                "stays strongly connected over time",
            .citation =
                "Nedic, Olshevsky, Shi. Achieving geometric convergence for distributed optimization over "
                "time-varying graphs. SIAM J. Optim. 2017, Algorithm 2 and Theorem 18",
            .meets = {Demand::no_dual_oracle, Demand::time_varying, Demand::directed}};
  }

  void parameters(Fields& fields) {
    fields.number("step", step, range::positive,
                  "step alpha; auto: as of diging, on a directed network 0.4 / L, at most 2 (1 - sigma)^2 / "
                  "L and min v / (2 L), which diverged nowhere tried; the theory has a step that n agents "
                  "make smaller by more than n^(n^2)");
    fields.number("step-scale", step_scale, range::positive, "multiplies the default step");
  }

  Block operator()(Objective& F, Mixing& W, Run& run, Block X) const {
    const double s = doubly_stochastic_scale(W.spectrum());  // C = I - s W
    const double alpha = run.uses("step", step.value_or(step_scale * 0.4 * tracking_share(W) / F.L()));

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
