// SPDX-License-Identifier: Apache-2.0
// What every reader of text meets: lines, numbers, and tokens quoted in messages.
#pragma once

#include "data/stream.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ideal::data {

inline bool is_blank(char c) { return c == ' ' || c == '\t'; }

std::string_view trimmed(std::string_view text);

std::string_view without_byte_order_mark(std::string_view text);

/// Walks over the lines of a text, in memory or on its way from a file; LF and CRLF both end one. A byte
/// order mark at the start of the text belongs to no line.
class Lines {
 public:
  /// The lines from byte `offset` of a text on, where `rest` or the stream is and a line starts, and before
  /// which there are `lines_before` lines.
  explicit Lines(std::string_view rest, std::uint64_t offset = 0, std::size_t lines_before = 0)
      : rest_(rest), end_offset_(offset), number_(lines_before) {}
  explicit Lines(std::unique_ptr<ByteStream> stream, std::uint64_t offset = 0, std::size_t lines_before = 0)
      : stream_(std::move(stream)), end_offset_(offset), number_(lines_before) {}

  bool next() {
    std::size_t end = rest_.find('\n');
    if (end == std::string_view::npos && stream_) end = fetch_line_end();
    if (rest_.empty()) return false;
    line_ = rest_.substr(0, end);
    const std::size_t taken = end == std::string_view::npos ? rest_.size() : end + 1;
    rest_.remove_prefix(taken);
    offset_ = end_offset_;
    end_offset_ += taken;
    if (line_.ends_with('\r')) line_.remove_suffix(1);
    if (offset_ == 0) line_ = without_byte_order_mark(line_);
    ++number_;
    return true;
  }

  /// Goes on at a line further down; `offset` and `lines_before` as above.
  void jump(std::uint64_t offset, std::size_t lines_before);

  [[nodiscard]] std::string_view line() const { return line_; }
  [[nodiscard]] std::size_t number() const { return number_; }            ///< from 1
  [[nodiscard]] std::uint64_t offset() const { return offset_; }          ///< of the line's first byte
  [[nodiscard]] std::uint64_t end_offset() const { return end_offset_; }  ///< of the first byte behind it

 private:
  std::size_t fetch_line_end();
  bool fetch();

  std::unique_ptr<ByteStream> stream_;
  std::vector<char> buffer_;
  std::string_view rest_;
  std::string_view line_;
  std::uint64_t offset_ = 0;
  std::uint64_t end_offset_ = 0;
  std::size_t number_ = 0;
};

/// The number `token` spells from its first to its last character; "nan" and "inf" are numbers here.
std::optional<double> parse_number(std::string_view token);

/// `token` in quotes, unprintable bytes escaped and the middle of a long one left out: fit for a message.
std::string shown(std::string_view token);

}  // namespace ideal::data
