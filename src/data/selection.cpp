// SPDX-License-Identifier: Apache-2.0
#include "data/selection.hpp"

#include <ideal/error.hpp>

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

namespace ideal::data {

Selection::Selection(const Outline& outline, std::span<const Index> rows) : outline_(&outline), rows_(rows) {
  for (const Index row : rows)
    if (row < 0 || row >= outline.labels.size())
      throw InputError(outline.place, fmt::format("row {}", row),
                       fmt::format("the file has {} rows, counted from 0", outline.labels.size()),
                       "Ask for rows that are there.");
  if (std::ranges::is_sorted(rows)) return;
  order_.resize(rows.size());
  std::iota(order_.begin(), order_.end(), Index{0});
  std::ranges::sort(order_, {}, [&](Index position) { return rows[static_cast<std::size_t>(position)]; });
}

void Selection::check_extents(Index rows, Index columns) const {
  if (!all() && (rows != outline_->labels.size() || columns != outline_->columns))
    refuse_changed_file(outline_->place);
}

void Selection::check_columns(Index columns) const {
  if (!all() && columns != outline_->columns) refuse_changed_file(outline_->place);
}

void refuse_changed_file(std::string_view place) {
  throw InputError(place, "other rows than before", "a file stays as it is while its rows are read",
                   "Start again when the file is whole.");
}

}  // namespace ideal::data
