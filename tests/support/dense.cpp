// SPDX-License-Identifier: Apache-2.0
#include "support/dense.hpp"

#include <utility>

#include <Eigen/Dense>

namespace ideal::test {

Eigenpairs symmetric_eigen(const Block& A) {
  const Eigen::SelfAdjointEigenSolver<Block> solver(A);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

Vector symmetric_eigenvalues(const Block& A) {
  return Eigen::SelfAdjointEigenSolver<Block>(A, Eigen::EigenvaluesOnly).eigenvalues();
}

Eigen::VectorXcd eigenvalues(const Block& A) { return Eigen::EigenSolver<Block>(A, false).eigenvalues(); }

Block product(const Block& A, const Block& B) { return A * B; }

Vector solve_symmetric(const Block& A, const Vector& b) { return A.ldlt().solve(b); }

Block compose(const Eigenpairs& pairs) {
  return pairs.vectors * pairs.values.asDiagonal() * pairs.vectors.transpose();
}

Block averaging_matrix(const Topology& topology) {
  const double lambda_max = topology.spectrum().lambda_max, s = lambda_max < 2 ? 1 : 1 / lambda_max;
  return Block::Identity(topology.agents(), topology.agents()) - s * Block(topology.weights());
}

DenseRows dense_features(const Dataset& data) {
  return std::visit([](const auto& rows) { return DenseRows(rows); }, data.features);
}

Block orthogonalise(const Block& A) { return Eigen::HouseholderQR<Block>(A).householderQ(); }

Block chebyshev_of(const Topology& topology, int J) {
  Eigenpairs pairs = symmetric_eigen(Block(topology.weights()));
  const auto [lambda_max, lambda_min] = topology.spectrum();
  const double kappa = lambda_max / lambda_min, c2 = (kappa + 1) / (kappa - 1),
               c3 = 2 / (lambda_max + lambda_min);
  const auto T = [J](double x) {
    double before = 1, now = x;
    for (int j = 1; j < J; ++j) before = std::exchange(now, 2 * x * now - before);
    return now;
  };
  for (double& lambda : pairs.values) lambda = 1 - T(c2 * (1 - c3 * lambda)) / T(c2);
  return compose(pairs);
}

}  // namespace ideal::test
