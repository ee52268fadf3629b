// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace ideal::cli {

/// Throws InputError where no file of this name could be written.
void require_place_for(std::string_view option, const std::filesystem::path& file);

/// Throws InputError where no such directory could be made.
void require_creatable(std::string_view option, const std::filesystem::path& directory);

/// A name beside `path` that nobody else takes.
std::filesystem::path hidden_beside(const std::filesystem::path& path, std::string_view role);

/// Writes beside the target and renames, so that a failure leaves the old file; throws RunError.
void write_text(const std::filesystem::path& file, std::string_view text);

/// All of a file, or nothing where there is none.
std::string read_text(const std::filesystem::path& file);

}  // namespace ideal::cli
