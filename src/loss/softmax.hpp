// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "loss/rows.hpp"

#include <ideal/loss.hpp>

namespace ideal {

/// f(x) = (1/m) sum_j (logsumexp(z_j) - z_{j,b_j}) + (l2/2)|x|^2 with z_j = C'a_j; x holds C (features x
/// classes) row by row.
class SoftmaxLoss final : public Loss {
 public:
  SoftmaxLoss(Rows rows, double l2, int classes) : rows_(std::move(rows)), l2_(l2), classes_(classes) {}

  Index dimension() const override { return rows_.columns() * classes_; }
  Index rows() const override { return rows_.count(); }
  double value(VectorRef x) const override;
  void gradient(VectorRef x, VectorOut g) const override;
  void batch_gradient(VectorRef x, std::span<const Index> batch, VectorOut g) const override;
  void hessian_vector(VectorRef x, VectorRef v, VectorOut Hv) const override;
  Curvature curvature() const override;

 private:
  using Coefficients = Eigen::Map<const DenseRows>;
  [[nodiscard]] Coefficients coefficients(VectorRef x) const { return {x.data(), rows_.columns(), classes_}; }
  [[nodiscard]] Index label(Index row) const { return static_cast<Index>(rows_.label(row)); }

  Rows rows_;
  double l2_;
  Index classes_;
};

}  // namespace ideal
