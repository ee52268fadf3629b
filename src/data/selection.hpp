// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/outline.hpp>

#include <span>
#include <string_view>
#include <vector>

namespace ideal::data {

/// Which rows of a file are read: all, or some that its outline tells how to find. Files are read from front
/// to back, so rows are visited in the order of the file, whatever order they are wanted in.
class Selection {
 public:
  Selection() = default;

  /// Both stay the caller's. Throws InputError for a row that the file does not have.
  Selection(const Outline& outline, std::span<const Index> rows);

  [[nodiscard]] bool all() const { return outline_ == nullptr; }
  [[nodiscard]] const Outline& outline() const { return *outline_; }

  /// How many rows are read of a file that has `rows`.
  [[nodiscard]] Index count(Index rows) const { return all() ? rows : static_cast<Index>(rows_.size()); }

  /// Calls use(row, position) in ascending order of rows, where the row comes to stand at `position`.
  template <class Use>
  void each(Index rows, Use&& use) const {
    for (Index k = 0; k < count(rows); ++k) {
      const Index position = order_.empty() ? k : order_[static_cast<std::size_t>(k)];
      use(all() ? position : rows_[static_cast<std::size_t>(position)], position);
    }
  }

  /// Throws InputError if rows are chosen by an outline of other extents.
  void check_extents(Index rows, Index columns) const;
  void check_columns(Index columns) const;

 private:
  const Outline* outline_ = nullptr;
  std::span<const Index> rows_;
  std::vector<Index> order_;  // positions by row; empty if rows ascend as it is
};

/// Throws InputError: what is read now is not what the outline was made from.
[[noreturn]] void refuse_changed_file(std::string_view place);

}  // namespace ideal::data
