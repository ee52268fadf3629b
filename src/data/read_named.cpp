// SPDX-License-Identifier: Apache-2.0
#include "data/readers.hpp"
#include "data/source.hpp"
#include "data/zip.hpp"

#include <ideal/datasets.hpp>

#include <thread>

namespace ideal {
namespace {

std::vector<Index> rows_labelled(const Vector& labels, const ClassPair& classes) {
  std::vector<Index> rows;
  for (Index row = 0; row < labels.size(); ++row)
    if (labels[row] == classes.first || labels[row] == classes.second) rows.push_back(row);
  return rows;
}

/// Widens only the rows that are wanted from bytes to doubles. Empty where the classes do not both occur, or
/// the file is not as we write it: then the general reader knows better what to say.
std::optional<Dataset> read_two_classes(const std::filesystem::path& file, const ClassPair& classes) {
  const std::string place = file.string();
  const data::Source source = data::load(file);
  if (data::recognise_bytes(source.bytes, place) != Format::npz) return {};
  data::ZipReader zip(source.bytes, place);
  if (!zip.contains("X.npy") || !zip.contains("y.npy")) return {};
  const data::ArrayView X = data::parse_npy(zip.read("X.npy"), place);
  const Vector y = data::to_vector(data::parse_npy(zip.read("y.npy"), place), place);
  const bool both = (y.array() == classes.first).any() && (y.array() == classes.second).any();
  if (!both || X.shape.size() != 2 || X.shape[0] != static_cast<std::uint64_t>(y.size())) return {};

  const std::vector<Index> rows = rows_labelled(y, classes);
  const auto columns = static_cast<Index>(X.shape[1]);
  DenseRows features(std::ssize(rows), columns);
  for (Index row = 0; row < features.rows(); ++row)
    X.copy(static_cast<std::size_t>(rows[row] * columns), static_cast<std::size_t>(columns),
           features.data() + row * columns);
  if (!features.allFinite()) return {};
  return Dataset{"", std::move(features), y(rows)};
}

CknOptions network_for(const NamedSplit& split) {
  CknOptions options;
  options.image = *split.data->image;
  return options;
}

/// What the network of a split is learnt from.
std::filesystem::path training_file(const NamedSplit& split, const std::filesystem::path& cache) {
  const NamedSplit train{split.data, false};
  require_cached(train, cache);
  return cached_file(train, cache);
}

Dataset read_features(const NamedSplit& split, const std::filesystem::path& cache, const CknWatch& watch) {
  const std::filesystem::path training = training_file(split, cache);
  Threads threads(static_cast<int>(std::thread::hardware_concurrency()));
  Dataset features =
      cached_features(training, cached_file(split, cache), network_for(split), cache, threads, watch);
  features.name = split.title();
  return features;
}

}  // namespace

std::filesystem::path rows_file(const NamedSplit& split, const std::filesystem::path& cache) {
  require_cached(split, cache);
  if (!split.ckn) return cached_file(split, cache);
  return cached_features_file(training_file(split, cache), cached_file(split, cache), network_for(split),
                              cache);
}

Dataset read_named(const NamedSplit& split, const std::filesystem::path& cache,
                   const std::optional<ClassPair>& classes, const CknWatch& watch) {
  require_cached(split, cache);
  if (split.ckn) return read_features(split, cache, watch);
  const std::filesystem::path file = cached_file(split, cache);
  std::optional<Dataset> data = classes ? read_two_classes(file, *classes) : std::nullopt;
  if (!data) data = read_dataset(file);
  data->name = split.title();
  return std::move(*data);
}

}  // namespace ideal
