// SPDX-License-Identifier: Apache-2.0
#include "data/text.hpp"

#include <ideal/error.hpp>
#include <ideal/outline.hpp>

#include <algorithm>
#include <optional>

#include <fmt/format.h>

namespace ideal {
namespace {

/// A pattern taken apart: what is before and behind the number, %% written out, and how the number is padded.
struct ShardPattern {
  std::string before, behind;
  int width = 0;
  bool zeros = false;
};

/// Takes 04d off "04d.svm"; false if it is no such thing.
bool take_conversion(std::string_view& text, ShardPattern& pattern) {
  constexpr int widest = 20;
  pattern.zeros = text.starts_with('0');
  for (; !text.empty() && text[0] >= '0' && text[0] <= '9' && pattern.width <= widest; text.remove_prefix(1))
    pattern.width = 10 * pattern.width + (text[0] - '0');
  if (!text.starts_with('d') || pattern.width > widest) return false;
  text.remove_prefix(1);
  return true;
}

/// Empty if there is not exactly one number to fill in.
std::optional<ShardPattern> parse_shards(std::string_view text) {
  ShardPattern pattern;
  std::string* literal = &pattern.before;
  for (;;) {
    const std::size_t sign = std::min(text.find('%'), text.size());
    *literal += text.substr(0, sign);
    text.remove_prefix(sign);
    if (text.empty()) break;
    text.remove_prefix(1);
    if (text.starts_with('%')) {
      *literal += '%';
      text.remove_prefix(1);
      continue;
    }
    if (literal == &pattern.behind || !take_conversion(text, pattern)) return std::nullopt;
    literal = &pattern.behind;
  }
  if (literal == &pattern.before) return std::nullopt;
  return pattern;
}

}  // namespace

bool is_shard_pattern(std::string_view data) { return parse_shards(data).has_value(); }

std::filesystem::path shard_file(std::string_view pattern, Index agent) {
  const auto parsed = parse_shards(pattern);
  if (!parsed || agent < 0)
    throw InputError(data::shown(pattern), fmt::format("no file of agent {}", agent),
                     "a pattern holds one %d for the number of the agent, from 0",
                     "Write for example shards/part-%04d.svm.");
  const std::string number = parsed->zeros ? fmt::format("{:0{}}", agent, parsed->width)
                                           : fmt::format("{:{}}", agent, parsed->width);
  return parsed->before + number + parsed->behind;
}

}  // namespace ideal
