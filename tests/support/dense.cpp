// SPDX-License-Identifier: Apache-2.0
#include "support/dense.hpp"

#include <Eigen/Dense>

namespace ideal::test {

Eigenpairs symmetric_eigen(const Block& A) {
  const Eigen::SelfAdjointEigenSolver<Block> solver(A);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

Vector symmetric_eigenvalues(const Block& A) { return symmetric_eigen(A).values; }

Block product(const Block& A, const Block& B) { return A * B; }

Vector solve_symmetric(const Block& A, const Vector& b) { return A.ldlt().solve(b); }

Block compose(const Eigenpairs& pairs) {
  return pairs.vectors * pairs.values.asDiagonal() * pairs.vectors.transpose();
}

Block orthogonalise(const Block& A) { return Eigen::HouseholderQR<Block>(A).householderQ(); }

}  // namespace ideal::test
