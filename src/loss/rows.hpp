// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "loss/kernels.hpp"

#include <ideal/data.hpp>

#include <algorithm>
#include <memory>

namespace ideal {

/// One agent's rows of a shared data set, dense or sparse, and the passes over them that losses are made of.
class Rows {
 public:
  Rows(std::shared_ptr<const Dataset> data, Index begin, Index end)
      : data_(std::move(data)), begin_(begin), end_(end) {}

  [[nodiscard]] Index count() const { return end_ - begin_; }
  [[nodiscard]] Index columns() const { return data_->columns(); }
  [[nodiscard]] double label(Index row) const { return data_->labels[begin_ + row]; }
  [[nodiscard]] bool sparse() const { return data_->sparse(); }

  /// One pass: g += sum_j residual(j, a_j'x) a_j.
  template <class Residual>
  void pass(const double* x, double* g, Residual residual) const {
    if (sparse()) {
      for (Index j = 0; j < count(); ++j) add_row(j, residual(j, dot_row(j, x)), g);
      return;
    }
    const Index d = columns();
    Index j = 0;
    for (double z[kernel::row_group]; j + kernel::row_group <= count(); j += kernel::row_group) {
      const double* group = dense_row(j);
      kernel::dot4(group, x, d, z);
      for (Index k = 0; k < kernel::row_group; ++k) z[k] = residual(j + k, z[k]);
      kernel::add4(group, z, d, g);
    }
    for (; j < count(); ++j) kernel::add(dense_row(j), residual(j, kernel::dot(dense_row(j), x, d)), d, g);
  }

  [[nodiscard]] double dot_row(Index row, const double* x) const {
    if (!sparse()) return kernel::dot(dense_row(row), x, columns());
    double sum = 0;
    for (SparseRows::InnerIterator a(sparse_rows(), begin_ + row); a; ++a) sum += a.value() * x[a.col()];
    return sum;
  }

  void add_row(Index row, double r, double* g) const {
    if (!sparse()) return kernel::add(dense_row(row), r, columns(), g);
    for (SparseRows::InnerIterator a(sparse_rows(), begin_ + row); a; ++a) g[a.col()] += r * a.value();
  }

  /// Calls use(first row, A_tile X) tile by tile: margins for many points at once. A tile of rows stays in
  /// the L2 cache.
  template <class Matrix, class Use>
  void margins(const Matrix& X, Use use) const {
    DenseRows Z;
    for_tiles([&](Index first, Index rows) {
      multiply_tile(first, rows, X, Z);
      use(first, Z);
    });
  }

  /// G += A_tile' R for one tile of rows.
  template <class Matrix>
  void add_tile(Index first, const DenseRows& R, Matrix& G) const {
    if (sparse())
      G.noalias() += sparse_rows().middleRows(begin_ + first, R.rows()).transpose() * R;
    else
      G.noalias() += dense_rows().middleRows(begin_ + first, R.rows()).transpose() * R;
  }

  /// Adds A' diag(w) A to the lower triangle of H.
  void add_weighted_gram(const Vector& w, Block& H) const;

  /// Extreme eigenvalues of A'A / count. The smallest is exact up to dimension `dense_limit`, and the valid
  /// lower bound 0 beyond.
  struct GramSpectrum {
    double largest, smallest;
  };
  [[nodiscard]] GramSpectrum gram_spectrum(bool want_smallest) const;

 private:
  [[nodiscard]] bool all_zero() const;
  static constexpr Index dense_limit = 2000;

  template <class Use>
  void for_tiles(Use use) const {
    const Index tile = std::clamp<Index>((192 << 10) / (8 * std::max<Index>(1, columns())), 8, 512);
    for (Index first = 0; first < count(); first += tile) use(first, std::min(tile, count() - first));
  }

  template <class Matrix>
  void multiply_tile(Index first, Index rows, const Matrix& X, DenseRows& Z) const {
    if (sparse())
      Z = sparse_rows().middleRows(begin_ + first, rows) * X;
    else
      Z.noalias() = dense_rows().middleRows(begin_ + first, rows) * X;
  }

  [[nodiscard]] const DenseRows& dense_rows() const { return std::get<DenseRows>(data_->features); }
  [[nodiscard]] const SparseRows& sparse_rows() const { return std::get<SparseRows>(data_->features); }
  [[nodiscard]] const double* dense_row(Index row) const {
    return dense_rows().data() + (begin_ + row) * columns();
  }

  std::shared_ptr<const Dataset> data_;
  Index begin_, end_;
};

}  // namespace ideal
