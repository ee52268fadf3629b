// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "method/local_steps.hpp"

namespace ideal {

/// Algorithms 1, 2, 3 and 5 of the paper are one algorithm with different defaults:
///
///   X_k ~ argmin P_k(X) = F(X) + <Omega_k, X> + (rho/2) <X, M X>,   started at X_{k-1}
///   Lambda_{k+1} = Omega_k + eta M X_k
///   Omega_{k+1}  = Lambda_{k+1} + beta (Lambda_{k+1} - Lambda_k)
///
/// A regulariser of F makes the inner steps proximal ones. Losses without strong convexity are approached by
/// such as have it: F + (sigma/2)|X|^2, with sigma halved stage by stage.
struct AugmentedLagrangian {
  enum class Solver { agd, gd, sgd, exact, svrg, katyusha, jacobi, gauss_seidel, admm };

  Solver solver = Solver::agd;
  std::optional<Index> option;   ///< what ends an inner loop: proven accuracy (1), T steps (2), progress (3)
  std::optional<Index> T;        ///< inner steps or passes; for options 1 and 3 the most there may be
  double accuracy = 0.1;         ///< option 3: |grad P_k| <= accuracy eta |M X|
  std::optional<double> growth;  ///< T_k = T growth^k; sgd: 1 / (1 - sqrt(mu_rho / L_rho) / 2), else 1
  std::optional<double> rho;     ///< L / lambda_max; sgd: L / lambda_min; option 3: between them; jacobi and
                                 ///< gauss-seidel: mu / lambda_max
  double rho_scale = 1;
  std::optional<double> eta;  ///< 1 / L_rho = rho + mu / lambda_max
  bool eta_is_rho = false;
  std::optional<double> beta;     ///< nest(L_rho / mu_rho)
  std::optional<double> beta_in;  ///< nest(kappa_in); gd, sgd: 0
  double step_scale = 1;
  std::optional<double> step;    ///< 1 / (L + rho lambda_max)
  std::optional<bool> carry;     ///< keep the inner momentum over outer iterations
  Index batch = 32;              ///< rows of a stochastic step
  std::optional<Index> epoch;    ///< svrg, katyusha: steps between whole gradients
  std::optional<double> rho_in;  ///< penalty of admm; sqrt(rho mu / lambda_max)
  LocalSolver local{.exact = false, .T = {}, .key = "local-steps", .L_scale = 1};
  std::optional<bool> vanish;   ///< whether sigma > 0 at first; where mu = 0
  std::optional<double> sigma;  ///< the first one; L / 10
  double L_scale = 1;           ///< more where it went astray
  bool on_graph = true;         ///< M is W, whose rows the agents know

  void parameters(Fields& fields);
  void inner_parameters(Fields& fields);
  void outer_parameters(Fields& fields);
  void check() const;
  std::string be_careful();
  [[nodiscard]] Index ending() const;  ///< the option as resolved
  [[nodiscard]] bool reduces_variance() const { return solver == Solver::svrg || solver == Solver::katyusha; }
  [[nodiscard]] bool stochastic() const { return solver == Solver::sgd || reduces_variance(); }
  [[nodiscard]] bool sweeps() const { return solver >= Solver::jacobi; }
  [[nodiscard]] bool guards_itself() const { return ending() == 3; }
  Block operator()(Objective& F, Mixing& M, Run& run, Block X) const;

  /// The numbers of the outer iterations.
  struct Outer {
    double L, mu, rho, L_rho, mu_rho, eta, beta;
  };
  Outer outer(const Objective& F, const Mixing& M, Run& run, double default_rho) const;

 private:
  /// With inner solvers that sample rows, and yet converge linearly: variance_reduced.cpp.
  Block with_reduced_variance(Objective& F, Mixing& M, Run& run, Block X) const;

  void require_smooth_strongly_convex(const Objective& F) const;

  /// With agents that minimise over their own vectors, pass after pass.
  Block in_passes(Objective& F, Mixing& M, Run& run, Block X) const;
};

}  // namespace ideal
