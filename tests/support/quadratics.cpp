// SPDX-License-Identifier: Apache-2.0
#include "support/quadratics.hpp"

#include "support/dense.hpp"

#include <ideal/random.hpp>

#include <cmath>

namespace ideal::test {

Quadratic::Quadratic(Block H, Vector h) : H_(std::move(H)), h_(std::move(h)) {}

double Quadratic::value(VectorRef x) const { return x.dot(H_ * x) / 2 - h_.dot(x); }

void Quadratic::gradient(VectorRef x, VectorOut g) const { g = H_ * x - h_; }

Curvature Quadratic::curvature() const {
  const Vector lambda = symmetric_eigenvalues(H_);
  return {lambda[lambda.size() - 1], lambda[0]};
}

Quadratics::Quadratics(Index agents, Index d, double kappa, std::uint64_t seed) {
  Random random(seed);
  const Vector lambda = Vector::NullaryExpr(
      d, [&](Index k) { return std::pow(kappa, static_cast<double>(k) / static_cast<double>(d - 1)); });
  for (Index i = 0; i < agents; ++i) {
    const Block V = orthogonalise(Block::NullaryExpr(d, d, [&] { return random.normal(); }));
    const Vector h = Vector::NullaryExpr(d, [&] { return random.normal(); });
    parts_.push_back(std::make_shared<Quadratic>(compose({lambda, V}), h));
  }
}

Problem Quadratics::problem() const {
  Problem problem{.losses = {parts_.begin(), parts_.end()}, .constants = {}, .reference = {}};
  Threads threads;
  problem.constants = constants_of(problem.losses, {}, {}, threads);
  problem.reference = solve_reference(problem.losses, threads);
  return problem;
}

Vector Quadratics::minimiser() const {
  Block H = Block::Zero(dimension(), dimension());
  Vector h = Vector::Zero(dimension());
  for (const auto& f : parts_) {
    H += f->H();
    h += f->h();
  }
  return solve_symmetric(H, h);
}

Block Quadratics::minimise_augmented(const Block& A, double rho, const Block& W) const {
  const Index d = dimension(), n = std::ssize(parts_);
  Block system = Block::Zero(n * d, n * d);
  Vector right(n * d);
  for (Index i = 0; i < n; ++i) {
    right.segment(i * d, d) = parts_[i]->h() - A.col(i);
    for (Index j = 0; j < n; ++j) system.block(i * d, j * d, d, d) = rho * W(i, j) * Block::Identity(d, d);
    system.block(i * d, i * d, d, d) += parts_[i]->H();
  }
  return solve_symmetric(system, right).reshaped(d, n);
}

double Quadratics::unconstrained_minimum() const {
  double sum = 0;
  for (const auto& f : parts_) sum -= f->h().dot(solve_symmetric(f->H(), f->h())) / 2;
  return sum;
}

}  // namespace ideal::test
