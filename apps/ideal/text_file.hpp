// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>

namespace ideal::cli {

/// Writes beside the target and renames, so that a failure leaves the old file; throws RunError.
void write_text(const std::filesystem::path& file, std::string_view text);

}  // namespace ideal::cli
