// SPDX-License-Identifier: Apache-2.0
#include "data/text.hpp"

#include "data/number.hpp"

#include <algorithm>
#include <cstdlib>
#include <system_error>

#include <fmt/format.h>

namespace ideal::data {

std::size_t Lines::fetch_line_end() {
  for (;;) {
    const std::size_t searched = rest_.size();
    if (!fetch()) return std::string_view::npos;
    if (const std::size_t end = rest_.find('\n', searched); end != std::string_view::npos) return end;
  }
}

/// Adds to the rest what the stream gives next; false at its end. The start of a line moves to the front of
/// the buffer, which grows only for a line that does not fit.
bool Lines::fetch() {
  constexpr std::size_t smallest = 1 << 18;
  const std::size_t kept = rest_.size();
  std::ranges::copy(rest_, buffer_.begin());
  if (2 * kept >= buffer_.size()) buffer_.resize(std::max(smallest, 2 * buffer_.size()));
  const std::size_t got = stream_->read(buffer_.data() + kept, buffer_.size() - kept);
  rest_ = {buffer_.data(), kept + got};
  return got > 0;
}

void Lines::jump(std::uint64_t offset, std::size_t lines_before) {
  const std::uint64_t ahead = offset - std::min(offset, end_offset_);
  if (ahead > rest_.size() && stream_) stream_->skip(ahead - rest_.size());
  rest_.remove_prefix(static_cast<std::size_t>(std::min<std::uint64_t>(ahead, rest_.size())));
  end_offset_ += ahead;
  number_ = lines_before;
}

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
  const auto [stop, error] = take_number(token.data(), end, value);
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
