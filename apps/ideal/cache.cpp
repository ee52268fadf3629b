// SPDX-License-Identifier: Apache-2.0
#include "cache.hpp"

#include <ideal/error.hpp>

#include <cstdlib>

namespace ideal::cli {

namespace fs = std::filesystem;

fs::path cache_directory(const std::string& given) {
  const auto variable = [](const char* name) -> fs::path {
    const char* const value = std::getenv(name);
    return value ? value : "";
  };
  if (!given.empty()) return given;
  if (const fs::path cache = variable("XDG_CACHE_HOME"); cache.is_absolute()) return cache / "ideal";
  if (const fs::path home = variable("HOME"); home.is_absolute()) return home / ".cache" / "ideal";
  return {};
}

fs::path required_cache(const std::string& given) {
  fs::path cache = cache_directory(given);
  if (cache.empty())
    throw InputError("--cache", "neither XDG_CACHE_HOME nor HOME is set", "named data sets live in a cache",
                     "Add --cache DIR.");
  return cache;
}

}  // namespace ideal::cli
