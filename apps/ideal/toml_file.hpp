// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <toml++/toml.h>

namespace ideal::cli {

/// Throws InputError naming file and line; `what` the file should be, `option` where it was named.
::toml::table parse_toml(const std::filesystem::path& file, std::string_view option, std::string_view what);

/// "file:line" of a key.
std::string place_of(const ::toml::key& key, const std::filesystem::path& file);

/// A text, number or truth as the command line would spell it.
std::string word_of(const ::toml::node& node, std::string_view place);

/// The same for each element of an array, or the one value.
std::vector<std::string> words_of(const ::toml::node& node, std::string_view place);

}  // namespace ideal::cli
