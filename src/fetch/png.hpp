// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/block.hpp>

#include <string>
#include <string_view>

namespace ideal::fetch {

/// The bytes of an 8-bit RGB picture of exactly this size, row by row; throws InputError for any other.
std::string read_png(std::string_view png, Index width, Index height, std::string_view place);

}  // namespace ideal::fetch
