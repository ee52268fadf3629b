// SPDX-License-Identifier: Apache-2.0
#include "network/sparse_factor.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include <Eigen/OrderingMethods>

namespace ideal {
namespace {

using Permutation = Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int>;

Permutation little_fill(const SparseRows& W) {
  Permutation to_old;
  Eigen::AMDOrdering<int>()(W.selfadjointView<Eigen::Upper>(), to_old);
  return to_old.inverse();
}

SparseFactor::Upper reordered(const SparseRows& W, const Permutation& to_new) {
  SparseFactor::Upper upper(W.rows(), W.cols());
  upper.selfadjointView<Eigen::Upper>() = W.selfadjointView<Eigen::Upper>().twistedBy(to_new);
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

SparseFactor::SparseFactor(const SparseRows& W) : SparseFactor(W, little_fill(W)) {}

SparseFactor::SparseFactor(const SparseRows& W, const Permutation& to_new)
    : W_(reordered(W, to_new)), to_new_(to_new.indices()), cost_(cost_of(W_, most_nonzeros)) {}

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

// Takahashi, Fagan & Chin (1973). Column j of Z L = L^-T, for the inverse Z, gives Z_ij = -sum of Z_ik L_kj
// over the k > j of the column, divided by L_jj; whatever it needs of Z stands to the right and on the
// pattern.
SelectedInverse::SelectedInverse(const SparseFactor& factor) : factor_(factor), lower_(factor.lower()) {
  const auto& L = factor.lower();
  const int *starts = L.outerIndexPtr(), *rows = L.innerIndexPtr();
  double* const Z = lower_.valuePtr();
  std::vector<Index> slot(L.cols(), -1);  // of a row in the column that is being computed
  Vector sums(L.cols());
  for (Index j = L.cols() - 1; j >= 0; --j) {
    const Index first = starts[j] + 1, below = starts[j + 1] - first;  // the diagonal stands first
    const double* const column = L.valuePtr() + first;
    for (Index s = 0; s < below; ++s) slot[rows[first + s]] = s;
    sums.head(below).setZero();
    for (Index s = 0; s < below; ++s) {
      const int k = rows[first + s];
      sums[s] += Z[starts[k]] * column[s];
      const Index from = starts[k] + 1, entries = starts[k + 1] - from, left = below - s - 1;
      if (entries == left) {  // the rows of column k, no others: as where the factor is dense
        const Eigen::Map<const Vector> z(Z + from, left), l(column + s + 1, left);
        sums.segment(s + 1, left) += column[s] * z;
        sums[s] += z.dot(l);
        continue;
      }
      for (Index at = from; at < from + entries; ++at)
        if (const Index i = slot[rows[at]]; i >= 0) {
          sums[i] += Z[at] * column[s];
          sums[s] += Z[at] * column[i];
        }
    }
    const double pivot = L.valuePtr()[starts[j]];
    double diagonal = 1 / pivot;
    for (Index s = 0; s < below; ++s) {
      Z[first + s] = -sums[s] / pivot;
      diagonal -= column[s] * Z[first + s];
      slot[rows[first + s]] = -1;
    }
    Z[starts[j]] = diagonal / pivot;
  }
}

double SelectedInverse::operator()(Index a, Index b) const {
  const auto [column, row] = std::minmax({factor_.place_of(a), factor_.place_of(b)});
  return lower_.coeff(row, column);
}

}  // namespace ideal
