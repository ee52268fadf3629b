// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/block.hpp>

namespace ideal {

/// Of a symmetric matrix; ascending.
struct Eigenpairs {
  Vector values;
  Block vectors;
};

/// Eigen's solver behind functions: what uses it in many places is compiled once. NaN where it does not
/// converge, as where the matrix is not finite.
Eigenpairs symmetric_eigen(const Block& A);
Vector symmetric_eigenvalues(const Block& A);

}  // namespace ideal
