// SPDX-License-Identifier: Apache-2.0
// A text read by several threads at once, as if by one.
#pragma once

#include "data/selection.hpp"
#include "data/source.hpp"
#include "data/text_rows.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace ideal::data {

/// How many threads read, and pieces of how many bytes they take in turn. Neither changes what is read.
struct Workers {
  int threads = 1;
  std::uint64_t piece = 4 << 20;
};

/// Runs task(0) ... task(pieces-1) on the threads. If some fail, throws what the first of them threw: who
/// goes from front to back would have met that.
void each_piece(Index pieces, const Workers& workers, const std::function<void(Index piece)>& task);

/// The selected rows of a text: all of them in pieces cut at line ends, or some in one piece.
class TextPieces {
 public:
  /// All but the workers stay the caller's; `first_row` as for TextRows.
  TextPieces(const Content& text, RowOf row_of, std::uint64_t first_row, const Selection& selection,
             const Workers& workers);

  [[nodiscard]] Index count() const { return static_cast<Index>(pieces_.size()); }

  /// Calls look(piece, place, row) once for every row, to find out what reading will need. Where all rows are
  /// read, `place` counts those of the piece; else it is where the row comes to stand.
  void survey(const std::function<void(Index piece, Index place, std::string_view row)>& look =
                  [](Index, Index, std::string_view) {});

  /// Known after the survey. Row `place` of a piece comes to stand at first(piece) + place.
  [[nodiscard]] Index rows() const { return rows_; }
  [[nodiscard]] Index first(Index piece) const { return pieces_[static_cast<std::size_t>(piece)].first; }

  /// Calls use(piece, place, rows) at every row, with the true number of its line. Throws InputError if there
  /// are more rows than the survey found, and what `use` throws first.
  void read(const std::function<void(Index piece, Index place, const TextRows& rows)>& use) const;

 private:
  struct Piece {
    Stretch stretch;
    Index rows = 0, first = 0;
    std::size_t lines = 0;
  };
  [[nodiscard]] TextRows rows_of(const Piece& piece) const;

  const Content& text_;
  RowOf row_of_;
  std::uint64_t first_row_;
  const Selection& selection_;
  Workers workers_;
  std::vector<Piece> pieces_;
  Index rows_ = 0;
};

}  // namespace ideal::data
