// SPDX-License-Identifier: Apache-2.0
#include "method/at_once.hpp"
#include "method/augmented_lagrangian.hpp"
#include "method/steps.hpp"

#include <algorithm>
#include <cmath>

namespace ideal {

/// The subproblems P_k(X) = F(X) + <Omega, X> + (rho/2) <X, M X> by SVRG (Johnson, Zhang 2013) or Katyusha
/// (Allen-Zhu 2017; in the form of Kovalev, Horvath, Richtarik 2020, its epochs of fixed length). Only F is
/// sampled. The gradient at V is estimated from a snapshot S, whose own is known:
///
///   G = grad F(S) + (grad of a batch at V - the same at S)
///
/// Each subproblem starts with everything at X_k, so that its first product M V is the M X_k of the dual
/// step.
Block AugmentedLagrangian::with_reduced_variance(Objective& F, Mixing& M, Run& run, Block X) const {
  const double lambda_max = M.spectrum().lambda_max;
  const Outer set = outer(F, M, run, rho_scale * L_scale * F.L() / lambda_max);
  const double mu = set.mu, rho = set.rho, eta = set.eta, beta = set.beta;
  const bool katyusha = solver == Solver::katyusha, whole = batch >= F.rows();
  run.uses("batch", batch);

  const auto rows = static_cast<double>(F.rows()), batch_rows = static_cast<double>(batch);
  const Index epoch = run.uses("epoch", this->epoch ? *this->epoch
                                        : whole     ? 1
                                                    : whole_steps(2 * rows / batch_rows, "epoch"));
  const auto m = static_cast<double>(epoch);
  const double L_in = set.L + rho * lambda_max, noise = whole ? 0 : L_scale * F.row_L() / batch_rows;

  // Katyusha's one L is for the curvature and for the noise of the estimate.
  const double step = run.uses(
      "step", this->step.value_or(step_scale / (katyusha ? std::max(L_in, noise) : L_in + 6 * noise)));
  const double theta_1 = katyusha ? std::min(std::sqrt(2 * m * mu * step / 3), 0.5) : 0;
  const double theta_2 = katyusha ? 0.5 : 0;
  const double far = katyusha ? step / (3 * theta_1) : 0;  // of Z: theta_2 / ((1 + theta_2) theta_1 L)
  const double steps = katyusha ? m + std::sqrt(m / (step * mu)) : 2 * m + 1 / (step * mu);
  const auto T0 = static_cast<double>(run.uses("T", T ? *T : whole_steps(2 * steps, "T")));
  const double growth = run.uses("growth", this->growth.value_or(1));

  Block Z = X, S = X, V = X, gradient_S = Block::Zero(X.rows(), X.cols());
  Block G = gradient_S, Lambda = gradient_S, Omega = gradient_S;
  Index k = 0, t = 0, draws = 0;  // outer iterations done, inner steps done, in all

  const auto estimate = [&]() -> const Block& {
    if (whole) return F.gradient(V);
    const bool fresh = t % epoch == 0;
    if (fresh) gradient_S = F.gradient(S);
    if (fresh && (!katyusha || t == 0)) return gradient_S;  // V = S
    const Block& change = F.change(V, S, batch, draws);
    M.locally(X, [&](auto own) { own(G) = own(gradient_S) + own(change); });
    return G;
  };

  run.keep(X, Z, S, gradient_S, Lambda, Omega, k, t, draws);
  while (run.more(X, k)) {
    const bool begins = t == 0, snapshot = t % epoch == 0;
    M.locally(X, [&](auto own) {
      if (begins) own(Z) = own(X);
      if (snapshot) own(S) = own(X);
      own(V) = theta_1 * own(Z) + theta_2 * own(S) + (1 - theta_1 - theta_2) * own(X);
    });
    const Both at_V = at_once(M, V, draws == 0 && run.starts_together(), estimate);
    const Block &estimated = at_V.gradient, &MV = at_V.mixed;
    const bool dual_step = begins && k > 0;  // V = X = X_k

    M.locally(X, [&](auto own) {
      if (dual_step) {
        const Part Lambda_next = own(Omega) + eta * own(MV);
        own(Omega) = Lambda_next + beta * (Lambda_next - own(Lambda));
        own(Lambda) = Lambda_next;
      }
      const Part gradient_P = own(estimated) + own(Omega) + rho * own(MV);
      if (katyusha) {
        const Part Z_next = (own(Z) + far * (mu * own(V) - gradient_P)) / (1 + far * mu);
        own(X) = own(V) + theta_1 * (Z_next - own(Z));
        own(Z) = Z_next;
      } else {
        own(X) = own(V) - step * gradient_P;
      }
    });
    ++draws;
    if (static_cast<double>(++t) < std::ceil(T0 * std::pow(growth, k))) continue;
    ++k;
    t = 0;
  }
  return X;
}

}  // namespace ideal
