// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/topology.hpp>

#include <Eigen/SparseCholesky>

namespace ideal {

/// Cholesky factors of matrices with the pattern of W, its agents reordered for little fill. One ordering
/// serves all of them; only the last factor is kept.
class SparseFactor {
 public:
  using Upper = Eigen::SparseMatrix<double>;

  struct Cost {
    Index nonzeros;
    double work;
  };

  /// Orders (approximate minimum degree) and counts the factor's entries; no factor yet.
  explicit SparseFactor(const SparseRows& W);

  [[nodiscard]] Index size() const { return W_.rows(); }
  [[nodiscard]] const Upper& matrix() const { return W_; }  ///< the upper triangle of the reordered W
  [[nodiscard]] Index nonzeros() const { return cost_.nonzeros; }
  [[nodiscard]] double work() const { return cost_.work; }  ///< multiplications of one factorisation
  [[nodiscard]] bool fits() const {
    return cost_.nonzeros <= most_nonzeros;
  }  ///< in 1.5 GB; else the cost is a lower bound

  bool factorize_grounded();  ///< W + W_11 e e^T, e the first unit vector; false unless positive definite
  bool factorize_below(double shift);    ///< shift I - W; false unless positive definite
  void solve_in_place(Vector& b) const;  ///< with the last factor
  [[nodiscard]] const Upper& lower() const { return llt_.matrixL().nestedExpression(); }  ///< the last factor
  [[nodiscard]] Index place_of(Index agent) const { return to_new_[agent]; }  ///< its row in the reordered W

 private:
  static constexpr Index most_nonzeros = 125'000'000;
  SparseFactor(const SparseRows& W,
               const Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int>& to_new);
  bool factorize(const Upper& matrix);

  Upper W_;
  Eigen::VectorXi to_new_;
  Cost cost_;
  bool analyzed_ = false;
  Eigen::SimplicialLLT<Upper, Eigen::Upper, Eigen::NaturalOrdering<int>> llt_;
};

/// The entries of the inverse of a factorised matrix that lie on the pattern of the factor, which covers the
/// pattern of W: as many numbers as the factor has, for about the work of making it.
class SelectedInverse {
 public:
  explicit SelectedInverse(const SparseFactor& factor);
  double operator()(Index a, Index b) const;  ///< by agents; W_ab stored

 private:
  const SparseFactor& factor_;
  SparseFactor::Upper lower_;  // of the inverse
};

}  // namespace ideal
