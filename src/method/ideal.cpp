// SPDX-License-Identifier: Apache-2.0
#include "method/augmented_lagrangian.hpp"
#include "method/registry.hpp"

namespace ideal {

namespace {

/// Algorithm 3: the accelerated augmented Lagrangian with inexact inner solves.
struct Ideal : AugmentedLagrangian {
  static About about() {
    return {
        .name = "ideal",
        .family = "augmented Lagrangian",
        .summary = "inexact accelerated augmented Lagrangian on W",
        .rule =
            "X_k ~ argmin F(X) + <Omega,X> + rho/2 <X,WX>;  Lambda+ = Omega + eta W X_k;  "
            "Omega+ = Lambda+ + beta (Lambda+ - Lambda)",
        .cost = "(T, T) an outer iteration, times the colours of the graph for gauss-seidel",
        .rate = "sqrt(kappa_f kappa_W) log(1/eps) computations and communications",
        .assumptions =
            "f_i strongly convex and smooth; a regulariser by proximal steps, mu = 0 by vanishing convexity",
        .citation = "Arjevani, Bruna, Can, Gurbuzbalaban, Jegelka, Lin. IDEAL. NeurIPS 2020, Algorithm 3",
        .meets = {Demand::no_dual_oracle, Demand::composite, Demand::merely_convex},
        .local = true};
  }
};

}  // namespace

Method make::ideal() { return Method::of(Ideal{}); }

}  // namespace ideal
