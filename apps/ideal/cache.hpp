// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/data.hpp>

#include <filesystem>
#include <optional>
#include <string>

namespace ideal::cli {

/// The directory of what can be had again, optima and named data sets: `given` by --cache, else
/// $XDG_CACHE_HOME/ideal, else ~/.cache/ideal. Empty if none of them is known.
std::filesystem::path cache_directory(const std::string& given);

/// The same where there is no doing without; throws InputError if none is known.
std::filesystem::path required_cache(const std::string& given);

/// Where what text files hold is kept; none without a directory, or if IDEAL_PARSED_CACHE is "off".
std::optional<ParsedCache> parsed_cache(const std::string& given);

}  // namespace ideal::cli
