// SPDX-License-Identifier: Apache-2.0
#include "method/gossip.hpp"
#include "method/local_steps.hpp"
#include "method/registry.hpp"

#include <array>

namespace ideal {

namespace {

const std::array<std::string, 2> step_rules{"common", "own"};

struct AtcDiging {
  enum class Steps { common, own };

  std::optional<double> step;
  double step_scale = 1;
  Steps steps = Steps::common;

  static About about() {
    return {
        .name = "atc-diging",
        .family = "gradient tracking",
        .summary =
            "DIGing that adapts first and then combines, each agent with a step of its own if it likes",
        .rule = "X+ = W_DS (X - alpha_i S);  S+ = W_DS (S + g+ - g);  S_0 = g_0",
        .cost = "(1, 2)",
        .rate = "linear; max(kappa_f, 1/(1 - sigma)^2) log(1/eps) for strongly convex f_i and equal steps",
        .assumptions = "f_i convex and smooth, f strongly convex; steps that do not differ too much",
        .citation =
            "Nedic, Olshevsky, Shi, Uribe. Geometrically convergent distributed optimization with "
            "uncoordinated step-sizes. ACC 2017; Xu, Zhu, Soh, Xie. Aug-DGM. CDC 2015; the rate: Xu, Tian, "
            "Sun, Scutari. Distributed algorithms for composite optimization: unified framework and "
            "convergence analysis. IEEE TSP 2021"};
  }

  void parameters(Fields& fields) {
    fields.number("step", step, range::positive,
                  "step alpha; auto: (1 + lambda_min(W_DS))^2 / L, which diverged nowhere tried, nor did "
                  "twice that; the theory has a factor times (1 - sigma)^2 / (kappa_f L)");
    fields.number("step-scale", step_scale, range::positive, "multiplies the default step");
    fields.choice("steps", steps, step_rules,
                  "whose L the default step divides by: the largest, or each agent's own");
  }

  Block operator()(Objective& F, Mixing& W, Run& run, Block X) const {
    const double s = doubly_stochastic_scale(W.spectrum());
    const double share = step_scale * tracking_share(W.spectrum());
    const double common_step = run.uses("step", step.value_or(share / F.L()));
    const Block alpha = each_agent(steps == Steps::own && !step ? Vector(share / F.smoothness().array())
                                                                : Vector::Constant(X.cols(), common_step),
                                   X);

    Block S = Block::Zero(X.rows(), X.cols()), G_prev = S, Z = S;
    Index k = 0;

    run.keep(X, S, G_prev, k);
    while (run.more(X)) {
      const Block& G = F.gradient(X);
      W.locally(X, [&](auto own) {
        own(Z) = own(S) + own(G) - own(G_prev);
        own(G_prev) = own(G);
      });
      const Block& WZ = k == 0 ? W.common(Z) : W.mix(Z);  // S_0 is g_0 as it is
      W.locally(X, [&](auto own) {
        own(S) = own(Z) - s * own(WZ);
        own(Z) = own(X) - own(alpha).cwiseProduct(own(S));
      });
      const Block& WX = W.mix(Z);
      W.locally(X, [&](auto own) { own(X) = own(Z) - s * own(WX); });
      ++k;
    }
    return X;
  }
};

}  // namespace

Method make::atc_diging() { return Method::of(AtcDiging{}); }

}  // namespace ideal
