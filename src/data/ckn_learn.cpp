// SPDX-License-Identifier: Apache-2.0
// Learning a convolutional kernel network: layer by layer, from patches sampled from a few images.
#include "data/ckn_layer.hpp"

#include <ideal/ckn.hpp>
#include <ideal/error.hpp>
#include <ideal/random.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

namespace ideal {
namespace ckn {
namespace {

/// `count` different numbers below `n`, ascending; all of them if there are fewer.
std::vector<Index> draw(Index n, Index count, Random random) {
  std::vector<Index> numbers(static_cast<std::size_t>(n));
  std::iota(numbers.begin(), numbers.end(), Index{0});
  random.shuffle(numbers);
  numbers.resize(static_cast<std::size_t>(std::min(n, count)));
  std::ranges::sort(numbers);
  return numbers;
}

struct Assignment {
  std::vector<Index> nearest;
  std::vector<float> similarity;
};

Assignment assign(const FloatRows& rows, const FloatRows& centres, Threads& threads) {
  constexpr Index block = 256;
  const auto count = static_cast<std::size_t>(rows.rows());
  Assignment result{std::vector<Index>(count), std::vector<float>(count)};
  const Packed packed(centres.transpose());
  threads.each((rows.rows() + block - 1) / block, [&](Index b) {
    const Index first = b * block, size = std::min(block, rows.rows() - first);
    const FloatRows products = multiply(rows.middleRows(first, size), packed);
    for (Index i = 0; i < size; ++i) {
      const auto at = static_cast<std::size_t>(first + i);
      result.similarity[at] = products.row(i).maxCoeff(&result.nearest[at]);
    }
  });
  return result;
}

/// The mean direction of the rows assigned to each centre. A centre without rows starts again at a row that
/// is badly served.
FloatRows updated(const FloatRows& rows, const Assignment& assignment, const FloatRows& centres) {
  Eigen::MatrixXd sums = Eigen::MatrixXd::Zero(centres.cols(), centres.rows());
  for (Index i = 0; i < rows.rows(); ++i)
    sums.col(assignment.nearest[static_cast<std::size_t>(i)]) += rows.row(i).transpose().cast<double>();

  std::vector<Index> by_similarity(assignment.similarity.size());
  std::iota(by_similarity.begin(), by_similarity.end(), Index{0});
  std::ranges::sort(by_similarity, {}, [&](Index i) {
    return std::pair(assignment.similarity[static_cast<std::size_t>(i)], i);
  });
  auto worst = by_similarity.begin();

  FloatRows next(centres.rows(), centres.cols());
  for (Index k = 0; k < centres.rows(); ++k)
    if (const double norm = sums.col(k).norm(); norm > 0)
      next.row(k) = (sums.col(k) / norm).transpose().cast<float>();
    else
      next.row(k) = rows.row(*worst++);
  return next;
}

/// Patches of unit norm; those without content tell nothing about directions.
FloatRows unit_rows(const FloatRows& patches) {
  FloatRows kept(patches.rows(), patches.cols());
  Index count = 0;
  for (Index i = 0; i < patches.rows(); ++i)
    if (const float norm = patches.row(i).norm(); norm > 0) kept.row(count++) = patches.row(i) / norm;
  return kept.topRows(count);
}

}  // namespace

FloatRows cluster(const FloatRows& rows, Index count, Index iterations, std::uint64_t seed, Threads& threads,
                  const CknWatch& watch) {
  FloatRows centres(count, rows.cols());
  const std::vector<Index> start = draw(rows.rows(), count, Random(seed));
  for (Index k = 0; k < count; ++k) centres.row(k) = rows.row(start[static_cast<std::size_t>(k)]);
  for (Index i = 0; i < iterations; ++i) {
    report(watch, "filters", i, iterations);
    centres = updated(rows, assign(rows, centres, threads), centres);
  }
  return centres;
}

namespace {

void require(bool good, std::string_view what, double found, std::string_view rule) {
  if (!good)
    throw InputError("network", fmt::format("{} {}", what, found), rule, "Correct the layers or options.");
}

void check(const CknOptions& options) {
  const ImageShape& image = options.image;
  require(image.height >= 1 && image.width >= 1 && image.channels >= 1, "image values",
          static_cast<double>(image.values()), "height, width and channels are at least 1");
  require(!options.layers.empty(), "layers", 0, "a network has at least one");
  Index height = image.height, width = image.width;
  for (const CknLayer& layer : options.layers) {
    const auto number = [](Index value) { return static_cast<double>(value); };
    require(layer.filters >= 1, "filters", number(layer.filters), "a layer has at least one");
    require(layer.patch >= 1 && layer.patch <= std::min(height, width), "patch size", number(layer.patch),
            fmt::format("at least 1 and inside the layer's input of {}x{}", height, width));
    require(layer.pooling >= 1, "pooling", number(layer.pooling), "at least 1");
    require(layer.sigma > 0 && std::isfinite(layer.sigma), "sigma", layer.sigma, "positive and finite");
    height = pooled(height, layer.pooling);
    width = pooled(width, layer.pooling);
  }
  require(options.images >= 1, "images", static_cast<double>(options.images), "at least one to learn from");
  require(options.patches >= 1, "patches", static_cast<double>(options.patches),
          "at least one to learn from");
  require(options.iterations >= 0, "iterations", static_cast<double>(options.iterations), "not negative");
  require(options.contrast_floor >= 0 && std::isfinite(options.contrast_floor), "contrast floor",
          options.contrast_floor, "not negative, finite");
  require(options.whitening_ridge >= 0 && std::isfinite(options.whitening_ridge), "whitening ridge",
          options.whitening_ridge, "not negative, finite");
}

/// Streams of random numbers, so that no draw depends on another.
enum Stream : std::uint64_t { image_stream, cluster_stream, patch_stream };

std::uint64_t seed_of(const CknOptions& options, Stream stream, std::size_t layer) {
  return Random(options.seed, stream + 16 * layer).next();
}

class Learner {
 public:
  Learner(const Dataset& images, const CknOptions& options, Threads& threads, const CknWatch& watch)
      : images_(images),
        options_(options),
        threads_(threads),
        watch_(watch),
        chosen_(draw(images.rows(), options.images, Random(seed_of(options, image_stream, 0)))) {
    model_.image = options.image;
    model_.contrast = {.centring = options.centring, .channels = options.image.channels};
    model_.unit_rows = options.unit_rows;
  }

