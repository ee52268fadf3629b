// SPDX-License-Identifier: Apache-2.0
// What the readers of text formats share: which lines are rows, and how to get to one of them.
#pragma once

#include "data/selection.hpp"
#include "data/source.hpp"
#include "data/text.hpp"

#include <cstdint>
#include <functional>
#include <limits>
#include <string_view>

namespace ideal::data {

/// A stretch of a text: the lines that begin in it. `lines_before` is for messages only.
struct Stretch {
  std::uint64_t begin = 0;
  std::uint64_t end = std::numeric_limits<std::uint64_t>::max();
  std::size_t lines_before = 0;
};

/// Part `part` of `parts`, cut where lines begin.
Stretch stretch_of(const Content& text, Index part, Index parts);

/// How many lines begin before `offset`.
std::size_t lines_before(const Content& text, std::uint64_t offset);

/// The row in a line; empty for a line that is none.
using RowOf = std::string_view (*)(std::string_view line);

/// Walks over the rows of a text.
class TextRows {
 public:
  /// Lines that begin before `first_row` are no rows: the header.
  TextRows(const Content& text, RowOf row_of, std::uint64_t first_row = 0, const Stretch& stretch = {});

  bool next();

  /// Goes on to a row; the one it is at is allowed.
  void go_to(Index row, const Outline& outline);

  [[nodiscard]] std::string_view text() const { return text_; }
  [[nodiscard]] std::size_t line() const { return lines_.number(); }  ///< from 1
  [[nodiscard]] std::uint64_t offset() const { return lines_.offset(); }

  [[nodiscard]] std::size_t lines_passed() const { return passed_; }
  [[nodiscard]] std::uint64_t bytes_passed() const { return lines_.end_offset(); }

 private:
  Lines lines_;
  RowOf row_of_;
  std::uint64_t first_row_;
  std::uint64_t end_;
  Index row_ = -1;
  std::string_view text_;
  std::size_t passed_ = 0;
};

/// Calls use(position, rows) at every selected row.
void visit(TextRows& rows, const Selection& selection,
           const std::function<void(Index position, const TextRows& rows)>& use);

/// Fills in labels, landmarks and lines; `read` checks the row that `rows` is at and tells its label.
void outline_rows(TextRows rows, const Stretch& stretch, Outline& out,
                  const std::function<double(const TextRows& rows)>& read);

}  // namespace ideal::data
