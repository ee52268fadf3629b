// SPDX-License-Identifier: Apache-2.0
#include "cache.hpp"

#include <ideal/error.hpp>

#include <cstdlib>

namespace ideal::cli {

namespace fs = std::filesystem;

namespace {

fs::path variable(const char* name) {
  const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nobody sets it meanwhile
  return value ? value : "";
}

}  // namespace

fs::path cache_directory(const std::string& given) {
  if (!given.empty()) return given;
  if (const fs::path cache = variable("XDG_CACHE_HOME"); cache.is_absolute()) return cache / "ideal";
  if (const fs::path home = variable("HOME"); home.is_absolute()) return home / ".cache" / "ideal";
  return {};
}

std::optional<ParsedCache> parsed_cache(const std::string& given) {
  const fs::path cache = cache_directory(given);
  if (cache.empty() || variable("IDEAL_PARSED_CACHE") == "off") return {};
  return ParsedCache{.folder = cache / "parsed"};
}

fs::path required_cache(const std::string& given) {
  fs::path cache = cache_directory(given);
  if (cache.empty())
    throw InputError("--cache", "neither XDG_CACHE_HOME nor HOME is set", "named data sets live in a cache",
                     "Add --cache DIR.");
  return cache;
}

}  // namespace ideal::cli
