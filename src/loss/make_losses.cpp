// SPDX-License-Identifier: Apache-2.0
#include "loss/linear.hpp"
#include "loss/softmax.hpp"

namespace ideal {

void RidgeLoss::tilted_minimiser(VectorRef a, double c, VectorOut x) const {
  if (dimension() > factor_limit) return Loss::tilted_minimiser(a, c, x);
  const std::lock_guard lock(mutex_);
  if (factored_for_ != c) {
    Block H = Block::Zero(dimension(), dimension());
    add_hessian(x, H);
    H.diagonal().array() += c;
    factor_.compute(H);
    factored_for_ = c;
  }
  // The objective is quadratic, so one Newton step from x is its minimiser; a second removes the rounding of
  // the first.
  Vector g(dimension());
  for (int refinement = 0; refinement < 2; ++refinement) {
    gradient(x, g);
    g += a + c * x;
    x -= factor_.solve(g);
  }
}

std::vector<std::shared_ptr<const Loss>> make_losses(std::shared_ptr<const Dataset> data,
                                                     std::span<const Index> offsets, LossKind kind, double l2,
                                                     int classes) {
  std::vector<std::shared_ptr<const Loss>> losses;
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    Rows rows(data, offsets[i], offsets[i + 1]);
    switch (kind) {
      case LossKind::logistic:
        losses.push_back(std::make_shared<LogisticLoss>(std::move(rows), l2));
        break;
      case LossKind::ridge:
        losses.push_back(std::make_shared<RidgeLoss>(std::move(rows), l2));
        break;
      case LossKind::softmax:
        losses.push_back(std::make_shared<SoftmaxLoss>(std::move(rows), l2, classes));
        break;
    }
  }
  return losses;
}

}  // namespace ideal
