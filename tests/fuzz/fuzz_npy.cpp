// SPDX-License-Identifier: Apache-2.0
#include "data/readers.hpp"
#include "survive.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  return ideal::fuzz::survive(bytes, size, [](std::string_view file) {
    ideal::data::split_last_column(ideal::data::parse_npy(file, "fuzz"), "fuzz");
  });
}