  CknModel operator()() {
    for (std::size_t layer = 0; layer < options_.layers.size(); ++layer) add_layer(layer);
    if (options_.unit_rows) model_.mean = mean_features();
    return std::move(model_);
  }

 private:
  void add_layer(std::size_t layer) {
    const CknLayer& wanted = options_.layers[layer];
    FloatRows sample = sampled_patches(layer);
    if (layer == 0) sample = prepared(std::move(sample));
    sample = unit_rows(sample);
    if (sample.rows() < wanted.filters)
      throw InputError(images_.name, fmt::format("{} patches with content", sample.rows()),
                       fmt::format("layer {} learns {} filters from them", layer + 1, wanted.filters),
                       "Use more images, or fewer filters.");
    const CknWatch watch{name_of(layer, "filters"), watch_.stop};
    const FloatRows filters = cluster(sample, wanted.filters, options_.iterations,
                                      seed_of(options_, cluster_stream, layer), threads_, watch);
    model_.layers.push_back({wanted.patch, wanted.pooling, KernelMap(filters, wanted.sigma)});
  }  // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks): of memory that Eigen frees by a function of its own

  decltype(CknWatch::progress) name_of(std::size_t layer, std::string_view what) const {
    if (!watch_.progress) return {};
    return [this, name = fmt::format("{} of layer {}", what, layer + 1)](
               std::string_view, Index done, Index total) { watch_.progress(name, done, total); };
  }

  /// As many patches from every chosen image, at random places.
  FloatRows sampled_patches(std::size_t layer) {
    const auto images = static_cast<Index>(chosen_.size());
    const Index each = (options_.patches + images - 1) / images;
    const Index patch = options_.layers[layer].patch;
    const Index channels = layer == 0 ? options_.image.channels : options_.layers[layer - 1].filters;
    const std::uint64_t seed = seed_of(options_, patch_stream, layer);
    FloatRows sample(images * each, patch * patch * channels);
    each_watched(images, fmt::format("patches for layer {}", layer + 1), threads_, watch_, [&](Index i) {
      const FloatRows all = patches_of(model_.map(image(i), layer), patch);
      Random random(seed, static_cast<std::uint64_t>(i));
      for (Index k = 0; k < each; ++k)
        sample.row(i * each + k) =
            all.row(static_cast<Index>(random.below(static_cast<std::uint64_t>(all.rows()))));
    });
    return sample;
  }

  /// Learns contrast and whitening from the patches and applies them.
  FloatRows prepared(FloatRows sample) {
    model_.contrast.floor = 0;
    model_.contrast(sample);
    const double typical = std::sqrt(sample.cast<double>().rowwise().squaredNorm().mean());
    model_.contrast.floor = static_cast<float>(options_.contrast_floor * typical);
    model_.contrast(sample);
    if (options_.whitening_ridge == 0) return sample;
    model_.whitening = Whitening::learn(sample, options_.whitening_ridge);
    return (*model_.whitening)(std::move(sample));
  }

  Eigen::RowVectorXf mean_features() {
    FloatRows rows(static_cast<Index>(chosen_.size()), model_.columns());
    each_watched(rows.rows(), "mean", threads_, watch_,
                 [&](Index i) { rows.row(i) = model_.features(image(i)); });
    return rows.cast<double>().colwise().mean().cast<float>();
  }

  [[nodiscard]] FeatureMap image(Index i) const {
    return image_at(images_, chosen_[static_cast<std::size_t>(i)], options_.image);
  }

  const Dataset& images_;
  const CknOptions& options_;
  Threads& threads_;
  const CknWatch& watch_;
  std::vector<Index> chosen_;
  CknModel model_;
};

}  // namespace
}  // namespace ckn

Ckn Ckn::learn(const Dataset& images, const CknOptions& options, Threads& threads, const CknWatch& watch) {
  ckn::check(options);
  ckn::check_images(images, options.image);
  return Ckn(std::make_shared<CknModel>(ckn::Learner(images, options, threads, watch)()));
}

}  // namespace ideal
