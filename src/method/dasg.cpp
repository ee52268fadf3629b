// SPDX-License-Identifier: Apache-2.0
#include "method/at_once.hpp"
#include "method/lazy_averaging.hpp"
#include "method/nesterov.hpp"
#include "method/registry.hpp"

#include <algorithm>

namespace ideal {

namespace {

struct Dasg {
  std::optional<double> step;  ///< lambda_min(W_p) / L
  double step_scale = 1;
  std::optional<double> beta;  ///< nest(1 / (step mu))
  Index batch = 32;

  static About about() {
    return {.name = "dasg",
            .family = "stochastic",
            .summary =
                "distributed accelerated stochastic gradient; it stops in a neighbourhood that shrinks with "
                "the step",
            .rule =
                "X+ = W_p Y - alpha g(Y);  Y+ = (1 + beta) X+ - beta X;  W_p = W_DS, or (I + W_DS)/2 where "
                "that has "
                "an eigenvalue below 1/2;  g on batch rows an agent",
            .cost = "(batch/rows, 1)",
            .rate =
                "linear, exp(-k sqrt(alpha mu)), to a neighbourhood: a bias of order alpha^2 in the gap, and "
                "noise of "
                "order sigma^2 "
                "sqrt(alpha)",
            .assumptions = "f_i strongly convex and smooth; unbiased gradients of bounded variance",
            .citation =
                "Fallah, Gurbuzbalaban, Ozdaglar, Simsekli, Zhu. Robust distributed accelerated stochastic "
                "gradient "
                "methods for multi-agent networks. JMLR 2022 (arXiv 1910.08701); the step and its rate: "
                "docs/decisions/020",
            .linear = false};
  }

  void parameters(Fields& fields) {
    fields.number("step", step, range::positive,
                  "step alpha; auto: lambda_min(W_p)/L, the largest of the theory");
    fields.number("step-scale", step_scale, range::positive, "multiplies the default step");
    fields.number("beta", beta, range::momentum, "momentum; auto: (1 - sqrt(alpha mu))/(1 + sqrt(alpha mu))");
    fields.number("batch", batch, range::count, "rows of a gradient");
  }

  static bool stochastic() { return true; }

  Block operator()(Objective& F, Mixing& W, Run& run, Block X) const {
    const LazyAveraging average(W.spectrum());
    const double alpha = run.uses("step", step.value_or(step_scale * average.smallest / F.L()));
    const double beta = run.uses("beta", this->beta.value_or(nest(std::max(1.0, 1 / (alpha * F.mu())))));
    run.uses("batch", batch);

    Block Y = X;
    Index k = 0;

    run.keep(X, Y, k);
    while (run.more(X)) {
      const Both at_Y = at_once(W, Y, k == 0, [&]() -> const Block& { return F.gradient(Y, batch, k); });
      const Block &G = at_Y.gradient, &WY = at_Y.mixed;
      W.locally(X, [&](auto own) {
        const Part X_next = own(Y) - average.s * own(WY) - alpha * own(G);
        own(Y) = X_next + beta * (X_next - own(X));
        own(X) = X_next;
      });
      ++k;
    }
    return X;
  }
};

}  // namespace

Method make::dasg() { return Method::of(Dasg{}); }

}  // namespace ideal
