// SPDX-License-Identifier: Apache-2.0
#include "method/at_once.hpp"
#include "method/gossip.hpp"
#include "method/lipschitz.hpp"
#include "method/registry.hpp"

#include <ideal/error.hpp>

#include <cmath>

#include <fmt/format.h>

namespace ideal {

namespace {

struct DualAveraging {
  std::optional<double> step;  ///< 1 / L, and where there is no L that of the theory
  double step_scale = 1;
  std::optional<double> radius, lipschitz;

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
        .cost =
            "(1, 1); once at most (2, 2 diameters), where the step of the theory takes a radius or lipschitz "
            "to be found",
        .rate = "log(k)/sqrt(k (1 - sigma)) after k iterations with the step of the theory",
        .assumptions = "f_i convex and Lipschitz",
        .citation =
            "Duchi, Agarwal, Wainwright. Dual averaging for distributed optimization: convergence analysis "
            "and network scaling. IEEE TAC 2012",
        .meets = {Demand::no_dual_oracle, Demand::merely_convex, Demand::nonsmooth},
        .linear = false};
  }

  void parameters(Fields& fields) {
    fields.number(
        "step", step, range::positive,
        "a, the first step; auto: 1/L; where the losses are not smooth, or R or G is given, that of the "
        "theory, R sqrt(1 - sigma)/(4 G)");
    fields.number("step-scale", step_scale, range::positive, "multiplies the default step");
    extent_parameters(fields, radius, lipschitz);
  }

  void check() const {
    if (step && (radius || lipschitz))
      throw InputError(fmt::format("--set {}", radius ? "radius" : "lipschitz"), "given with step",
                       "it is what the default step is made of", "Leave one of the two out.");
  }

  Block operator()(Objective& F, Mixing& W, Run& run, Block start) const {
    const double s = doubly_stochastic_scale(W.spectrum());
    const bool by_theory = !step && (!std::isfinite(F.L()) || radius || lipschitz);
    Extent size;
    if (by_theory && !(lipschitz && radius) && !run.resumes())
      size = extent(F, W, run, start, radius, lipschitz);

    Block X = start, mean = start, Z = Block::Zero(X.rows(), X.cols());
    Index k = 0;

    run.keep(mean, X, Z, start, k, size.G, size.R);
    const double a = run.uses("step", step.value_or(step_scale * (by_theory ? theory(W, size) : 1 / F.L())));
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

 private:
  [[nodiscard]] double theory(const Mixing& W, const Extent& size) const {
    const double G = lipschitz.value_or(size.G), R = radius.value_or(size.R);
    return R * std::sqrt(1 - averaging_factor(W.spectrum())) / (4 * G);
  }
};

}  // namespace

Method make::dual_averaging() { return Method::of(DualAveraging{}); }

}  // namespace ideal
