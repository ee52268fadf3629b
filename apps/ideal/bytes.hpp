// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/block.hpp>

#include <cstring>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <xxhash.h>

namespace ideal::cli {

/// Numbers as processes tell them each other.
inline std::string bytes_of(const Vector& numbers) {
  std::string bytes(static_cast<std::size_t>(numbers.size()) * sizeof(double), '\0');
  if (!bytes.empty()) std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}

inline Vector numbers_of(std::string_view bytes) {
  Vector numbers(static_cast<Index>(bytes.size() / sizeof(double)));
  const std::size_t size = static_cast<std::size_t>(numbers.size()) * sizeof(double);
  if (size > 0) std::memcpy(numbers.data(), bytes.data(), size);
  return numbers;
}

/// What stands for a content; 32 digits.
inline std::string hash_of(std::string_view text) {
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace ideal::cli
