// SPDX-License-Identifier: Apache-2.0
#include "method/registry.hpp"
#include "method/single_loop.hpp"

namespace ideal {

namespace {

/// With what it is told of L, mu and the network; `auto` finds these out.
struct Ideal1 : SingleLoop::Options {
  static About about() {
    return {.name = "ideal1",
            .family = "augmented Lagrangian",
            .summary = "IDEAL with one loop: a gradient, J rounds and a dual step an iteration",
            .rule =
                "Y = X + b (X - X-);  Z = Y - (grad F(Y) + Omega)/L;  V = M Z;  X+ = Z - (c/lambda_max) V;  "
                "Omega+ = Omega + (eta L/lambda_max) V;  M = Q_J(W)",
            .cost = "(1, J)",
            .rate = "max(sqrt(kappa_f), sigma sqrt(kappa_f kappa_M)) log(1/eps), measured, not proven",
            .assumptions = "smooth and strongly convex losses, undirected connected network",
            .citation =
                "Arjevani et al. IDEAL. NeurIPS 2020, Algorithm 3 with one proximal step for an inner loop; "
                "docs/decisions/015-single-loop-ideal.md",
            .certifies = true};
  }

  void parameters(Fields& fields) {
    fields.number("J", J, range::count, "degree of the polynomial Q; auto: predicted best for tau");
    fields.number("tau", tau, range::nonnegative, "time of a round in units of a gradient's: decides J");
    fields.number(
        "sigma", sigma, {0, 1, true, false, "a number in (0, 1]"},
        "how much the agents' Hessians may differ: 1 is safe for any, less is faster; doubled where "
        "progress is slow");
    fields.number("momentum", momentum, range::momentum,
                  "b; auto: Nesterov's, or less where M or sigma limit it");
    fields.number("penalty", penalty, range::positive, "c; auto: at most 1.1");
    fields.number("eta", dual_step, range::positive, "dual step, in units of L/lambda_max");
    fields.flag("follow", follow,
                "take for L the curvature met on the way: a power step at iterations 6, 10, 16, ...");
    fields.flag("guard", guard, "go back where the run goes astray, with more care");
  }

  Block operator()(Objective& F, Mixing& W, Run& run, Block X) const {
    Block directions = F.noise(X.rows());
    return SingleLoop(F, W, {.L = F.L(), .mu = F.mu(), .W = W.spectrum()}, *this, std::move(X),
                      std::move(directions))(run);
  }
};

}  // namespace

Method make::ideal1() { return Method::of(Ideal1{}); }

}  // namespace ideal
