// SPDX-License-Identifier: Apache-2.0
#include "method/gossip.hpp"
#include "method/nesterov.hpp"
#include "method/registry.hpp"
#include "method/steps.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace ideal {

namespace {

struct Mudag {
  std::optional<Index> K;      ///< sqrt(kappa_W) max(2, ln kappa_f)
  std::optional<double> step;  ///< 1 / L
  double step_scale = 1;

  static About about() {
    return {
        .name = "mudag",
        .family = "gradient tracking",
        .summary = "multi-consensus accelerated gradient: Nesterov's method on gradients tracked by K rounds",
        .rule =
            "X+ = FastMix(Y + X - Y- - alpha (g(Y) - g(Y-)), K);  X_1 = FastMix(Y_0 - alpha g(Y_0), K);  "
            "Y+ = X+ + nest(1/(mu alpha)) (X+ - X)",
        .cost = "(1, K), K = ceil(sqrt(kappa_W) max(2, ln kappa_f))",
        .rate =
            "sqrt(kappa_f) log(1/eps) computations, sqrt(kappa_f kappa_W) log(kappa_f) log(1/eps) "
            "communications",
        .assumptions = "f_i smooth, f strongly convex",
        .citation =
            "Ye, Luo, Zhou, Zhang. Multi-consensus decentralized accelerated gradient descent. 2020; JMLR "
            "2023"};
  }

  void parameters(Fields& fields) {
    fields.number("K", K, range::count,
                  "rounds of FastMix a step; auto: sqrt(kappa_W) max(2, ln kappa_f); the theory has a factor "
                  "times sqrt(kappa_W) ln kappa_f, and below about 1.6 sqrt(kappa_W) runs may diverge");
    fields.number("step", step, range::positive, "step alpha; auto: 1/L");
    fields.number("step-scale", step_scale, range::positive, "multiplies the default step");
  }

  std::string be_careful() {
    if (!K) return half_the_step(step, step_scale);
    *K += (*K + 1) / 2;  // the default is enough
    return fmt::format("{}, K = {}", half_the_step(step, step_scale), *K);
  }

  Block operator()(Objective& F, Mixing& W, Run& run, Block X) const {
    const double alpha = run.uses("step", step.value_or(step_scale / F.L()));
    const double beta = run.uses("beta", nest(std::max(1.0, 1 / (F.mu() * alpha))));
    const double safe = std::sqrt(W.spectrum().kappa()) * std::max(2.0, std::log(F.kappa()));
    const Index rounds = run.uses("K", K ? *K : whole_steps(safe, "K"));

    // Before the start they are such that the general step is the first one.
    Block Y = X, Y_prev = X, G_prev = Block::Zero(X.rows(), X.cols()), Z = X;
    FastMix fast_mix(W);

    run.keep(X, Y, Y_prev, G_prev);
    while (run.more(X)) {
      const Block& G = F.gradient(Y);
      W.locally(X, [&](auto own) {
        own(Z) = own(Y) + own(X) - own(Y_prev) - alpha * (own(G) - own(G_prev));
        own(Y_prev) = own(Y);
        own(G_prev) = own(G);
      });
      const Block& X_next = fast_mix(Z, rounds);
      W.locally(X, [&](auto own) {
        own(Y) = own(X_next) + beta * (own(X_next) - own(X));
        own(X) = own(X_next);
      });
    }
    return X;
  }
};

}  // namespace

Method make::mudag() { return Method::of(Mudag{}); }

}  // namespace ideal
