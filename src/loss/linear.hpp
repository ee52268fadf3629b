// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "loss/piecewise.hpp"
#include "loss/rows.hpp"

#include <ideal/loss.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <optional>

#include <Eigen/Cholesky>

namespace ideal {

/// f(x) = (1/m) sum_j link(a_j'x, b_j) + (l2/2)|x|^2 for a scalar link with values, slopes and curvatures in
/// its first argument, of many margins at once. Values are added to a sum one after the other, so that it
/// does not matter how many.
template <class Link>
class LinearLoss : public PiecewiseLoss {
 public:
  LinearLoss(std::shared_ptr<const Rows> rows, double l2, Link link = {})
      : LinearLoss(rows, l2, link, rows->pieces(rows->columns())) {}

  Index dimension() const override { return rows_->columns(); }
  Index rows() const override { return rows_->count(); }
  Index bytes() const override { return rows_->bytes(); }

  double value(VectorRef x) const override {
    double sum = 0, z[tile];
    for (Index first = 0; first < rows(); first += tile) {
      const Index count = std::min(tile, rows() - first);
      rows_->multiply(first, count, x.data(), z);
      sum = link_.values(sum, z, rows_->labels() + first, count);
    }
    return share_ * sum + l2_ / 2 * x.squaredNorm();
  }

  Vector values(const Block& X) const override;

  void piece_gradient(Index piece, VectorRef x, VectorOut g) const override {
    start(piece, x, g);
    const Rows::Piece of_rows{piece, pieces()};
    if constexpr (requires { link_.known_slopes(rows_->labels(), share_); })
      rows_->pass(of_rows, x.data(), g.data(), link_.known_slopes(rows_->labels(), share_));
    else
      rows_->pass(of_rows, x.data(), g.data(), [&](Index first, Index count, double* z) {
        link_.slopes(z, rows_->labels() + first, count, share_);
      });
  }

  double value_and_gradient(VectorRef x, VectorOut g) const override {
    double sum = 0;
    add_pieces(g, [&](Index piece, VectorOut part) {
      start(piece, x, part);
      rows_->pass({piece, pieces()}, x.data(), part.data(), [&](Index first, Index count, double* z) {
        sum = link_.values(sum, z, rows_->labels() + first, count);
        link_.slopes(z, rows_->labels() + first, count, share_);
      });
    });
    return share_ * sum + l2_ / 2 * x.squaredNorm();
  }

