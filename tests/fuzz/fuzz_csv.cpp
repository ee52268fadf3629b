// SPDX-License-Identifier: Apache-2.0
#include "data/readers.hpp"
#include "survive.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  return ideal::fuzz::survive(bytes, size,
                              [](std::string_view text) { ideal::data::parse_csv(text, "", "fuzz"); });
}
