// SPDX-License-Identifier: Apache-2.0
// What every fuzzer asks of a reader: to parse, or to throw ideal::Error, whatever the bytes.
#pragma once

#include <ideal/error.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ideal::fuzz {

template <class Read>
int survive(const std::uint8_t* bytes, std::size_t size, Read&& read) {
  try {
    read(std::string_view(reinterpret_cast<const char*>(bytes), size));
  } catch (const Error&) {
  }
  return 0;
}

}  // namespace ideal::fuzz
