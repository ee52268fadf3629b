// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ideal {

/// The whole file; throws InputError if it cannot be read.
std::string read_text(const std::filesystem::path& file);

/// Walks a text line by line, counting from 1; ends of line may be LF or CR LF.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}
  bool next();
  [[nodiscard]] std::string_view text() const { return line_; }
  [[nodiscard]] long number() const { return number_; }

 private:
  std::string_view rest_, line_;
  long number_ = 0;
};

std::string_view without_comment(std::string_view line, char mark);

/// The parts between spaces and tabs.
std::vector<std::string_view> words(std::string_view line);

std::string_view trimmed(std::string_view text);

/// The number that `text` is, all of it; a leading + is allowed.
template <class Number>
std::optional<Number> number(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace ideal
