// SPDX-License-Identifier: Apache-2.0
#include "number.hpp"

#include <charconv>
#include <cmath>

namespace ideal::cli {

std::optional<double> parse_number(std::string_view text) {
  double value = 0;
  const char* const first = text.data();
  const char* const last = first + text.size();
  const auto [end, error] = std::from_chars(first, last, value);
  if (error != std::errc() || end != last || !std::isfinite(value)) return {};
  return value;
}

std::optional<double> parse_number(std::string_view text, const Range& range, bool whole) {
  const auto value = parse_number(text);
  if (!value || (whole && *value != std::floor(*value))) return {};
  const bool high_enough = range.low_open ? *value > range.low : *value >= range.low;
  const bool low_enough = range.high_open ? *value < range.high : *value <= range.high;
  if (!high_enough || !low_enough) return {};
  return value;
}

}  // namespace ideal::cli
