// SPDX-License-Identifier: Apache-2.0
#include "network/parse.hpp"

#include <ideal/error.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    ideal::parse_rounds(text, "rounds");
  } catch (const ideal::InputError&) {
  }
  return 0;
}
