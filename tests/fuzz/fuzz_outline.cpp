// SPDX-License-Identifier: Apache-2.0
#include "survive.hpp"

#include <ideal/outline.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  return ideal::fuzz::survive(bytes, size, [](std::string_view sent) { ideal::outline_from_bytes(sent); });
}
