// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "loss/piecewise.hpp"
#include "loss/rows.hpp"

namespace ideal {

/// f(x) = (1/m) sum_j (logsumexp(z_j) - z_{j,b_j}) + (l2/2)|x|^2 with z_j = C'a_j; x holds C (features x
/// classes) row by row.
class SoftmaxLoss final : public PiecewiseLoss {
 public:
  SoftmaxLoss(std::shared_ptr<const Rows> rows, double l2, int classes)
      : PiecewiseLoss(rows->pieces(rows->columns() * classes)),
        rows_(std::move(rows)),
        l2_(l2),
        share_(1 / static_cast<double>(rows_->count())),
        classes_(classes) {}

  Index dimension() const override { return rows_->columns() * classes_; }
  Index rows() const override { return rows_->count(); }
  Index bytes() const override { return rows_->bytes(); }
  double value(VectorRef x) const override;
  void piece_gradient(Index piece, VectorRef x, VectorOut g) const override;
  double value_and_gradient(VectorRef x, VectorOut g) const override;
  void batch_gradient(VectorRef x, std::span<const Index> batch, VectorOut g) const override;
  void hessian_vector(VectorRef x, VectorRef v, VectorOut Hv) const override;
  double lower_bound() const override { return 0; }
  Curvature curvature() const override;
  double known_convexity() const override { return l2_; }
  double row_smoothness() const override { return rows_->largest_square() / 2 + l2_; }

 private:
  double piece_value_and_gradient(Index piece, VectorRef x, VectorOut g) const;
  void to_panel(VectorRef x, double* panel, Index width) const;
  void add_panel(const double* panel, Index width, VectorOut g) const;
  [[nodiscard]] Index label(Index row) const { return static_cast<Index>(rows_->labels()[row]); }

  std::shared_ptr<const Rows> rows_;
  double l2_, share_;  ///< 1/m
  Index classes_;
};

}  // namespace ideal
