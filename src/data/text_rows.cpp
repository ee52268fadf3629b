// SPDX-License-Identifier: Apache-2.0
#include "data/text_rows.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

namespace ideal::data {
namespace {

constexpr Index landmark_spacing = 256;

/// Where the first line begins that begins in from ... to-1; `to` if none does. Looks no further, so that a
/// line much longer than a part is not searched by every part.
std::uint64_t first_line_in(const Content& text, std::uint64_t from, std::uint64_t to) {
  if (from == 0) return 0;
  const auto before = text.stream(from - 1, to - from);
  std::array<char, 1 << 12> window;
  while (const std::size_t got = before->read(window.data(), window.size())) {
    const auto* const end = static_cast<const char*>(std::memchr(window.data(), '\n', got));
    if (end) return from + static_cast<std::uint64_t>(end - window.data());
    from += got;
  }
  return to;
}

Lines lines_of(const Content& text, const Stretch& stretch) {
  if (const auto bytes = text.in_memory())
    return Lines(bytes->substr(std::min<std::uint64_t>(stretch.begin, bytes->size())), stretch.begin,
                 stretch.lines_before);
  return Lines(text.stream(stretch.begin), stretch.begin, stretch.lines_before);
}

}  // namespace

Stretch stretch_of(const Content& text, Index part, Index parts) {
  const std::optional<std::uint64_t> size = text.size();
  Stretch stretch;
  if (!size) {  // unpacked from the front only: one has to do it all
    if (part > 0) stretch.begin = stretch.end = 0;
    return stretch;
  }
  const auto cut = [&](Index k) {
    const auto share = *size / static_cast<std::uint64_t>(parts),
               rest = *size % static_cast<std::uint64_t>(parts);
    const auto number = static_cast<std::uint64_t>(k);
    return number * share + std::min(number, rest);
  };
  stretch.begin = first_line_in(text, cut(part), cut(part + 1));
  if (part + 1 < parts) stretch.end = cut(part + 1);
  return stretch;
}

std::size_t lines_before(const Content& text, std::uint64_t offset) {
  std::size_t count = 0;
  for (Lines lines(text.stream()); lines.next() && lines.offset() < offset;) ++count;
  return count;
}

TextRows::TextRows(const Content& text, RowOf row_of, std::uint64_t first_row, const Stretch& stretch)
    : lines_(lines_of(text, stretch)), row_of_(row_of), first_row_(first_row), end_(stretch.end) {}

bool TextRows::next() {
  while (lines_.end_offset() < end_ && lines_.next()) {
    ++passed_;
    if (lines_.offset() < first_row_) continue;
    text_ = row_of_(lines_.line());
    if (text_.empty()) continue;
    ++row_;
    return true;
  }
  return false;
}

void TextRows::go_to(Index row, const Outline& outline) {
  const auto after = std::ranges::upper_bound(outline.landmarks, row, {}, &Landmark::row);
  if (after != outline.landmarks.begin())
    if (const Landmark& landmark = *std::prev(after); landmark.row > row_ + 1) {
      lines_.jump(landmark.offset, static_cast<std::size_t>(landmark.line));
      row_ = landmark.row - 1;
    }
  while (row_ < row)
    if (!next()) refuse_changed_file(outline.place);
}

void visit(TextRows& rows, const Selection& selection,
           const std::function<void(Index position, const TextRows& rows)>& use) {
  if (selection.all()) {
    for (Index position = 0; rows.next(); ++position) use(position, rows);
    return;
  }
  selection.each(0, [&](Index row, Index position) {
    rows.go_to(row, selection.outline());
    use(position, rows);
  });
}

void outline_rows(TextRows rows, const Stretch& stretch, Outline& out,
                  const std::function<double(const TextRows& rows)>& read) {
  std::vector<double> labels;
  while (rows.next()) {
    const auto row = static_cast<Index>(labels.size());
    if (row % landmark_spacing == 0)
      out.landmarks.push_back(
          {row, static_cast<Index>(rows.line() - 1 - stretch.lines_before), rows.offset()});
    labels.push_back(read(rows));
  }
  out.labels = Eigen::Map<const Vector>(labels.data(), static_cast<Index>(labels.size()));
  out.lines = static_cast<Index>(rows.lines_passed());
}

}  // namespace ideal::data
