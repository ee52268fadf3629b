// SPDX-License-Identifier: Apache-2.0
#include "method/distributed_al.hpp"
#include "method/registry.hpp"

namespace ideal {

namespace {

struct DalGaussSeidel : DistributedAl {
  static About about() {
    return {.name = "dal-gauss-seidel",
            .family = "augmented Lagrangian",
            .summary = "distributed augmented Lagrangian, agents minimising one colour after the other",
            .rule =
                "passes times, for one colour after the other, x_i <- argmin f_i(x) + <lambda_i + rho (WX - "
                "W_ii X)_i, x> + (rho W_ii/2) |x|^2;  Lambda+ = Lambda + rho W X",
            .cost = "those of dal-jacobi times the colours of the graph",
            .rate = "linear",
            .assumptions = "f_i strongly convex and smooth; local minimisers",
            .citation =
                "after Jakovetic, Moura, Xavier. Linear convergence rate of a class of distributed augmented "
                "Lagrangian "
                "algorithms. IEEE TAC 2015; there agents wake at random, here colour after colour",
            .meets = {}};
  }

  Block operator()(Objective& F, Mixing& W, Run& run, Block X) const {
    return solve(F, W, run, std::move(X), Sweeps::Turns::by_colour);
  }
};

}  // namespace

Method make::dal_gauss_seidel() { return Method::of(DalGaussSeidel{}); }

}  // namespace ideal
