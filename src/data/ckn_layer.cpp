// SPDX-License-Identifier: Apache-2.0
#include "data/ckn_layer.hpp"

#include "core/symmetric.hpp"

#include <algorithm>
#include <cmath>

namespace ideal::ckn {
namespace {

/// V f(D) V' for a symmetric matrix V D V'.
template <class Function>
FloatRows spectral(const Eigen::MatrixXd& symmetric, Function f) {
  const auto [values, vectors] = symmetric_eigen(symmetric);
  if (!values.allFinite()) throw RunError("a covariance or kernel matrix has no eigenvalues");
  return (vectors * values.unaryExpr(f).asDiagonal() * vectors.transpose()).template cast<float>();
}

/// k(Z'Z)^(-1/2). Filters may coincide and make k(Z'Z) singular; the ridge bounds what they are multiplied
/// by.
FloatRows projection_of(const FloatRows& filters, double sigma) {
  constexpr double ridge = 1e-4;
  const Eigen::MatrixXd Z = filters.cast<double>();
  const Eigen::MatrixXd kernel =
      ((Z * Z.transpose()).array() - 1).unaryExpr([&](double u) { return std::exp(u / (sigma * sigma)); });
  return spectral(kernel, [](double value) { return 1 / std::sqrt(std::max(value, 0.0) + ridge); });
}

/// out += weight * in, for the pooling sums.
void add_scaled(const float* in, float weight, Index count, float* out) {
  for (Index i = 0; i < count; ++i) out[i] += weight * in[i];
}

}  // namespace

FeatureMap image_at(const Dataset& images, Index row, const ImageShape& shape) {
  FeatureMap image{shape.height, shape.width, FloatRows(shape.height * shape.width, shape.channels)};
  Eigen::Map<Eigen::RowVectorXf> pixels(image.values.data(), image.values.size());
  std::visit([&](const auto& rows) { pixels = Eigen::RowVectorXd(rows.row(row)).template cast<float>(); },
             images.features);
  return image;
}

FloatRows patches_of(const FeatureMap& map, Index patch) {
  const Index channels = map.values.cols(), before = (patch - 1) / 2;
  FloatRows patches(map.height * map.width, patch * patch * channels);
  float* out = patches.data();
  for (Index y = 0; y < map.height; ++y)
    for (Index x = 0; x < map.width; ++x)
      for (Index dy = 0; dy < patch; ++dy) {
        const Index from_y = std::clamp(y + dy - before, Index{0}, map.height - 1);
        for (Index dx = 0; dx < patch; ++dx, out += channels) {
          const Index from_x = std::clamp(x + dx - before, Index{0}, map.width - 1);
          std::copy_n(map.values.data() + (from_y * map.width + from_x) * channels, channels, out);
        }
      }
  return patches;
}

void Contrast::operator()(FloatRows& patches) const {
  const Index pixels = patches.cols() / channels;
  for (Index i = 0; i < patches.rows(); ++i) {
    auto patch = patches.row(i);
    if (centring == Centring::patch) patch.array() -= patch.mean();
    if (centring == Centring::channel) {
      Eigen::Map<FloatRows> by_pixel(patch.data(), pixels, channels);
      by_pixel.rowwise() -= by_pixel.colwise().mean().eval();
    }
    if (floor > 0) patch /= std::sqrt(patch.squaredNorm() + floor * floor);
  }
}

Whitening Whitening::learn(const FloatRows& sample, double ridge) {
  const Eigen::MatrixXd rows = sample.cast<double>();
  const Eigen::RowVectorXd mean = rows.colwise().mean();
  const Eigen::MatrixXd centred = rows.rowwise() - mean;
  const Eigen::MatrixXd covariance = centred.transpose() * centred / static_cast<double>(rows.rows());
  const double typical = covariance.trace() / static_cast<double>(covariance.rows());
  // Centring leaves directions in which nothing varies; they stay without variance.
  const double least = 1e-9 * typical;
  FloatRows matrix = spectral(
      covariance, [&](double value) { return value > least ? 1 / std::sqrt(value + ridge * typical) : 0.0; });
  return {mean.cast<float>(), std::move(matrix)};
}

FloatRows Whitening::operator()(FloatRows patches) const {
  patches.rowwise() -= mean_;
  return multiply(patches, packed_);
}

KernelMap::KernelMap(const FloatRows& filters, double sigma)
    : KernelMap(filters, sigma, projection_of(filters, sigma)) {}

KernelMap::KernelMap(FloatRows filters, double sigma, FloatRows projection)
    : filters_(std::move(filters)),
      sigma_(sigma),
      projection_(std::move(projection)),
      packed_filters_(filters_.transpose()),
      packed_projection_(projection_) {}

FloatRows KernelMap::compare(const FloatRows& patches) const {
  const auto beta = static_cast<float>(1 / (sigma_ * sigma_));
  FloatRows compared = multiply(patches, packed_filters_);
  for (Index i = 0; i < patches.rows(); ++i) {
    const float norm = patches.row(i).norm();
    const float inverse = norm > 0 ? 1 / norm : 0;
    exponentials(compared.row(i).data(), compared.cols(), inverse, beta, norm);
  }
  return compared;
}

FloatRows pooling_weights(Index length, Index distance) {
  const Index centres = pooled(length, distance);
  const auto reach = static_cast<double>(distance);
  FloatRows weights = FloatRows::Zero(centres, length);
  if (distance == 1) return FloatRows::Identity(length, length);
  for (Index j = 0; j < centres; ++j) {
    const double centre = 0.5 * static_cast<double>(length - 1) +
                          (static_cast<double>(j) - 0.5 * static_cast<double>(centres - 1)) * reach;
    Eigen::RowVectorXd row = Eigen::RowVectorXd::Zero(length);
    for (Index x = 0; x < length; ++x)
      if (const double off = (static_cast<double>(x) - centre) / reach; std::abs(off) <= 1)
        row[x] = std::exp(-off * off);  // a Gaussian of standard deviation distance / sqrt(2)
    weights.row(j) = (row / row.sum()).cast<float>();
  }
  return weights;
}

FeatureMap pool(const FeatureMap& map, Index distance) {
  const FloatRows down = pooling_weights(map.height, distance), across = pooling_weights(map.width, distance);
  const Index channels = map.values.cols(), line = map.width * channels;
  FeatureMap pooled{down.rows(), across.rows(), FloatRows::Zero(down.rows() * across.rows(), channels)};
  std::vector<float> row(static_cast<std::size_t>(line));
  for (Index i = 0; i < down.rows(); ++i) {
    std::ranges::fill(row, 0.F);
    for (Index y = 0; y < map.height; ++y)
      if (down(i, y) != 0) add_scaled(map.values.data() + y * line, down(i, y), line, row.data());
    for (Index j = 0; j < across.rows(); ++j)
      for (Index x = 0; x < map.width; ++x)
        if (across(j, x) != 0)
          add_scaled(row.data() + x * channels, across(j, x), channels,
                     pooled.values.row(i * across.rows() + j).data());
  }
  return pooled;
}

}  // namespace ideal::ckn
