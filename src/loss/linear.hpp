// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "loss/rows.hpp"

#include <ideal/loss.hpp>

#include <cmath>
#include <mutex>
#include <optional>

#include <Eigen/Cholesky>

namespace ideal {

/// f(x) = (1/m) sum_j link(a_j'x, b_j) + (l2/2)|x|^2 for a scalar link with value, slope and curvature in its
/// first argument.
template <class Link>
class LinearLoss : public Loss {
 public:
  LinearLoss(Rows rows, double l2) : rows_(std::move(rows)), l2_(l2) {}

  Index dimension() const override { return rows_.columns(); }
  Index rows() const override { return rows_.count(); }

  double value(VectorRef x) const override {
    double sum = 0;
    for (Index j = 0; j < rows(); ++j) sum += Link::value(rows_.dot_row(j, x.data()), rows_.label(j));
    return sum / count() + l2_ / 2 * x.squaredNorm();
  }

  Vector values(const Block& X) const override {
    Vector out = l2_ / 2 * X.colwise().squaredNorm().transpose();
    Vector sum = Vector::Zero(X.cols());
    rows_.margins(X, [&](Index first, const DenseRows& Z) {
      for (Index j = 0; j < Z.rows(); ++j)
        for (Index c = 0; c < Z.cols(); ++c) sum[c] += Link::value(Z(j, c), rows_.label(first + j));
    });
    return out + sum / count();
  }

  void gradient(VectorRef x, VectorOut g) const override {
    g = l2_ * x;
    rows_.pass(x.data(), g.data(),
               [&](Index j, double z) { return Link::slope(z, rows_.label(j)) / count(); });
  }

  void batch_gradient(VectorRef x, std::span<const Index> batch, VectorOut g) const override {
    g = l2_ * x;
    for (const Index j : batch)
      rows_.add_row(
          j, Link::slope(rows_.dot_row(j, x.data()), rows_.label(j)) / static_cast<double>(batch.size()),
          g.data());
  }

  void hessian_vector(VectorRef x, VectorRef v, VectorOut Hv) const override {
    Hv = l2_ * v;
    const double* at = x.data();
    rows_.pass(v.data(), Hv.data(), [&](Index j, double zv) { return curvature_at(j, at) * zv; });
  }

  void add_hessian(VectorRef x, Block& H) const override {
    Vector w(rows());
    for (Index j = 0; j < rows(); ++j) w[j] = curvature_at(j, x.data());
    rows_.add_weighted_gram(w, H);
    H.diagonal().array() += l2_;
  }

  Curvature curvature() const override {
    const auto [largest, smallest] = rows_.gram_spectrum(Link::min_curvature > 0);
    return {Link::max_curvature * largest + l2_, Link::min_curvature * smallest + l2_};
  }

 protected:
  [[nodiscard]] double count() const { return static_cast<double>(rows_.count()); }
  [[nodiscard]] double curvature_at(Index row, const double* x) const {
    if constexpr (Link::min_curvature == Link::max_curvature) return Link::max_curvature / count();
    return Link::curvature(rows_.dot_row(row, x), rows_.label(row)) / count();
  }

  Rows rows_;
  double l2_;
};

/// log(1 + exp(-b z)), b = -1 or +1; exact to rounding for margins of any size.
struct LogisticLink {
  static constexpr double max_curvature = 0.25;
  static constexpr double min_curvature = 0;
  static double value(double z, double b) {
    const double margin = b * z;
    return margin > 0 ? std::log1p(std::exp(-margin)) : std::log1p(std::exp(margin)) - margin;
  }
  static double slope(double z, double b) { return -b * sigmoid(-b * z); }
  static double curvature(double z, double) {
    const double e = std::exp(-std::abs(z));
    return e / ((1 + e) * (1 + e));
  }
  static double sigmoid(double t) {
    const double e = std::exp(-std::abs(t));
    return (t >= 0 ? 1 : e) / (1 + e);
  }
};

/// (z - b)^2 / 2.
struct SquareLink {
  static constexpr double max_curvature = 1;
  static constexpr double min_curvature = 1;
  static double value(double z, double b) { return (z - b) * (z - b) / 2; }
  static double slope(double z, double b) { return z - b; }
  static double curvature(double, double) { return 1; }
};

using LogisticLoss = LinearLoss<LogisticLink>;

/// Least squares: the tilted minimiser is one linear solve, factored once for each c.
class RidgeLoss final : public LinearLoss<SquareLink> {
 public:
  using LinearLoss::LinearLoss;
  void tilted_minimiser(VectorRef a, double c, VectorOut x) const override;

 private:
  static constexpr Index factor_limit = 2000;
  mutable std::mutex mutex_;
  mutable std::optional<double> factored_for_;
  mutable Eigen::LLT<Block> factor_;
};

}  // namespace ideal
