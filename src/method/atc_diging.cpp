// SPDX-License-Identifier: Apache-2.0
#include "method/gossip.hpp"
#include "method/local_steps.hpp"
#include "method/registry.hpp"
#include "method/tracking.hpp"

#include <algorithm>
#include <array>

namespace ideal {

namespace {

const std::array<std::string, 2> step_rules{"common", "own"};

struct AtcDiging {
  enum class Steps { common, own };

  TrackingStep step;
  Steps steps = Steps::common;

  static About about() {
    return {
        .name = "atc-diging",
        .family = "gradient tracking",
        .summary =
            "DIGing that adapts first and then combines, each agent with a step of its own if it likes",
        .rule = "X+ = W_DS (X - alpha_i S);  S+ = W_DS (S + g+ - g);  S_0 = g_0",
        .cost = "(1, 2)",
        .rate =
            "max(kappa_f, sqrt(kappa_f)/(1 - sigma)) log(1/eps) with equal steps, on quadratics of equal "
            "Hessians; max(kappa_f, 1/(1 - sigma)^2) log(1/eps) is published for all losses",
        .assumptions = "f_i convex and smooth, f strongly convex; steps that do not differ too much",
        .citation =
            "Nedic, Olshevsky, Shi, Uribe. Geometrically convergent distributed optimization with "
            "uncoordinated step-sizes. ACC 2017; Xu, Zhu, Soh, Xie. Aug-DGM. CDC 2015; the rate: Xu, Tian, "
            "Sun, Scutari. Distributed algorithms for composite optimization: unified framework and "
            "convergence analysis. IEEE TSP 2021; the default step: docs/decisions/019",
        .local = true};
  }

  void parameters(Fields& fields) {
    step.parameters(
        fields,
        "step alpha; auto: 0.8 of what is proven to converge, 2/L, or (1 + lambda_min(W_DS))^2/(2 "
        "lambda_min(W_DS)^2 L) where that is negative and this smaller, which is sharp; at most (1 - sigma) "
        "sqrt(kappa_f)/L");
    fields.choice(
        "steps", steps, step_rules,
        "whose L the default step divides by: the largest, or each agent's own (then at most 1/L_i; "
        "only much smaller ones are proven)");
  }

  Block operator()(Objective& F, Mixing& W, Run& run, Block X) const {
    const double s = doubly_stochastic_scale(W.spectrum());
    const double common_step = step(F, W, run, Tracking::adapted);
    const double share = std::min(1.0, common_step * F.L());
    const Block alpha =
        each_agent(steps == Steps::own && !step.step ? Vector(share / F.smoothness().array())
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
