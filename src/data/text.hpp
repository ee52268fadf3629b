// SPDX-License-Identifier: Apache-2.0
// What every reader of text meets: lines, numbers, and tokens quoted in messages.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace ideal::data {

/// Walks over the lines of a text; LF and CRLF both end one.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}

  bool next() {
    if (rest_.empty()) return false;
    const std::size_t end = rest_.find('\n');
    line_ = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    if (line_.ends_with('\r')) line_.remove_suffix(1);
    ++number_;
    return true;
  }

  [[nodiscard]] std::string_view line() const { return line_; }
  [[nodiscard]] std::size_t number() const { return number_; }  ///< from 1

 private:
  std::string_view rest_;
  std::string_view line_;
  std::size_t number_ = 0;
};

inline bool is_blank(char c) { return c == ' ' || c == '\t'; }

std::string_view trimmed(std::string_view text);

std::string_view without_byte_order_mark(std::string_view text);

/// The number `token` spells from its first to its last character; "nan" and "inf" are numbers here.
std::optional<double> parse_number(std::string_view token);

/// `token` in quotes, unprintable bytes escaped and the middle of a long one left out: fit for a message.
std::string shown(std::string_view token);

}  // namespace ideal::data
