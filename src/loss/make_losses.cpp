// SPDX-License-Identifier: Apache-2.0
#include "loss/linear.hpp"
#include "loss/softmax.hpp"

#include <ideal/error.hpp>

#include <cmath>

#include <fmt/format.h>

namespace ideal {

namespace {

void require_option(bool right, std::string_view option, double value, std::string_view rule,
                    std::string_view remedy) {
  if (!right) throw InputError(option, fmt::format("{}", value), rule, remedy);
}

void check_options(const LossOptions& options) {
  require_option(options.smoothing >= 0 && std::isfinite(options.smoothing), "--smoothing", options.smoothing,
                 "a number >= 0", "0 leaves the loss as it is.");
  require_option(options.delta > 0 && std::isfinite(options.delta), "--delta", options.delta, "a number > 0",
                 "Residuals beyond it count linearly; 1.35 is usual.");
  require_option(options.quantile > 0 && options.quantile < 1, "--quantile", options.quantile,
                 "a number between 0 and 1", "0.5 is the median.");
}

}  // namespace

std::shared_ptr<const Loss> make_loss(std::shared_ptr<const Rows> rows, const LossOptions& options) {
  check_options(options);
  switch (options.kind) {
    case LossKind::ridge:
      return std::make_shared<RidgeLoss>(std::move(rows), options.l2, options.planned_gradients);
    case LossKind::softmax:
      return std::make_shared<SoftmaxLoss>(std::move(rows), options.l2, options.classes);
    case LossKind::hinge:
      return std::make_shared<HingeLoss>(std::move(rows), options.l2, HingeLink(options.smoothing));
    case LossKind::huber:
      return std::make_shared<HuberLoss>(std::move(rows), options.l2, HuberLink(options.delta));
    case LossKind::quantile:
      return std::make_shared<QuantileLoss>(std::move(rows), options.l2,
                                            QuantileLink(options.quantile, options.smoothing));
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
