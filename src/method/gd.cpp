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
            .rule = "x+ = x - 2/(L + mu) mean_i grad f_i(x)",
            .cost = "(1, 0)",
            .rate = "kappa_f log(1/eps)",
            .assumptions = "f strongly convex and smooth; a server",
            .citation = "Nesterov. Introductory lectures on convex optimization. 2004"};
  }

  void parameters(Fields& fields) {
    fields.number("step", step, range::positive, "step; auto: 2/(L + mu)");
    fields.number("step-scale", step_scale, range::positive, "multiplies the default step");
  }

  Block operator()(Objective& F, Mixing& W, Run& run, Block X) const {
    const double alpha = run.uses("step", step.value_or(step_scale * 2 / (F.L() + F.mu())));
    run.keep(X);
    while (run.more(X)) {
      const Block& mean = W.average(F.gradient(X));
      W.locally(X, [&](auto own) { own(X) -= alpha * own(mean); });
    }
    return X;
  }
};

}  // namespace

Method make::gd() { return Method::of(Gd{}); }

}  // namespace ideal
