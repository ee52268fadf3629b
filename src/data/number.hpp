// SPDX-License-Identifier: Apache-2.0
// Numbers as they mostly stand in data files, read faster than by the general reader, to the same bits.
#pragma once

#include <array>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace ideal::data {

inline bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

namespace number_detail {

constexpr std::uint64_t each_byte = 0x0101010101010101;

inline bool are_digits(std::uint64_t eight) {
  return (((eight + 0x46 * each_byte) | (eight - '0' * each_byte)) & 0x80 * each_byte) == 0;
}

/// The number that eight digits spell, the first of them in the lowest byte: pairs, fours, then all.
inline std::uint64_t value_of(std::uint64_t eight) {
  eight -= '0' * each_byte;
  eight = eight * 10 + (eight >> 8);
  constexpr std::uint64_t pairs = 0x000000ff000000ff;
  return ((eight & pairs) * (100 + (1'000'000ull << 32)) + (eight >> 16 & pairs) * (1 + (10'000ull << 32))) >>
         32;
}

/// Appends digits to `value`, which wraps around if there are too many; returns where they end.
inline const char* take_digits(const char* at, const char* end, std::uint64_t& value) {
  for (; at != end && is_digit(*at); ++at) value = 10 * value + static_cast<std::uint64_t>(*at - '0');
  return at;
}

/// The same, quicker for many.
inline const char* take_many_digits(const char* at, const char* end, std::uint64_t& value) {
  if constexpr (std::endian::native == std::endian::little)
    for (std::uint64_t eight = 0; end - at >= 8; at += 8) {
      std::memcpy(&eight, at, 8);
      if (!are_digits(eight)) break;
      value = 100'000'000 * value + value_of(eight);
    }
  return take_digits(at, end, value);
}

constexpr std::array<double, 20> powers_of_ten = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,
                                                  1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19};

}  // namespace number_detail

/// What std::from_chars gives. A decimal without exponent whose digits are below 2^53 is a quotient of two
/// numbers that doubles hold exactly, so that one division rounds it correctly; others are left to
/// from_chars.
inline std::from_chars_result take_number(const char* begin, const char* end, double& value) {
  using namespace number_detail;
  const char* const first = begin != end && *begin == '-' ? begin + 1 : begin;
  std::uint64_t digits = 0;
  const char* at = take_digits(first, end, digits);
  std::ptrdiff_t count = at - first, decimals = 0;
  if (at != end && *at == '.') {
    const char* const point = at;
    at = take_many_digits(point + 1, end, digits);
    decimals = at - point - 1;
    count += decimals;
  }
  constexpr std::ptrdiff_t most_digits = 19;  // of 64 bits
  const bool exponent = at != end && (*at == 'e' || *at == 'E');
  if (count == 0 || count > most_digits || digits > 1ull << 53 || exponent)
    return std::from_chars(begin, end, value);
  const double size = static_cast<double>(digits) / powers_of_ten[static_cast<std::size_t>(decimals)];
  value = first == begin ? size : -size;
  return {at, std::errc{}};
}

}  // namespace ideal::data
