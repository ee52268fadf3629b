// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace ideal::data {

/// The whole content of a file, unpacked if it was gzipped.
struct Source {
  std::string bytes;
  bool gzipped;
};

/// Throws InputError if the file is missing, unreadable, a directory, empty or a damaged gzip file.
Source load(const std::filesystem::path& file);

}  // namespace ideal::data
