// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/problems.hpp"

#include <ideal/random.hpp>

#include <cmath>
#include <memory>

#include <Eigen/Dense>

namespace ideal::test {

/// f(x) = (1/2) x'Hx - h'x, written as a user would write a loss: the four functions that have no default.
class Quadratic final : public Loss {
 public:
  Quadratic(Block H, Vector h) : H_(std::move(H)), h_(std::move(h)) {}
  Index dimension() const override { return h_.size(); }
  double value(VectorRef x) const override { return x.dot(H_ * x) / 2 - h_.dot(x); }
  void gradient(VectorRef x, VectorOut g) const override { g = H_ * x - h_; }
  Curvature curvature() const override {
    const Vector lambda = Eigen::SelfAdjointEigenSolver<Block>(H_).eigenvalues();
    return {lambda[lambda.size() - 1], lambda[0]};
  }
  [[nodiscard]] const Block& H() const { return H_; }
  [[nodiscard]] const Vector& h() const { return h_; }

 private:
  Block H_;
  Vector h_;
};

/// Random quadratics with eigenvalues in [1, kappa], different eigenvectors and minima at every agent.
class Quadratics {
 public:
  Quadratics(Index agents, Index d, double kappa, std::uint64_t seed) {
    Random random(seed);
    for (Index i = 0; i < agents; ++i) {
      const Block G = Block::NullaryExpr(d, d, [&] { return random.normal(); });
      const Block V = Eigen::HouseholderQR<Block>(G).householderQ();
      const Vector lambda = Vector::NullaryExpr(
          d, [&](Index k) { return std::pow(kappa, d > 1 ? double(k) / double(d - 1) : 1.0); });
      const Vector h = Vector::NullaryExpr(d, [&] { return random.normal(); });
      parts_.push_back(std::make_shared<Quadratic>(V * lambda.asDiagonal() * V.transpose(), h));
    }
  }

  [[nodiscard]] Problem problem() const {
    Problem problem{.losses = {parts_.begin(), parts_.end()}, .constants = {}, .reference = {}};
    Threads threads;
    problem.constants = constants_of(problem.losses, {}, {}, threads);
    problem.reference = solve_reference(problem.losses, threads);
    return problem;
  }

  /// The minimiser of sum f_i, by a direct solve.
  [[nodiscard]] Vector minimiser() const {
    Block H = Block::Zero(dimension(), dimension());
    Vector h = Vector::Zero(dimension());
    for (const auto& f : parts_) {
      H += f->H();
      h += f->h();
    }
    return H.llt().solve(h);
  }

  /// argmin F(X) + <A, X> + (rho/2) <X, X W>, by one dense solve in all agents' variables.
  [[nodiscard]] Block minimise_augmented(const Block& A, double rho, const Block& W) const {
    const Index d = dimension(), n = std::ssize(parts_);
    Block system = Block::Zero(n * d, n * d);
    Vector right(n * d);
    for (Index i = 0; i < n; ++i) {
      right.segment(i * d, d) = parts_[i]->h() - A.col(i);
      for (Index j = 0; j < n; ++j) system.block(i * d, j * d, d, d) = rho * W(i, j) * Block::Identity(d, d);
      system.block(i * d, i * d, d, d) += parts_[i]->H();
    }
    const Vector solution = system.ldlt().solve(right);
    return Eigen::Map<const Block>(solution.data(), d, n);
  }

  /// sum_i min f_i: the value of F without the constraint.
  [[nodiscard]] double unconstrained_minimum() const {
    double sum = 0;
    for (const auto& f : parts_) sum -= f->h().dot(f->H().llt().solve(f->h())) / 2;
    return sum;
  }

  [[nodiscard]] Index dimension() const { return parts_[0]->dimension(); }

 private:
  std::vector<std::shared_ptr<const Quadratic>> parts_;
};

}  // namespace ideal::test