  void batch_gradient(VectorRef x, std::span<const Index> batch, VectorOut g) const override {
    g = l2_ * x;
    for (const Index j : batch) {
      double z = 0;
      rows_->multiply(j, 1, x.data(), &z);
      link_.slopes(&z, rows_->labels() + j, 1, 1 / static_cast<double>(batch.size()));
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
  double row_smoothness() const override {
    const double square = rows_->largest_square();
    return (square > 0 ? link_.max_curvature * square : 0) + l2_;
  }

  Curvature curvature() const override {
    const auto [largest, smallest] = rows_->gram_spectrum(Link::min_curvature > 0);
    const double steepest = largest > 0 ? link_.max_curvature * largest : 0;
    return {steepest + l2_, Link::min_curvature * smallest + l2_};
  }

  bool curvature_jumps() const override { return Link::curvature_jumps; }
  bool curvature_constant() const override { return Link::min_curvature == link_.max_curvature; }
  bool smooth() const override { return std::isfinite(link_.max_curvature); }

  std::shared_ptr<const Loss> smoothed(double width) const override {
    if constexpr (requires { link_.smoothed(width); })
      return std::make_shared<LinearLoss>(rows_, l2_, link_.smoothed(width));
    return nullptr;
  }

  double lower_bound() const override { return 0; }  // of all links
  double lipschitz() const override {
    return link_.max_slope * std::sqrt(rows_->gram_spectrum(false).largest);
  }

 protected:
  LinearLoss(std::shared_ptr<const Rows> rows, double l2, Link link, Index pieces)
      : PiecewiseLoss(pieces),
        rows_(std::move(rows)),
        link_(link),
        l2_(l2),
        share_(1 / static_cast<double>(rows_->count())) {}

  static constexpr Index tile = kernel::most_margins;

  /// The regulariser belongs to the first piece.
  void start(Index piece, VectorRef x, VectorOut g) const {
    if (piece == 0)
      kernel::multiply(l2_, x.data(), x.size(), g.data());
    else
      g.setZero();
  }

  /// Weights of the rows in the Hessian at x.
  void curvatures(Index first, Index count, const double* x, double* w) const {
    if constexpr (Link::min_curvature > 0) {
      std::fill_n(w, count, Link::min_curvature * share_);  // the same everywhere
    } else {
      rows_->multiply(first, count, x, w);
      link_.curvatures(w, rows_->labels() + first, count, share_);
    }
  }

  std::shared_ptr<const Rows> rows_;
  Link link_;
  double l2_, share_;  ///< 1/m
};

/// log(1 + exp(-b z)), b = -1 or +1; exact to rounding for margins of any size.
struct LogisticLink {
  static constexpr double max_curvature = 0.25;
  static constexpr bool curvature_jumps = false;
  static constexpr double min_curvature = 0;
  static constexpr double max_slope = 1;
  static double values(double sum, const double* z, const double* b, Index count) {
    return kernel::logistic_values(sum, z, b, count);
  }
  static void slopes(double* z, const double* b, Index count, double scale) {
    kernel::logistic_slopes(z, b, count, scale);
  }
  /// By the name that kernels know them by.
  static kernel::LogisticSlopes known_slopes(const double* b, double scale) { return {b, scale}; }
  static void curvatures(double* z, const double* /*b*/, Index count, double scale) {
    kernel::logistic_curvatures(z, count, scale);
  }
};

/// (z - b)^2 / 2.
struct SquareLink {
  static constexpr double max_curvature = 1;
  static constexpr bool curvature_jumps = false;
  static constexpr double min_curvature = 1;
  static constexpr double max_slope = std::numeric_limits<double>::infinity();
  static double values(double sum, const double* z, const double* b, Index count) {
    for (Index j = 0; j < count; ++j) sum += (z[j] - b[j]) * (z[j] - b[j]) / 2;
    return sum;
  }
  static void slopes(double* z, const double* b, Index count, double scale) {
    for (Index j = 0; j < count; ++j) z[j] = scale * (z[j] - b[j]);
  }
};

using LogisticLoss = LinearLoss<LogisticLink>;

/// A link that is linear beyond two kinks, written for one margin at a time: value, slope and curvature in z.
/// `Shape` has the three and says how far slopes go.
template <class Shape>
struct ScalarLink : Shape {
  static constexpr double min_curvature = 0;
  static constexpr bool curvature_jumps = true;
  double values(double sum, const double* z, const double* b, Index count) const {
    for (Index j = 0; j < count; ++j) sum += this->value(z[j], b[j]);
    return sum;
  }
  void slopes(double* z, const double* b, Index count, double scale) const {
    for (Index j = 0; j < count; ++j) z[j] = scale * this->slope(z[j], b[j]);
  }
  void curvatures(double* z, const double* b, Index count, double scale) const {
    for (Index j = 0; j < count; ++j) z[j] = scale * this->curvature(z[j], b[j]);
  }
};

/// max over s in [low, high] of s t - (width/2) s^2: the larger of low t and high t, its kink rounded off. It
/// is nowhere above those, and at most (width/2) max(low^2, high^2) below.
struct RoundedKink {
  double low, high, width;
  double max_curvature = width > 0 ? 1 / width : std::numeric_limits<double>::infinity();
  [[nodiscard]] double slope(double t) const {
    if (width > 0) return std::clamp(t / width, low, high);
    return t > 0 ? high : t < 0 ? low : std::clamp(0.0, low, high);
  }
  [[nodiscard]] double value(double t) const {
    const double s = slope(t);
    return s * t - width / 2 * s * s;
  }
  [[nodiscard]] double curvature(double t) const {
    return t > low * width && t < high * width ? max_curvature : 0;
  }
};

/// max(0, 1 - b z), b = -1 or +1.
struct Hinge {
  explicit Hinge(double width) : kink{0, 1, width} {}
  RoundedKink kink;
  double max_curvature = kink.max_curvature;
  static constexpr double max_slope = 1;
  [[nodiscard]] double value(double z, double b) const { return kink.value(1 - b * z); }
  [[nodiscard]] double slope(double z, double b) const { return -b * kink.slope(1 - b * z); }
  [[nodiscard]] double curvature(double z, double b) const { return kink.curvature(1 - b * z); }
};

struct HingeLink : ScalarLink<Hinge> {
  explicit HingeLink(double width) : ScalarLink{Hinge(width)} {}
  [[nodiscard]] static HingeLink smoothed(double width) { return HingeLink(width); }
};

/// q (b - z) where the target b is above, (1 - q) (z - b) where it is below.
struct Pinball {
  Pinball(double level, double width) : q(level), kink{level - 1, level, width} {}
  double q;
  RoundedKink kink;
  double max_curvature = kink.max_curvature;
  double max_slope = std::max(q, 1 - q);
  [[nodiscard]] double value(double z, double b) const { return kink.value(b - z); }
  [[nodiscard]] double slope(double z, double b) const { return -kink.slope(b - z); }
  [[nodiscard]] double curvature(double z, double b) const { return kink.curvature(b - z); }
};

struct QuantileLink : ScalarLink<Pinball> {
  QuantileLink(double level, double width) : ScalarLink{Pinball(level, width)} {}
  [[nodiscard]] QuantileLink smoothed(double width) const { return {q, width}; }
};

/// (z - b)^2 / 2 up to |z - b| = delta, and linear beyond.
struct Huber {
  double delta;
  static constexpr double max_curvature = 1;
  double max_slope = delta;
  [[nodiscard]] double slope(double z, double b) const { return std::clamp(z - b, -delta, delta); }
  [[nodiscard]] double value(double z, double b) const {
    const double s = slope(z, b);
    return s * (z - b) - s * s / 2;
  }
  [[nodiscard]] double curvature(double z, double b) const { return std::abs(z - b) < delta ? 1 : 0; }
};

struct HuberLink : ScalarLink<Huber> {
  explicit HuberLink(double delta) : ScalarLink{Huber{delta}} {}
};

using HingeLoss = LinearLoss<HingeLink>;
using QuantileLoss = LinearLoss<QuantileLink>;
using HuberLoss = LinearLoss<HuberLink>;

/// Least squares: with few columns the gradient can be had from A'A, and the tilted minimiser is one linear
/// solve, factored once for each c.
class RidgeLoss final : public LinearLoss<SquareLink> {
 public:
  RidgeLoss(std::shared_ptr<const Rows> rows, double l2, double planned_gradients);

  void piece_gradient(Index piece, VectorRef x, VectorOut g) const override;
  void tilted_minimiser(VectorRef a, double c, VectorOut x) const override;
  Index bytes() const override {
    return uses_gram_ ? dimension() * dimension() * static_cast<Index>(sizeof(double)) : LinearLoss::bytes();
  }

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
