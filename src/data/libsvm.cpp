// SPDX-License-Identifier: Apache-2.0
// LIBSVM / SVMlight: `label index:value index:value ... # comment`, indices from 1 and ascending.
#include "data/readers.hpp"
#include "data/text.hpp"
#include "data/text_rows.hpp"

#include <ideal/error.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace ideal::data {
namespace {

using StorageIndex = SparseRows::StorageIndex;
constexpr std::uint64_t largest_index = std::numeric_limits<StorageIndex>::max() - 1;

std::string_view without_comment(std::string_view line) { return trimmed(line.substr(0, line.find('#'))); }

std::string_view first_token(std::string_view text) {
  return text.substr(0, static_cast<std::size_t>(std::ranges::find_if(text, is_blank) - text.begin()));
}

/// Where the features of a row go.
struct FeatureRoom {
  StorageIndex* indices;
  double* values;
  Index size;
};

/// Reads one row after another.
class LibsvmRows {
 public:
  explicit LibsvmRows(std::string_view place) : place_(place) {}

  /// Checks a row, returns its label and writes its features to where they are wanted, by default nowhere.
  double read(std::string_view row, std::size_t line, std::optional<FeatureRoom> room = {}) {
    line_ = line;
    previous_ = 0;
    features_ = 0;
    room_ = room;
    const double label = read_label(take_token(row));
    while (!row.empty()) {
      if (row.starts_with("qid:"))
        take_token(row);
      else
        read_feature(row);
    }
    return label;
  }

  [[nodiscard]] Index features() const { return features_; }  ///< of the last row
  [[nodiscard]] Index columns() const { return columns_; }    ///< the largest index of all rows

 private:
  static std::string_view take_token(std::string_view& row) {
    const std::string_view token = first_token(row);
    row.remove_prefix(token.size());
    row = trimmed(row);
    return token;
  }

  double read_label(std::string_view token) const {
    const auto label = parse_number(token);
    if (!label)
      refuse(fmt::format("label {}", shown(token)), "a row starts with a number",
             "Write label index:value ...");
    if (!std::isfinite(*label)) refuse_value(fmt::format("label {}", token));
    return *label;
  }

  // Reads `index:value` without looking for its end first; anything unusual is left to the careful reader.
  void read_feature(std::string_view& row) {
    const char* const end = row.data() + row.size();
    std::uint64_t index = 0;
    double value = 0;
    const auto [colon, index_error] = std::from_chars(row.data(), end, index);
    if (index_error != std::errc{} || colon == end || *colon != ':') return read_odd_feature(row);
    const auto [stop, value_error] = std::from_chars(colon + 1, end, value);
    if (value_error != std::errc{} || (stop != end && !is_blank(*stop))) return read_odd_feature(row);
    append(index, value, row);
    row.remove_prefix(static_cast<std::size_t>(stop - row.data()));
    while (!row.empty() && is_blank(row.front())) row.remove_prefix(1);
  }

  void read_odd_feature(std::string_view& row) {
    const std::string_view token = take_token(row);
    const std::size_t colon = token.find(':');
    if (colon == std::string_view::npos)
      refuse(shown(token), "a feature is written index:value",
             "In CSV, separate columns by comma, semicolon or tab.");
    std::uint64_t index = 0;
    const char* const end = token.data() + colon;
    const auto [stop, error] = std::from_chars(token.data(), end, index);
    if (error == std::errc::result_out_of_range) index = std::numeric_limits<std::uint64_t>::max();
    if (stop != end || error == std::errc::invalid_argument)
      refuse(fmt::format("index {}", shown(token.substr(0, colon))), "an index is a whole number from 1",
             "Write a feature as index:value, for example 3:0.5.");
    const auto value = parse_number(token.substr(colon + 1));
    if (!value)
      refuse(fmt::format("value {}", shown(token.substr(colon + 1))), "a value is a number",
             "Write a feature as index:value, for example 3:0.5.");
    append(index, *value, token);
  }

  void append(std::uint64_t index, double value, std::string_view token) {
    if (index <= previous_ || index > largest_index) refuse_index(index, token);
    if (!std::isfinite(value)) refuse_value(first_token(token));
    if (room_) {
      if (features_ == room_->size) refuse_changed_file(place_);  // between measuring and reading
      room_->indices[features_] = static_cast<StorageIndex>(index - 1);
      room_->values[features_] = value;
    }
    ++features_;
    previous_ = index;
    columns_ = std::max(columns_, static_cast<Index>(index));
  }

  [[noreturn]] void refuse_index(std::uint64_t index, std::string_view token) const {
    constexpr std::string_view rule = "LIBSVM indices start at 1 and ascend";
    if (index == 0) refuse("index 0", rule, "Write 1 for the first feature.");
    if (index > largest_index)
      refuse(fmt::format("index {}", token.substr(0, token.find(':'))),
             fmt::format("an index is at most {}", largest_index), "Renumber the features.");
    if (index == previous_)
      refuse(fmt::format("index {} twice", index), rule, "Keep one value of a feature.");
    refuse(fmt::format("index {} after {}", index, previous_), rule,
           "Sort the features of the row by index.");
  }

