// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/problems.hpp"

namespace ideal::test {

/// f(x) = (1/2) x'Hx - h'x, written as a user would write a loss: the four functions that have no default.
class Quadratic final : public Loss {
 public:
  Quadratic(Block H, Vector h);
  Index dimension() const override { return h_.size(); }
  double value(VectorRef x) const override;
  void gradient(VectorRef x, VectorOut g) const override;
  Curvature curvature() const override;
  [[nodiscard]] const Block& H() const { return H_; }
  [[nodiscard]] const Vector& h() const { return h_; }

 private:
  Block H_;
  Vector h_;
};

/// Random quadratics with eigenvalues in [1, kappa], different eigenvectors and minima at every agent.
class Quadratics {
 public:
  Quadratics(Index agents, Index d, double kappa, std::uint64_t seed);

  [[nodiscard]] Problem problem() const;

  /// The minimiser of sum f_i, by a direct solve.
  [[nodiscard]] Vector minimiser() const;

  /// argmin F(X) + <A, X> + (rho/2) <X, X W>, by one dense solve in all agents' variables.
  [[nodiscard]] Block minimise_augmented(const Block& A, double rho, const Block& W) const;

  /// sum_i min f_i: the value of F without the constraint.
  [[nodiscard]] double unconstrained_minimum() const;

  [[nodiscard]] Index dimension() const { return parts_[0]->dimension(); }

 private:
  std::vector<std::shared_ptr<const Quadratic>> parts_;
};

}  // namespace ideal::test
