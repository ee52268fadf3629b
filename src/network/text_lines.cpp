// SPDX-License-Identifier: Apache-2.0
#include "network/text_lines.hpp"

#include <ideal/error.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

namespace ideal {
namespace {

constexpr std::string_view blanks = " \t\r";

}  // namespace

std::string read_text(const std::filesystem::path& file) {
  const auto fail = [&](std::string_view reason) {
    throw InputError(file.string(), fmt::format("cannot be read: {}", reason), "a readable text file",
                     "Check the path and its permissions.");
  };
  if (std::filesystem::is_directory(file)) fail("it is a directory");
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  if (!in) fail(std::strerror(errno));
  std::string text(std::istreambuf_iterator<char>(in), {});
  if (in.bad()) fail(std::strerror(errno));
  return text;
}

bool Lines::next() {
  if (rest_.empty()) return false;
  const auto end = rest_.find('\n');
  line_ = rest_.substr(0, end);
  rest_ = end == std::string_view::npos ? std::string_view{} : rest_.substr(end + 1);
  if (line_.ends_with('\r')) line_.remove_suffix(1);
  ++number_;
  return true;
}

std::string_view without_comment(std::string_view line, char mark) { return line.substr(0, line.find(mark)); }

std::vector<std::string_view> words(std::string_view line) {
  std::vector<std::string_view> found;
  for (;;) {
    const auto start = line.find_first_not_of(blanks);
    if (start == std::string_view::npos) return found;
    line.remove_prefix(start);
    const auto end = std::min(line.find_first_of(blanks), line.size());
    found.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
}

std::string_view trimmed(std::string_view text) {
  const auto start = text.find_first_not_of(blanks);
  if (start == std::string_view::npos) return {};
  return text.substr(start, text.find_last_not_of(blanks) - start + 1);
}

}  // namespace ideal
