// SPDX-License-Identifier: Apache-2.0
#include <ideal/error.hpp>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ideal {

InputError::InputError(std::string_view place, std::string_view found, std::string_view rule,
                       std::string_view remedy)
    : Error(fmt::format("{}: {} ({}). {}", place, found, rule, remedy)) {}

InputError::InputError(std::string_view place, const InputError& error)
    : Error(fmt::format("{}: {}", place, error.what())) {}

namespace {

/// Insertions, deletions, substitutions and swaps of neighbouring letters that turn a into b.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last, last, row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last = std::exchange(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row.back();
}

}  // namespace

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
  if (candidates.empty()) return "";
  const auto distance = [&](const std::string& c) { return edit_distance(word, c); };
  const auto best = std::ranges::min_element(candidates, {}, distance);
  if (distance(*best) <= std::max<std::size_t>(1, best->size() / 3))
    return fmt::format("Did you mean '{}'?", *best);
  return fmt::format("One of: {}.", fmt::join(candidates, ", "));
}

}  // namespace ideal
