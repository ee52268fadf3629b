// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace ideal::cli {

/// The directory of what can be had again, optima and named data sets: `given` by --cache, else
/// $XDG_CACHE_HOME/ideal, else ~/.cache/ideal. Empty if none of them is known.
std::filesystem::path cache_directory(const std::string& given);

/// The same where there is no doing without; throws InputError if none is known.
std::filesystem::path required_cache(const std::string& given);

}  // namespace ideal::cli
