// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "method/local_steps.hpp"

namespace ideal {

/// An augmented Lagrangian method whose subproblems P(X) = F(X) + <Omega, X> + (rho/2) <X, M X> agents solve
/// in passes: with the others' last vectors each minimises over its own,
///
///   x_i <- argmin f_i(x) + <omega_i + r (MX)_i - w_i x_i + (1 - r/rho) p_i, x> + (w_i/2) |x|^2
///   P   <- rho/(rho + r) (P + r M X)
///
/// all at once, or one colour after the other. With r = rho, P plays no part, and these are the passes of
/// Jacobi (w = rho lambda_max) and Gauss-Seidel (w_i = rho W_ii). Any other r makes them steps of ADMM with
/// penalty r, which has a copy of x_i and x_j on every edge and whose multipliers sum to P at each agent:
/// w_i = 2 r W_ii. After some passes
///
///   Lambda+ = Omega + eta M X,   Omega+ = Lambda+ + beta (Lambda+ - Lambda).
struct Sweeps {
  enum class Turns { all_at_once, by_colour };

  LocalSolver local;
  double rho = 0, r = 0;
  LocalWeights w;
  Turns turns = Turns::all_at_once;
  double passes = 1, growth = 1;  ///< passes growth^k for dual step k
  double eta = 0, beta = 0;

  Block operator()(Objective& F, Mixing& M, Run& run, Block X) const;
};

/// w for passes of Jacobi or Gauss-Seidel. With w_i = rho M_ii agents that move all at once may overshoot
/// together, on bipartite graphs without end.
inline LocalWeights pass_weights(Sweeps::Turns turns, double rho, const Mixing& M, Index hosted) {
  const double w = rho * M.spectrum().lambda_max;
  if (turns == Sweeps::Turns::all_at_once) return {Vector::Constant(hosted, w), w, w};
  const Neighbourhood known = M.neighbourhood();
  return {rho * known.diagonal, rho * known.least, rho * known.most};
}

}  // namespace ideal