  [[noreturn]] void refuse_value(std::string_view found) const {
    refuse(found, "values must be finite", "Fill or drop missing values.");
  }

  [[noreturn]] void refuse(std::string_view found, std::string_view rule, std::string_view remedy) const {
    throw InputError(fmt::format("{}:{}", place_, line_), found, rule, remedy);
  }

  std::string_view place_;
  std::size_t line_ = 0;
  std::uint64_t previous_ = 0;
  std::optional<FeatureRoom> room_;
  Index features_ = 0;
  Index columns_ = 0;
};

TextRows libsvm_rows(const Content& text, const Stretch& stretch = {}) {
  return {text, without_comment, 0, stretch};
}

/// Room for the features of each selected row: one a colon, which qid tokens have too.
std::vector<std::uint32_t> measure(const Content& text, const Selection& selection) {
  std::vector<std::uint32_t> room(static_cast<std::size_t>(selection.count(0)));
  visit(libsvm_rows(text), selection, [&](Index position, const TextRows& row) {
    const auto at = static_cast<std::size_t>(position);
    if (at >= room.size()) room.resize(at + 1);
    room[at] = static_cast<std::uint32_t>(
        std::min<Index>(std::ranges::count(row.text(), ':'), std::numeric_limits<std::uint32_t>::max()));
  });
  return room;
}

// Every array is allocated once and at its size.
Dataset allocate(const std::vector<std::uint32_t>& room, std::string_view place) {
  const auto features = std::accumulate(room.begin(), room.end(), Index{0});
  if (features > std::numeric_limits<StorageIndex>::max())
    throw InputError(
        place, fmt::format("{} features", features),
        fmt::format("a sparse data set holds at most {}", std::numeric_limits<StorageIndex>::max()),
        "Split the file.");
  SparseRows matrix(static_cast<Index>(room.size()), 0);
  matrix.resizeNonZeros(features);
  std::partial_sum(room.begin(), room.end(), matrix.outerIndexPtr() + 1);
  return {"", std::move(matrix), Vector(static_cast<Index>(room.size()))};
}

/// Closes the gaps behind rows that have fewer features than room.
void compact(SparseRows& matrix, const std::vector<std::uint32_t>& features) {
  StorageIndex* const offsets = matrix.outerIndexPtr();
  StorageIndex end = 0;
  for (std::size_t row = 0; row < features.size(); ++row) {
    const StorageIndex from = std::exchange(offsets[row], end);
    if (from != end) {
      std::copy_n(matrix.innerIndexPtr() + from, features[row], matrix.innerIndexPtr() + end);
      std::copy_n(matrix.valuePtr() + from, features[row], matrix.valuePtr() + end);
    }
    end += static_cast<StorageIndex>(features[row]);
  }
  offsets[features.size()] = end;
  matrix.resizeNonZeros(end);
}

}  // namespace

void require_libsvm_rows(Index rows, std::string_view place) {
  if (rows == 0)
    throw InputError(place, "no rows", "a data set has at least one row",
                     "Write label index:value ... on each line.");
}

void require_libsvm_columns(Index columns, std::string_view place) {
  if (columns == 0)
    throw InputError(place, "labels without features", "at least one row has a feature",
                     "Write label index:value ... on each line.");
}

Dataset read_libsvm(const Content& text, const Selection& selection) {
  std::vector<std::uint32_t> features = measure(text, selection);
  if (selection.all()) require_libsvm_rows(static_cast<Index>(features.size()), text.place());
  Dataset result = allocate(features, text.place());
  auto& matrix = std::get<SparseRows>(result.features);

  LibsvmRows reader(text.place());
  visit(libsvm_rows(text), selection, [&](Index position, const TextRows& row) {
    if (position >= matrix.rows()) refuse_changed_file(text.place());
    const StorageIndex at = matrix.outerIndexPtr()[position];
    result.labels[position] = reader.read(row.text(), row.line(),
                                          FeatureRoom{matrix.innerIndexPtr() + at, matrix.valuePtr() + at,
                                                      matrix.outerIndexPtr()[position + 1] - at});
    features[static_cast<std::size_t>(position)] = static_cast<std::uint32_t>(reader.features());
  });
  const Index columns = selection.all() ? reader.columns() : selection.outline().columns;
  require_libsvm_columns(columns, text.place());
  if (reader.columns() > columns) refuse_changed_file(text.place());
  compact(matrix, features);
  matrix.conservativeResize(matrix.rows(), columns);
  return result;
}

Dataset parse_libsvm(std::string_view text, std::string_view place) {
  return read_libsvm(Content(text, place), {});
}

void outline_libsvm(const Content& text, const Stretch& stretch, Outline& out) {
  LibsvmRows reader(text.place());
  outline_rows(libsvm_rows(text, stretch), stretch, out,
               [&](const TextRows& row) { return reader.read(row.text(), row.line()); });
  out.columns = reader.columns();
  out.sparse = true;
}

}  // namespace ideal::data
