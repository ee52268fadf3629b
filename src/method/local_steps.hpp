// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "method/nesterov.hpp"
#include "method/steps.hpp"

#include <ideal/error.hpp>
#include <ideal/method.hpp>

#include <cmath>

namespace ideal {

/// How agents minimise on their own: to rounding at once, or by T accelerated steps.
struct LocalSolver {
  bool exact = false;
  std::optional<Index> T;      ///< 2 sqrt(kappa of the local problems)
  std::string_view key = "T";  ///< what T is called
  double L_scale = 1;          ///< more where it went astray

  void parameters(Fields& fields) {
    fields.flag("exact", exact,
                "exact local minimisers (each counted as one computation) instead of T local steps");
    fields.number("T", T, range::count,
                  "local accelerated steps for a minimiser; auto: 2 sqrt(kappa) of the local problems");
  }
};

/// The c_i of the hosted agents, and between what those of all agents are: all take as many steps.
struct LocalWeights {
  Vector c;
  double least, most;
};

/// argmin F(X) + <A, X> + sum_i (c_i / 2) |x_i|^2, one computation a call; no communication.
class LocalSteps {
 public:
  LocalSteps(const LocalSolver& solver, Objective& F, Mixing& W, Run& run, LocalWeights weights,
             const Block& X)
      : Y(X), F_(F), W_(W), exact_(solver.exact), c_(std::move(weights.c)) {
    const double L = solver.L_scale * F.L() + weights.most, mu = F.mu() + weights.least;
    step_ = 1 / L;
    beta_ = nest(L / mu);
    if (exact_) return;
    if (!std::isfinite(L))
      throw InputError("--set exact=false", "the losses are not smooth", "local steps are 1/L long",
                       "Leave it out, or give a positive --smoothing.");
    T_ = run.uses(solver.key, solver.T ? *solver.T : whole_steps(2 * std::sqrt(L / mu), solver.key));
    C_ = c_.transpose().replicate(X.rows(), 1);
  }

  /// True once X is taken for the minimiser; it is the start, too.
  bool operator()(const Block& A, Block& X) {
    if (exact_) {
      X = F_.tilted(A, c_, X);
      return true;
    }
    if (t == 0) W_.locally(X, [&](auto own) { own(Y) = own(X); });
    const Block& G = F_.gradient(Y);
    W_.locally(X, [&](auto own) {
      const Part X_next = own(Y) - step_ * (own(G) + own(A) + own(C_).cwiseProduct(own(Y)));
      own(Y) = X_next + beta_ * (X_next - own(X));
      own(X) = X_next;
    });
    t = (t + 1) % T_;
    return t == 0;
  }

  // For a method's checkpoint.
  Block Y;
  Index t = 0;

 private:
  Objective& F_;
  Mixing& W_;
  bool exact_;
  Vector c_;
  double step_, beta_;
  Index T_ = 1;
  Block C_;
};

/// One number an agent as a block of X's shape, for updates entry by entry.
inline Block each_agent(const Vector& numbers, const Block& X) {
  return numbers.transpose().replicate(X.rows(), 1);
}

}  // namespace ideal
