// SPDX-License-Identifier: Apache-2.0
#include "method/nesterov.hpp"
#include "method/registry.hpp"

namespace ideal {

namespace {

struct Agd {
  std::optional<double> step;  ///< 1 / L
  double step_scale = 1;
  std::optional<double> beta;  ///< nest(kappa_f)

  static About about() {
    return {.name = "agd",
            .family = "centralized",
            .summary = "Nesterov's accelerated gradient on the average loss, as a server would run it",
            .rule = "y = x + beta (x - x-);  x+ = prox(y - (1/L) mean_i grad f_i(y))",
            .cost = "(1, 0)",
            .rate = "sqrt(kappa_f) log(1/eps)",
            .assumptions = "f strongly convex and smooth; a server",
            .citation = "Nesterov. Introductory lectures on convex optimization. 2004",
            .meets = {Demand::no_dual_oracle, Demand::composite}};
  }

  void parameters(Fields& fields) {
    fields.number("step", step, range::positive, "step; auto: 1/L");
    fields.number("step-scale", step_scale, range::positive, "multiplies the default step");
    fields.number("beta", beta, range::momentum, "momentum; auto: nest(kappa_f)");
  }

  Block operator()(Objective& F, Mixing& W, Run& run, Block X) const {
    const double alpha = run.uses("step", step.value_or(step_scale / F.L()));
    const double momentum = run.uses("beta", beta.value_or(nest(F.kappa())));
    Block Y = X;
    run.keep(X, Y);
    while (run.more(X)) {
      const Block& mean = W.average(F.gradient(Y));
      W.locally(X, [&](auto own) {
        const Part X_next = F.prox(own(Y) - alpha * own(mean), alpha);
        own(Y) = X_next + momentum * (X_next - own(X));
        own(X) = X_next;
      });
    }
    return X;
  }
};

}  // namespace

Method make::agd() { return Method::of(Agd{}); }

}  // namespace ideal
