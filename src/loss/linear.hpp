// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "loss/piecewise.hpp"
#include "loss/rows.hpp"

#include <ideal/loss.hpp>

#include <algorithm>
#include <mutex>
#include <optional>

#include <Eigen/Cholesky>

namespace ideal {

/// f(x) = (1/m) sum_j link(a_j'x, b_j) + (l2/2)|x|^2 for a scalar link with values, slopes and curvatures in
/// its first argument, of many margins at once.
template <class Link>
class LinearLoss : public PiecewiseLoss {
 public:
  LinearLoss(std::shared_ptr<const Rows> rows, double l2)
      : LinearLoss(rows, l2, rows->pieces(rows->columns())) {}

  Index dimension() const override { return rows_->columns(); }
  Index rows() const override { return rows_->count(); }

  double value(VectorRef x) const override {
    double sum = 0, z[tile];
    for (Index first = 0; first < rows(); first += tile) {
      const Index count = std::min(tile, rows() - first);
      rows_->multiply(first, count, x.data(), z);
      sum += Link::values(z, rows_->labels() + first, count);
    }
    return share_ * sum + l2_ / 2 * x.squaredNorm();
  }

  Vector values(const Block& X) const override;

  void piece_gradient(Index piece, VectorRef x, VectorOut g) const override {
    start(piece, x, g);
    rows_->pass({piece, pieces()}, x.data(), g.data(), [&](Index first, Index count, double* z) {
      Link::slopes(z, rows_->labels() + first, count, share_);
    });
  }

  double value_and_gradient(VectorRef x, VectorOut g) const override {
    double sum = 0;
    add_pieces(g, [&](Index piece, VectorOut part) {
      start(piece, x, part);
      rows_->pass({piece, pieces()}, x.data(), part.data(), [&](Index first, Index count, double* z) {
        sum += Link::values(z, rows_->labels() + first, count);
        Link::slopes(z, rows_->labels() + first, count, share_);
      });
    });
    return share_ * sum + l2_ / 2 * x.squaredNorm();
  }

  void batch_gradient(VectorRef x, std::span<const Index> batch, VectorOut g) const override {
    g = l2_ * x;
    for (const Index j : batch) {
      double z = 0;
      rows_->multiply(j, 1, x.data(), &z);
      Link::slopes(&z, rows_->labels() + j, 1, 1 / static_cast<double>(batch.size()));
      rows_->add_row(j, z, g.data());
    }
  }

  void hessian_vector(VectorRef x, VectorRef v, VectorOut Hv) const override {
    Hv = l2_ * v;
    rows_->pass({}, v.data(), Hv.data(), [&](Index first, Index count, double* zv) {
      double w[tile];
      curvatures(first, count, x.data(), w);
      for (Index j = 0; j < count; ++j) zv[j] *= w[j];
    });
  }

  void add_hessian(VectorRef x, Block& H) const override {
    Vector w(rows());
    for (Index first = 0; first < rows(); first += tile)
      curvatures(first, std::min(tile, rows() - first), x.data(), w.data() + first);
    rows_->add_weighted_gram(w, H);
    H.diagonal().array() += l2_;
  }

  double known_convexity() const override { return l2_; }
  double row_smoothness() const override { return Link::max_curvature * rows_->largest_square() + l2_; }

  Curvature curvature() const override {
    const auto [largest, smallest] = rows_->gram_spectrum(Link::min_curvature > 0);
    return {Link::max_curvature * largest + l2_, Link::min_curvature * smallest + l2_};
  }

 protected:
  LinearLoss(std::shared_ptr<const Rows> rows, double l2, Index pieces)
      : PiecewiseLoss(pieces),
        rows_(std::move(rows)),
        l2_(l2),
        share_(1 / static_cast<double>(rows_->count())) {}

  static constexpr Index tile = 64;  // rows whose margins are looked at together; no less than kernels do

  /// The regulariser belongs to the first piece.
  void start(Index piece, VectorRef x, VectorOut g) const {
    if (piece == 0)
      g = l2_ * x;
    else
      g.setZero();
  }

  /// Weights of the rows in the Hessian at x.
  void curvatures(Index first, Index count, const double* x, double* w) const {
    if constexpr (Link::min_curvature == Link::max_curvature) {
      std::fill_n(w, count, Link::max_curvature * share_);
    } else {
      rows_->multiply(first, count, x, w);
      Link::curvatures(w, count, share_);
    }
  }

  std::shared_ptr<const Rows> rows_;
  double l2_, share_;  ///< 1/m
};

/// log(1 + exp(-b z)), b = -1 or +1; exact to rounding for margins of any size.
struct LogisticLink {
  static constexpr double max_curvature = 0.25;
  static constexpr double min_curvature = 0;
  static double values(const double* z, const double* b, Index count) {
    return kernel::logistic_values(z, b, count);
  }
  static void slopes(double* z, const double* b, Index count, double scale) {
    kernel::logistic_slopes(z, b, count, scale);
  }
  static void curvatures(double* z, Index count, double scale) {
    kernel::logistic_curvatures(z, count, scale);
  }
};

/// (z - b)^2 / 2.
struct SquareLink {
  static constexpr double max_curvature = 1;
  static constexpr double min_curvature = 1;
  static double values(const double* z, const double* b, Index count) {
    double sum = 0;
    for (Index j = 0; j < count; ++j) sum += (z[j] - b[j]) * (z[j] - b[j]) / 2;
    return sum;
  }
  static void slopes(double* z, const double* b, Index count, double scale) {
    for (Index j = 0; j < count; ++j) z[j] = scale * (z[j] - b[j]);
  }
};

using LogisticLoss = LinearLoss<LogisticLink>;

/// Least squares: with few columns the gradient can be had from A'A, and the tilted minimiser is one linear
/// solve, factored once for each c.
class RidgeLoss final : public LinearLoss<SquareLink> {
 public:
  RidgeLoss(std::shared_ptr<const Rows> rows, double l2, double planned_gradients);

  void piece_gradient(Index piece, VectorRef x, VectorOut g) const override;
  void tilted_minimiser(VectorRef a, double c, VectorOut x) const override;

  /// Gradients after which A'A has repaid its making; infinite where it never does.
  static double gram_repaid_after(const Rows& rows);

 private:
  static constexpr Index factor_limit = 2000;
  void make_gram() const;
  bool gram_gradient(VectorRef x, VectorOut g) const;

  bool uses_gram_;
  mutable std::once_flag gram_made_;
  mutable DenseRows gram_;  ///< A'A / m
  mutable Vector moments_;  ///< A'b / m
  mutable std::mutex mutex_;
  mutable std::optional<double> factored_for_;
  mutable Eigen::LLT<Block> factor_;
};

}  // namespace ideal
