// SPDX-License-Identifier: Apache-2.0
#include "method/at_once.hpp"
#include "method/gossip.hpp"
#include "method/registry.hpp"

namespace ideal {

namespace {

struct Dng {
  std::optional<double> step;  ///< 1 / (2L)
  double step_scale = 1;

  static About about() {
    return {
        .name = "dng",
        .family = "gradient",
        .summary = "distributed Nesterov gradient with a falling step",
        .rule =
            "X+ = W_p Y - (c/(k+1)) g(Y);  Y+ = X+ + k/(k+3) (X+ - X);  W_p = W_DS, or (I + W_DS)/2 unless "
            "that is positive semi-definite",
        .cost = "(1, 1)",
        .rate = "log(k)/k after k iterations",
        .assumptions =
            "f_i convex and smooth with bounded gradients; W_p positive semi-definite (published: definite)",
        .citation = "Jakovetic, Xavier, Moura. Fast distributed gradient methods. IEEE TAC 2014",
        .meets = {Demand::no_dual_oracle, Demand::merely_convex},
        .linear = false,
        .local = true};
  }

  void parameters(Fields& fields) {
    fields.number("step", step, range::positive, "c, the first step; auto: 1/(2L)");
    fields.number("step-scale", step_scale, range::positive, "multiplies the default step");
  }

  Block operator()(Objective& F, Mixing& W, Run& run, Block X) const {
    const double s = doubly_stochastic_scale(W.spectrum());
    const double s_p = s * W.spectrum().lambda_max <= 1 ? s : s / 2;
    const double c = run.uses("step", step.value_or(step_scale / (2 * F.L())));

    Block Y = X;
    Index k = 0;

    run.keep(X, Y, k);
    while (run.more(X)) {
      const Both oracles = at_once(W, Y, k == 0, [&]() -> const Block& { return F.gradient(Y); });
      const Block &G = oracles.gradient, &WY = oracles.mixed;
      const auto now = static_cast<double>(k);
      W.locally(X, [&](auto own) {
        const Part X_next = own(Y) - s_p * own(WY) - c / (now + 1) * own(G);
        own(Y) = X_next + now / (now + 3) * (X_next - own(X));
        own(X) = X_next;
      });
      ++k;
    }
    return X;
  }
};

}  // namespace

Method make::dng() { return Method::of(Dng{}); }

}  // namespace ideal
