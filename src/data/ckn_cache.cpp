// SPDX-License-Identifier: Apache-2.0
#include "data/source.hpp"

#include <ideal/ckn.hpp>
#include <ideal/error.hpp>

#include <array>
#include <memory>
#include <new>
#include <optional>

#include <fmt/format.h>
#include <xxhash.h>

namespace ideal {
namespace {

namespace fs = std::filesystem;

// Part of every key: a change of the arithmetic, of learning or of the file format gives it a new number.
constexpr int arithmetic_version = 1;

std::string text_of(const XXH128_hash_t& hash) {
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

std::string digest(std::string_view bytes) { return text_of(XXH3_128bits(bytes.data(), bytes.size())); }

/// Of all a file holds, unpacked; read piece by piece.
std::string digest_of_content(const fs::path& file) {
  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(), XXH3_freeState);
  if (!state) throw std::bad_alloc();
  XXH3_128bits_reset(state.get());
  const data::Content content(file, data::Gzip::streamed);
  const auto stream = content.stream();
  std::array<char, 1 << 14> piece;
  while (const std::size_t size = stream->read(piece.data(), piece.size()))
    XXH3_128bits_update(state.get(), piece.data(), size);
  return text_of(XXH3_128bits_digest(state.get()));
}

std::string text_of(const CknOptions& options) {
  std::string text =
      fmt::format("{} {} {} {} {} {} {} {} {} {}", arithmetic_version, to_string(options.image),
                  static_cast<int>(options.centring), options.contrast_floor, options.whitening_ridge,
                  options.unit_rows, options.images, options.patches, options.iterations, options.seed);
  for (const CknLayer& layer : options.layers)
    text += fmt::format(" {}:{}:{}:{}", layer.filters, layer.patch, layer.pooling, layer.sigma);
  return text;
}

/// A cache that cannot be written costs time at the next run, nothing else.
template <class Write>
void keep(const fs::path& file, Write write) {
  try {
    fs::create_directories(file.parent_path());
    write(file);
  } catch (const RunError&) {
    return;
  } catch (const fs::filesystem_error&) {
    return;
  }
}

/// What `read` makes of a file that may be missing or damaged.
template <class Read>
auto kept(const fs::path& file, Read read) -> std::optional<decltype(read(file))> {
  try {
    if (std::error_code ignored; fs::exists(file, ignored)) return read(file);
  } catch (const InputError&) {
    return {};
  }
  return {};
}

struct CknFiles {
  fs::path network, features;
};

CknFiles files_of(const fs::path& training, const fs::path& images, const CknOptions& options,
                  const fs::path& cache) {
  const std::string network_key = digest(text_of(options) + digest_of_content(training));
  const std::string features_key = digest(network_key + digest_of_content(images));
  return {cache / "ckn" / fmt::format("network-{}.npz", network_key),
          cache / "ckn" / fmt::format("features-{}.npz", features_key)};
}

}  // namespace

fs::path cached_features_file(const fs::path& training, const fs::path& images, const CknOptions& options,
                              const fs::path& cache) {
  return files_of(training, images, options, cache).features;
}

Dataset cached_features(const fs::path& training, const fs::path& images, const CknOptions& options,
                        const fs::path& cache, Threads& threads, const CknWatch& watch) {
  const auto [network_file, features_file] = files_of(training, images, options, cache);
  const auto read_features = [](const fs::path& file) { return read_dataset(file); };
  if (auto features = kept(features_file, read_features)) return std::move(*features);

  auto network = kept(network_file, Ckn::load);
  if (!network) {
    network = Ckn::learn(read_dataset(training), options, threads, watch);
    keep(network_file, [&](const fs::path& file) { network->save(file); });
  }
  const Dataset pixels = read_dataset(images);
  const FloatRows features = network->features(pixels, threads, watch);
  keep(features_file, [&](const fs::path& file) { write_dataset(features, pixels.labels, file); });
  return {pixels.name, DenseRows(features.cast<double>()), pixels.labels};
}

}  // namespace ideal
