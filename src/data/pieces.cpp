// SPDX-License-Identifier: Apache-2.0
#include "data/pieces.hpp"

#include <ideal/parallel.hpp>

#include <algorithm>
#include <atomic>
#include <exception>

namespace ideal::data {
namespace {

/// Pieces are numbered from front to back, and each knows its failure.
class FirstFailure {
 public:
  explicit FirstFailure(Index pieces) : failures_(static_cast<std::size_t>(pieces)), first_(pieces) {}

  [[nodiscard]] bool before(Index piece) const { return first_.load(std::memory_order_relaxed) < piece; }

  void note(Index piece) {
    failures_[static_cast<std::size_t>(piece)] = std::current_exception();
    Index known = first_.load(std::memory_order_relaxed);
    while (piece < known && !first_.compare_exchange_weak(known, piece, std::memory_order_relaxed)) {
    }
  }

  void rethrow() const {
    for (const std::exception_ptr& failure : failures_)
      if (failure) std::rethrow_exception(failure);
  }

 private:
  std::vector<std::exception_ptr> failures_;
  std::atomic<Index> first_;
};

Index text_pieces(const Content& text, const Selection& selection, const Workers& workers) {
  const std::optional<std::uint64_t> size = text.size();
  if (!selection.all() || !size) return 1;
  const std::uint64_t piece = std::max<std::uint64_t>(workers.piece, 1);
  return static_cast<Index>(std::max<std::uint64_t>(1, *size / piece + (*size % piece != 0 ? 1 : 0)));
}

}  // namespace

void each_piece(Index pieces, const Workers& workers, const std::function<void(Index piece)>& task) {
  FirstFailure failure(pieces);
  // Whoever is free takes the next piece: files are read from front to back, and nobody waits for the
  // slowest.
  std::atomic<Index> next = 0;
  Threads team(static_cast<int>(std::clamp<Index>(workers.threads, 1, std::max<Index>(pieces, 1))));
  team.each(team.count(), [&](Index) {
    for (Index piece = next++; piece < pieces && !failure.before(piece); piece = next++) try {
        task(piece);
      } catch (...) {
        failure.note(piece);
      }
  });
  failure.rethrow();
}

TextPieces::TextPieces(const Content& text, RowOf row_of, std::uint64_t first_row, const Selection& selection,
                       const Workers& workers)
    : text_(text),
      row_of_(row_of),
      first_row_(first_row),
      selection_(selection),
      workers_(workers),
      pieces_(static_cast<std::size_t>(text_pieces(text, selection, workers))) {
  if (selection.all())
    for (Index k = 0; k < count(); ++k)
      pieces_[static_cast<std::size_t>(k)].stretch = stretch_of(text, k, count());
}

TextRows TextPieces::rows_of(const Piece& piece) const { return {text_, row_of_, first_row_, piece.stretch}; }

void TextPieces::survey(const std::function<void(Index piece, Index place, std::string_view row)>& look) {
  each_piece(count(), workers_, [&](Index k) {
    Piece& piece = pieces_[static_cast<std::size_t>(k)];
    TextRows rows = rows_of(piece);
    visit(rows, selection_, [&](Index place, const TextRows& row) {
      look(k, place, row.text());
      ++piece.rows;
    });
    piece.lines = rows.lines_passed();
  });
  std::size_t lines = 0;
  for (Piece& piece : pieces_) {
    piece.first = rows_;
    piece.stretch.lines_before = lines;
    rows_ += piece.rows;
    lines += piece.lines;
  }
}

void TextPieces::read(const std::function<void(Index piece, Index place, const TextRows& rows)>& use) const {
  each_piece(count(), workers_, [&](Index k) {
    const Piece& piece = pieces_[static_cast<std::size_t>(k)];
    TextRows rows = rows_of(piece);
    Index seen = 0;
    visit(rows, selection_, [&](Index place, const TextRows& row) {
      if (++seen > piece.rows) refuse_changed_file(text_.place());
      use(k, place, row);
    });
    if (seen < piece.rows) refuse_changed_file(text_.place());
  });
}

}  // namespace ideal::data
