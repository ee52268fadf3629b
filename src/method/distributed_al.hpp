// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "method/local_steps.hpp"

namespace ideal {

/// The augmented Lagrangian method whose subproblems agents solve in turns: with the others' last vectors an
/// agent minimises over its own,
///
///   x_i <- argmin f_i(x) + <lambda_i + rho (WX - c X)_i, x> + (rho c_i / 2) |x|^2,
///
/// all at once (Jacobi) or one colour after the other (Gauss-Seidel); after some passes Lambda+ = Lambda +
/// rho W X.
struct DistributedAl {
  LocalSolver local;
  std::optional<double> rho;
  double rho_scale = 1;
  Index passes = 1;

  void parameters(Fields& fields);

 protected:
  enum class Turns { all_at_once, by_colour };
  Block solve(Objective& F, Mixing& W, Run& run, Block X, Turns turns) const;
};

}  // namespace ideal
