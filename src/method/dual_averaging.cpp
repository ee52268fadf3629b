// SPDX-License-Identifier: Apache-2.0
#include "method/at_once.hpp"
#include "method/gossip.hpp"
#include "method/registry.hpp"

#include <cmath>

namespace ideal {

namespace {

struct DualAveraging {
  std::optional<double> step;  ///< 1 / L
  double step_scale = 1;

  static About about() {
    return {
        .name = "dual-averaging",
        .family = "gradient",
        .summary =
            "distributed dual averaging: agents average sums of gradients and report the mean of their "
            "iterates",
        .rule =
            "Z+ = W_DS Z + g(X);  X+ = X_0 - alpha_k Z+,  alpha_k = a/sqrt(k);  the answer is the mean of "
            "X_1 ... X_k",
        .cost = "(1, 1)",
        .rate = "log(k)/sqrt(k (1 - sigma)) after k iterations",
        .assumptions = "f_i convex and Lipschitz",
        .citation =
            "Duchi, Agarwal, Wainwright. Dual averaging for distributed optimization: convergence analysis "
            "and network scaling. IEEE TAC 2012",
        .meets = {Demand::no_dual_oracle, Demand::merely_convex},
        .linear = false};
  }

  void parameters(Fields& fields) {
    fields.number(
        "step", step, range::positive,
        "a, the first step; auto: 1/L; the theory has R sqrt(1 - sigma)/G for gradients up to G and "
        "an optimum within R");
    fields.number("step-scale", step_scale, range::positive, "multiplies the default step");
  }

  Block operator()(Objective& F, Mixing& W, Run& run, Block start) const {
    const double s = doubly_stochastic_scale(W.spectrum());
    const double a = run.uses("step", step.value_or(step_scale / F.L()));

    Block X = start, mean = start, Z = Block::Zero(X.rows(), X.cols());
    Index k = 0;

    run.keep(mean, X, Z, start, k);
    while (run.more(mean)) {
      const Both oracles = at_once(W, Z, k == 0, [&]() -> const Block& { return F.gradient(X); });
      const Block &G = oracles.gradient, &WZ = oracles.mixed;
      ++k;
      const double alpha = a / std::sqrt(static_cast<double>(k)), weight = 1 / static_cast<double>(k);
      W.locally(X, [&](auto own) {
        own(Z) += own(G) - s * own(WZ);
        own(X) = own(start) - alpha * own(Z);
        own(mean) += weight * (own(X) - own(mean));
      });
    }
    return mean;
  }
};

}  // namespace

Method make::dual_averaging() { return Method::of(DualAveraging{}); }

}  // namespace ideal
