// SPDX-License-Identifier: Apache-2.0
#include "network/sparse_factor.hpp"

#include <numeric>
#include <vector>

#include <Eigen/OrderingMethods>

namespace ideal {
namespace {

SparseFactor::Upper reordered(const SparseRows& W) {
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> to_old;
  Eigen::AMDOrdering<int>()(W.selfadjointView<Eigen::Upper>(), to_old);
  SparseFactor::Upper upper(W.rows(), W.cols());
  upper.selfadjointView<Eigen::Upper>() = W.selfadjointView<Eigen::Upper>().twistedBy(to_old.inverse());
  // The permuted columns hold their rows in any order; a change of the storage order sorts them.
  const SparseRows sorted = upper;
  return sorted;
}

// Column counts of the Cholesky factor by walking each row's subtree of the elimination tree (Liu 1990), at
// most until `limit` entries. Eigen's own count is 32-bit and comes with the memory already claimed.
SparseFactor::Cost cost_of(const SparseFactor::Upper& A, Index limit) {
  const Index n = A.cols();
  std::vector<Index> parent(n, -1), visited(n, -1), below(n, 1);
  Index nonzeros = n;
  for (Index k = 0; k < n && nonzeros <= limit; ++k) {
    visited[k] = k;
    for (SparseFactor::Upper::InnerIterator entry(A, k); entry; ++entry)
      for (Index i = entry.row(); visited[i] != k; i = parent[i]) {
        if (parent[i] < 0) parent[i] = k;
        visited[i] = k;
        ++below[i];
        ++nonzeros;
      }
  }
  const auto square = [](double sum, Index count) {
    return sum + static_cast<double>(count) * static_cast<double>(count);
  };
  return {nonzeros, std::accumulate(below.begin(), below.end(), 0.0, square) / 2};
}

}  // namespace

SparseFactor::SparseFactor(const SparseRows& W) : W_(reordered(W)), cost_(cost_of(W_, most_nonzeros)) {}

bool SparseFactor::factorize(const Upper& matrix) {
  if (!analyzed_) llt_.analyzePattern(matrix);
  analyzed_ = true;
  llt_.factorize(matrix);
  return llt_.info() == Eigen::Success;
}

bool SparseFactor::factorize_grounded() {
  Upper grounded = W_;
  grounded.coeffRef(0, 0) *= 2;
  return factorize(grounded);
}

bool SparseFactor::factorize_below(double shift) {
  Upper shifted = -W_;
  for (Index i = 0; i < size(); ++i) shifted.coeffRef(i, i) += shift;
  return factorize(shifted);
}

void SparseFactor::solve_in_place(Vector& b) const {
  llt_.matrixL().solveInPlace(b);
  llt_.matrixU().solveInPlace(b);
}

}  // namespace ideal
