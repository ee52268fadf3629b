// SPDX-License-Identifier: Apache-2.0
// The parts of a convolutional kernel network, as pure functions of one image.
#pragma once

#include "data/ckn_arithmetic.hpp"

#include <ideal/ckn.hpp>

#include <optional>

namespace ideal {
namespace ckn {

/// A vector of channels at every position; position (x, y) is row y * width + x.
struct FeatureMap {
  Index height = 0;
  Index width = 0;
  FloatRows values;
};

FeatureMap image_at(const Dataset& images, Index row, const ImageShape& shape);

/// One row for every position: the patch around it, channels of pixels in reading order. Pixels outside
/// repeat the edge.
FloatRows patches_of(const FeatureMap& map, Index patch);

/// Centres patches and evens out their contrast.
struct Contrast {
  Centring centring = Centring::patch;
  Index channels = 3;
  float floor = 0;  ///< as a norm; 0 leaves the contrast alone

  void operator()(FloatRows& patches) const;
};

/// x -> (x - mean) * matrix.
class Whitening {
 public:
  Whitening(Eigen::RowVectorXf mean, FloatRows matrix)
      : mean_(std::move(mean)), matrix_(std::move(matrix)), packed_(matrix_) {}

  /// ZCA: with ridge 0 the covariance of the sample becomes the identity.
  static Whitening learn(const FloatRows& sample, double ridge);

  FloatRows operator()(FloatRows patches) const;
  [[nodiscard]] const Eigen::RowVectorXf& mean() const { return mean_; }
  [[nodiscard]] const FloatRows& matrix() const { return matrix_; }

 private:
  Eigen::RowVectorXf mean_;
  FloatRows matrix_;
  Packed packed_;
};

/// x -> |x| k(Z'Z)^(-1/2) k(Z' x/|x|). The part before the matrix is linear in nothing; the matrix commutes
/// with pooling, which leaves fewer vectors to multiply. Hence two steps.
class KernelMap {
 public:
  KernelMap(const FloatRows& filters, double sigma);                 ///< filters: one of unit norm a row
  KernelMap(FloatRows filters, double sigma, FloatRows projection);  ///< k(Z'Z)^(-1/2), if it is known

  /// |x| k(Z' x/|x|) for every row x.
  [[nodiscard]] FloatRows compare(const FloatRows& patches) const;
  [[nodiscard]] FloatRows project(const FloatRows& compared) const {
    return multiply(compared, packed_projection_);
  }

  [[nodiscard]] double sigma() const { return sigma_; }
  [[nodiscard]] const FloatRows& filters() const { return filters_; }
  [[nodiscard]] const FloatRows& projection() const { return projection_; }

 private:
  FloatRows filters_;
  double sigma_;
  FloatRows projection_;
  Packed packed_filters_, packed_projection_;
};

/// One row of Gaussian weights for every centre, summing to one; the centres lie symmetrically.
FloatRows pooling_weights(Index length, Index distance);
FeatureMap pool(const FeatureMap& map, Index distance);

/// Spherical k-means on rows of unit norm: `count` rows of unit norm. Needs at least `count` rows.
FloatRows cluster(const FloatRows& rows, Index count, Index iterations, std::uint64_t seed, Threads& threads,
                  const CknWatch& watch);

struct Layer {
  Index patch;
  Index pooling;
  KernelMap map;
};

inline Index pooled(Index length, Index distance) { return (length + distance - 1) / distance; }

}  // namespace ckn

struct CknModel {
  ImageShape image;
  ckn::Contrast contrast;
  std::optional<ckn::Whitening> whitening;
  std::vector<ckn::Layer> layers;
  bool unit_rows = false;
  Eigen::RowVectorXf mean;  ///< of the features, subtracted if unit_rows; empty until it is known

  /// The patches of a layer's input as its kernel map sees them.
  [[nodiscard]] FloatRows patches(std::size_t layer, const ckn::FeatureMap& input) const;
  /// The output of the first `layers` layers.
  [[nodiscard]] ckn::FeatureMap map(ckn::FeatureMap image, std::size_t layers) const;
  [[nodiscard]] Eigen::RowVectorXf features(ckn::FeatureMap image) const;
  [[nodiscard]] Index columns() const;
};

namespace ckn {

/// Throws CknStopped or tells the watcher.
void report(const CknWatch& watch, std::string_view doing, Index done, Index total);

/// task(i) for all items, some at a time with a report between.
void each_watched(Index items, std::string_view doing, Threads& threads, const CknWatch& watch,
                  const std::function<void(Index)>& task);

/// Throws InputError unless the rows of `images` are images of this shape.
void check_images(const Dataset& images, const ImageShape& shape);

}  // namespace ckn
}  // namespace ideal
