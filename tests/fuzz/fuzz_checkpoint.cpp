// SPDX-License-Identifier: Apache-2.0
#include "survive.hpp"

#include <ideal/checkpoint.hpp>

#include <cstring>

#include <zlib.h>

// A right checksum is put behind the bytes, or no fuzzer would ever get past it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  return ideal::fuzz::survive(bytes, size, [](std::string_view text) {
    std::string whole(text);
    const auto sum = static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(whole.data()),
                                                        whole.size()));  // NOLINT: zlib's idea of bytes
    char tail[sizeof sum];
    std::memcpy(tail, &sum, sizeof sum);
    whole.append(tail, sizeof sum);
    ideal::parse_checkpoint(whole, "fuzz");
  });
}
