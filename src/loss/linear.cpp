// SPDX-License-Identifier: Apache-2.0
#include "loss/linear.hpp"

#include <cmath>
#include <limits>

namespace ideal {

template <class Link>
Vector LinearLoss<Link>::values(const Block& X) const {
  if (rows_->sparse()) return Loss::values(X);  // a panel of all columns could be larger than the data
  const Index points = X.cols(), width = kernel::whole_registers(points);
  kernel::Numbers panel(static_cast<std::size_t>(rows_->held() * width), 0);
  for (Index k = 0; k < rows_->held(); ++k)
    for (Index c = 0; c < points && rows_->column(k) >= 0; ++c)
      panel[static_cast<std::size_t>(k * width + c)] = X(rows_->column(k), c);
  Vector sums = Vector::Zero(points), z;
  rows_->pass_panel(
      {}, {.X = panel.data(), .x_width = width}, [&](Index first, Index count, const double* Z, double*) {
        for (Index c = 0; c < points; ++c) {
          z = Eigen::Map<const Vector, 0, Eigen::InnerStride<>>(Z + c, count, Eigen::InnerStride<>(width));
          sums[c] = link_.values(sums[c], z.data(), rows_->labels() + first, count);
        }
      });
  return l2_ / 2 * X.colwise().squaredNorm().transpose() + share_ * sums;
}

template class LinearLoss<LogisticLink>;
template class LinearLoss<SquareLink>;
template class LinearLoss<HingeLink>;
template class LinearLoss<QuantileLink>;
template class LinearLoss<HuberLink>;

RidgeLoss::RidgeLoss(std::shared_ptr<const Rows> rows, double l2, double planned_gradients)
    : LinearLoss(rows, l2, {},
                 planned_gradients > gram_repaid_after(*rows) ? 1 : rows->pieces(rows->columns())),
      uses_gram_(planned_gradients > gram_repaid_after(*rows_)) {}

/// Measured: making A'A takes as long as 0.06 d gradients (docs/performance.md), of which each then saves all
/// but the share d/m. A quarter of the rows' memory is
/// what it may take, with two more of its size while it is made.
double RidgeLoss::gram_repaid_after(const Rows& rows) {
  const auto d = static_cast<double>(rows.columns()), m = static_cast<double>(rows.count());
  const bool fits = !rows.sparse() && rows.columns() >= kernel::least_columns && 12 * d <= m;
  return fits ? 0.06 * d / (1 - d / m) : std::numeric_limits<double>::infinity();
}

void RidgeLoss::make_gram() const {
  const Index d = dimension();
  Block lower = Block::Zero(d, d);
  rows_->add_weighted_gram(Vector::Constant(rows(), share_), lower);
  gram_ = lower.selfadjointView<Eigen::Lower>();
  moments_ = Vector::Zero(d);
  for (Index j = 0; j < rows(); ++j) rows_->add_row(j, share_ * rows_->labels()[j], moments_.data());
}

/// A'A x / m - A'b / m, or false where so much cancels that a pass over the data is worth its time: it has
/// the last digits.
bool RidgeLoss::gram_gradient(VectorRef x, VectorOut g) const {
  std::call_once(gram_made_, [&] { make_gram(); });
  constexpr double cancels = 1e-6;
  const Index d = dimension();
  kernel::multiply({gram_.data(), d, d, kernel::Place::own_cache}, x.data(), g.data());
  const double before = g.squaredNorm() + moments_.squaredNorm();
  g -= moments_;
  if (g.squaredNorm() <= cancels * cancels * before) return false;
  g += l2_ * x;
  return true;
}

void RidgeLoss::piece_gradient(Index piece, VectorRef x, VectorOut g) const {
  if (uses_gram_ && gram_gradient(x, g)) return;
  LinearLoss::piece_gradient(piece, x, g);
}

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

}  // namespace ideal
