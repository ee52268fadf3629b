// SPDX-License-Identifier: Apache-2.0
#include "method/distributed_al.hpp"
#include "method/registry.hpp"

namespace ideal {

namespace {

struct DalJacobi : DistributedAl {
  static About about() {
    return {.name = "dal-jacobi",
            .family = "augmented Lagrangian",
            .summary = "distributed augmented Lagrangian, agents minimising all at once",
            .rule =
                "passes times x_i <- argmin f_i(x) + <lambda_i + rho (WX - c X)_i, x> + (rho c/2) |x|^2, c = "
                "lambda_max;  Lambda+ = Lambda + rho W X",
            .cost = "(passes, passes) exact, (passes T, passes) inexact",
            .rate = "sqrt(kappa_f kappa_W) log(1/eps) steps with the default rho, on quadratics",
            .assumptions = "f_i strongly convex and smooth; local minimisers",
            .citation =
                "Jakovetic, Moura, Xavier. Linear convergence rate of a class of distributed augmented "
                "Lagrangian "
                "algorithms. IEEE TAC 2015",
            .meets = {}};
  }

  Block operator()(Objective& F, Mixing& W, Run& run, Block X) const {
    return solve(F, W, run, std::move(X), Sweeps::Turns::all_at_once);
  }
};

}  // namespace

Method make::dal_jacobi() { return Method::of(DalJacobi{}); }

}  // namespace ideal
