// SPDX-License-Identifier: Apache-2.0
#include "method/augmented_lagrangian.hpp"
#include "method/registry.hpp"

namespace ideal {

namespace {

/// Algorithm 2: subproblems solved to rounding. A yardstick rather than a contender: every inner step is
/// counted.
struct Aal : AugmentedLagrangian {
  Aal() { solver = Solver::exact; }

  void parameters(Fields& fields) { outer_parameters(fields); }  // exactness leaves nothing to set inside

  static About about() {
    return {.name = "aal",
            .family = "augmented Lagrangian",
            .summary = "accelerated augmented Lagrangian with exact subproblems",
            .rule = "IDEAL with X_k = argmin P_k to rounding",
            .cost = "(T, T) an outer iteration, T = 75 sqrt(kappa_in)",
            .rate = "sqrt(kappa_rho) log(1/eps) outer iterations",
            .assumptions = "f_i strongly convex and smooth",
            .citation = "Arjevani et al. IDEAL. NeurIPS 2020, Algorithm 2",
            .meets = {Demand::no_dual_oracle, Demand::composite}};
  }
};

}  // namespace

Method make::aal() { return Method::of(Aal{}); }

}  // namespace ideal
