// SPDX-License-Identifier: Apache-2.0
#include "network/parse.hpp"

#include <ideal/error.hpp>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace {

// A valid spec of a million agents costs seconds and finds nothing: keep the numbers short.
bool asks_for_much(std::string_view spec) {
  return std::ranges::count_if(spec, [](unsigned char c) { return std::isdigit(c) != 0; }) > 6;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view spec(reinterpret_cast<const char*>(data), size);
  if (asks_for_much(spec)) return 0;
  try {
    ideal::parse_graph_spec(spec, 0);
  } catch (const ideal::InputError&) {
  }
  return 0;
}
