// SPDX-License-Identifier: Apache-2.0
#include "data/text.hpp"

#include <charconv>
#include <cstdlib>
#include <system_error>

#include <fmt/format.h>

namespace ideal::data {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::string_view without_byte_order_mark(std::string_view text) {
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  if (text.starts_with(mark)) text.remove_prefix(mark.size());
  return text;
}

std::optional<double> parse_number(std::string_view token) {
  if (token.starts_with('+') && !token.starts_with("+-")) token.remove_prefix(1);
  const char* const end = token.data() + token.size();
  double value = 0;
  const auto [stop, error] = std::from_chars(token.data(), end, value);
  if (stop != end || error == std::errc::invalid_argument) return std::nullopt;
  // from_chars leaves the value alone when it is too large or too small; strtod rounds it to infinity or
  // zero.
  if (error == std::errc::result_out_of_range) return std::strtod(std::string(token).c_str(), nullptr);
  return value;
}

namespace {

std::string escaped(std::string_view bytes) {
  std::string result;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f)
      result += fmt::format("\\x{:02x}", byte);
    else
      result += c;
  }
  return result;
}

}  // namespace

std::string shown(std::string_view token) {
  constexpr std::size_t longest = 40;
  if (token.size() <= longest) return fmt::format("'{}'", escaped(token));
  return fmt::format("'{}...{}'", escaped(token.substr(0, longest / 2)),
                     escaped(token.substr(token.size() - longest / 4)));
}

}  // namespace ideal::data
