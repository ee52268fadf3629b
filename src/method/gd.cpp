// SPDX-License-Identifier: Apache-2.0
#include "method/registry.hpp"

namespace ideal {

namespace {

/// What a server holding all gradients would do: the baseline of every comparison.
struct Gd {
  std::optional<double> step;  ///< 2 / (L + mu)
  double step_scale = 1;

  static About about() {
    return {.name = "gd",
            .family = "centralized",
            .summary = "gradient descent on the average loss, as a server would run it",
            .rule = "x+ = prox(x - 2/(L + mu) mean_i grad f_i(x)), with a regulariser the step 1/L",
            .cost = "(1, 0)",
            .rate = "kappa_f log(1/eps)",
            .assumptions = "f strongly convex and smooth; a server",
            .citation = "Nesterov. Introductory lectures on convex optimization. 2004",
            .meets = {Demand::no_dual_oracle, Demand::composite, Demand::merely_convex}};
  }

  void parameters(Fields& fields) {
    fields.number("step", step, range::positive, "step; auto: 2/(L + mu), with a regulariser or mu = 0 1/L");
    fields.number("step-scale", step_scale, range::positive, "multiplies the default step");
  }

  Block operator()(Objective& F, Mixing& W, Run& run, Block X) const {
    const double longest = F.composite() || !(F.mu() > 0) ? 1 / F.L() : 2 / (F.L() + F.mu());
    const double alpha = run.uses("step", step.value_or(step_scale * longest));
    run.keep(X);
    while (run.more(X)) {
      const Block& mean = W.average(F.gradient(X));
      W.locally(X, [&](auto own) { own(X) = F.prox(own(X) - alpha * own(mean), alpha); });
    }
    return X;
  }
};

}  // namespace

Method make::gd() { return Method::of(Gd{}); }

}  // namespace ideal
