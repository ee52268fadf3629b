// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/data.hpp>
#include <ideal/topology.hpp>

/// Dense linear algebra for the tests' independent answers, compiled once.
namespace ideal::test {

struct Eigenpairs {
  Vector values;  // ascending
  Block vectors;
};

Eigenpairs symmetric_eigen(const Block& A);
Vector symmetric_eigenvalues(const Block& A);

/// Of any square matrix.
Eigen::VectorXcd eigenvalues(const Block& A);

Block product(const Block& A, const Block& B);
Vector solve_symmetric(const Block& A, const Vector& b);

/// V diag(values) V'.
Block compose(const Eigenpairs& pairs);

/// Q_J(W) by its definition, eigenvalue by eigenvalue.
Block chebyshev_of(const Topology& topology, int J);

/// Zeros included.
DenseRows dense_features(const Dataset& data);

/// W_DS, doubly stochastic.
Block averaging_matrix(const Topology& topology);

/// The orthogonal factor of a QR decomposition.
Block orthogonalise(const Block& A);

}  // namespace ideal::test
