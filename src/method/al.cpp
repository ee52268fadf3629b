// SPDX-License-Identifier: Apache-2.0
#include "method/augmented_lagrangian.hpp"
#include "method/registry.hpp"

namespace ideal {

namespace {

/// Algorithm 1: no outer momentum, dual step rho. One gradient step with rho = eta = 1/(2 step) is EXTRA
/// (appendix B).
struct Al : AugmentedLagrangian {
  Al() {
    option = 2;
    beta = 0;
    eta_is_rho = true;
  }

  static About about() {
    return {.name = "al",
            .family = "augmented Lagrangian",
            .summary = "augmented Lagrangian without outer acceleration",
            .rule = "X_k ~ argmin F(X) + <Lambda,X> + rho/2 <X,WX>;  Lambda+ = Lambda + rho W X_k",
            .cost = "(T, T) an outer iteration",
            .rate = "sqrt(kappa_f) kappa_W log(1/eps)",
            .assumptions = "f_i strongly convex and smooth",
            .citation = "Arjevani et al. IDEAL. NeurIPS 2020, Algorithm 1",
            .meets = {Demand::no_dual_oracle, Demand::composite}};
  }
};

}  // namespace

Method make::al() { return Method::of(Al{}); }

}  // namespace ideal
