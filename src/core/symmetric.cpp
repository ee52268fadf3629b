// SPDX-License-Identifier: Apache-2.0
#include "core/symmetric.hpp"

#include <limits>

#include <Eigen/Eigenvalues>

namespace ideal {

namespace {

using Solver = Eigen::SelfAdjointEigenSolver<Block>;

Vector values_of(const Solver& solver) {
  if (solver.info() == Eigen::Success) return solver.eigenvalues();
  return Vector::Constant(solver.eigenvalues().size(), std::numeric_limits<double>::quiet_NaN());
}

}  // namespace

Eigenpairs symmetric_eigen(const Block& A) {
  const Solver solver(A);
  return {values_of(solver), solver.eigenvectors()};
}

Vector symmetric_eigenvalues(const Block& A) { return values_of(Solver(A, Eigen::EigenvaluesOnly)); }

}  // namespace ideal
