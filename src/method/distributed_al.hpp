// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "method/sweeps.hpp"

namespace ideal {

/// The augmented Lagrangian method without acceleration whose subproblems agents solve in passes (Sweeps):
/// Lambda+ = Lambda + rho W X.
struct DistributedAl {
  LocalSolver local;
  std::optional<double> rho;
  double rho_scale = 1;
  Index passes = 1;

  void parameters(Fields& fields);

 protected:
  Block solve(Objective& F, Mixing& W, Run& run, Block X, Sweeps::Turns turns) const;
};

}  // namespace ideal
