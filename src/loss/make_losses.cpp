// SPDX-License-Identifier: Apache-2.0
#include "loss/linear.hpp"
#include "loss/softmax.hpp"

namespace ideal {

std::shared_ptr<const Loss> make_loss(std::shared_ptr<const Rows> rows, const LossOptions& options) {
  switch (options.kind) {
    case LossKind::ridge:
      return std::make_shared<RidgeLoss>(std::move(rows), options.l2, options.planned_gradients);
    case LossKind::softmax:
      return std::make_shared<SoftmaxLoss>(std::move(rows), options.l2, options.classes);
    case LossKind::logistic:
      break;
  }
  return std::make_shared<LogisticLoss>(std::move(rows), options.l2);
}

std::vector<std::shared_ptr<const Loss>> make_losses(const std::shared_ptr<const Dataset>& data,
                                                     std::span<const Index> offsets, LossKind kind, double l2,
                                                     int classes, Storage storage) {
  std::vector<std::shared_ptr<const Loss>> losses;
  for (auto& rows : store_rows(data, offsets, storage))
    losses.push_back(make_loss(std::move(rows), {.kind = kind, .l2 = l2, .classes = classes}));
  return losses;
}

}  // namespace ideal
