// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/data.hpp>
#include <ideal/error.hpp>
#include <ideal/image.hpp>
#include <ideal/parallel.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace ideal {

/// What a patch of the image loses before the first layer sees it.
enum class Centring {
  none,
  patch,   ///< its mean: brightness goes, colour stays
  channel  ///< the mean of each channel: flat colour goes, edges of any colour stay
};

struct CknLayer {
  Index filters = 64;
  Index patch = 3;     ///< patches are patch x patch, one around every position; edges are repeated outwards
  Index pooling = 2;   ///< distance of the pooling centres; 1 keeps every position
  double sigma = 0.6;  ///< width of the kernel exp((<u, v> - 1) / sigma^2) of patches u, v of unit norm
};

struct CknOptions {
  ImageShape image = {32, 32, 3};
  std::vector<CknLayer> layers = {{.filters = 64, .patch = 3, .pooling = 2, .sigma = 0.6},
                                  {.filters = 256, .patch = 3, .pooling = 6, .sigma = 0.6}};
  Centring centring = Centring::channel;
  double contrast_floor = 1;  ///< patches are divided by sqrt(|x|^2 + (floor * typical norm)^2); 0: not
  double whitening_ridge =
      0.1;                  ///< added to the covariance, relative to its mean eigenvalue; 0: no whitening
  bool unit_rows = true;    ///< subtract the mean of the training images, scale each image to norm one
  Index images = 5000;      ///< how many images to learn from, at most
  Index patches = 100'000;  ///< how many patches to learn the filters of a layer from
  Index iterations = 10;    ///< of k-means
  std::uint64_t seed = 0;
};

/// Told what is being done and how much of it; asked whether to go on.
struct CknWatch {
  std::function<void(std::string_view doing, Index done, Index total)> progress;
  std::stop_token stop;
};

/// Thrown where CknWatch::stop was heard.
class CknStopped : public Error {
 public:
  CknStopped() : Error("stopped") {}
};

struct CknModel;

/// Convolutional kernel network (Mairal, NIPS 2016, without labels): every layer maps each patch x of its
/// input to psi(x) = |x| k(Z'Z)^(-1/2) k(Z' x/|x|), k(u) = exp((u - 1) / sigma^2), so that <psi(x), psi(y)>
/// approximates the kernel |x||y| k(<x, y>/|x||y|), and pools the result with Gaussian weights. The filters Z
/// are learnt by spherical k-means on sampled patches. The same seed gives the same bits for any number of
/// threads.
class Ckn {
 public:
  /// Throws InputError for options or images that do not fit; CknStopped.
  static Ckn learn(const Dataset& images, const CknOptions& options, Threads& threads,
                   const CknWatch& watch = {});

  /// Throws InputError if the file is not a whole and consistent network.
  static Ckn load(const std::filesystem::path& file);
  void save(const std::filesystem::path& file) const;

  [[nodiscard]] const ImageShape& image() const;
  [[nodiscard]] Index columns() const;  ///< features of an image

  /// One row for every image; throws InputError if their size differs from image(); CknStopped.
  [[nodiscard]] FloatRows features(const Dataset& images, Threads& threads, const CknWatch& watch = {}) const;

 private:
  explicit Ckn(std::shared_ptr<const CknModel> model) : model_(std::move(model)) {}
  std::shared_ptr<const CknModel> model_;
};

/// The features of the images in one data file by the network learnt from those in another (or the same),
/// computed once: features and network are kept below `cache` under a key of all they depend on, the content
/// of the files and the options. The files hold their labels, as NPZ does. A damaged or missing entry is made
/// anew.
Dataset cached_features(const std::filesystem::path& training, const std::filesystem::path& images,
                        const CknOptions& options, const std::filesystem::path& cache, Threads& threads,
                        const CknWatch& watch = {});

/// Where cached_features keeps them, or would: a cache that cannot be written has no such file.
std::filesystem::path cached_features_file(const std::filesystem::path& training,
                                           const std::filesystem::path& images, const CknOptions& options,
                                           const std::filesystem::path& cache);

}  // namespace ideal
