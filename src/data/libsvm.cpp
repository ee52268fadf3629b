// SPDX-License-Identifier: Apache-2.0
// LIBSVM / SVMlight: `label index:value index:value ... # comment`, indices from 1 and ascending.
#include "data/readers.hpp"
#include "data/text.hpp"

#include <ideal/error.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace ideal::data {
namespace {

using StorageIndex = SparseRows::StorageIndex;
constexpr std::uint64_t largest_index = std::numeric_limits<StorageIndex>::max() - 1;

std::string_view without_comment(std::string_view line) { return trimmed(line.substr(0, line.find('#'))); }

std::string_view first_token(std::string_view text) {
  return text.substr(0, static_cast<std::size_t>(std::ranges::find_if(text, is_blank) - text.begin()));
}

struct Extent {
  Index rows = 0;
  Index features = 0;  // an upper bound: qid tokens have a colon too
};

// A first pass over the text, so that every array is allocated once and at its size.
Extent measure(std::string_view text) {
  Extent extent;
  for (Lines lines(text); lines.next();) {
    const std::string_view row = without_comment(lines.line());
    if (row.empty()) continue;
    ++extent.rows;
    extent.features += std::ranges::count(row, ':');
  }
  return extent;
}

/// Appends row after row to the arrays of a compressed sparse matrix.
class LibsvmRows {
 public:
  LibsvmRows(std::string_view place, Dataset& out)
      : place_(place), labels_(out.labels.data()), matrix_(std::get<SparseRows>(out.features)) {}

  void read(std::string_view row, std::size_t line) {
    line_ = line;
    previous_ = 0;
    read_label(take_token(row));
    while (!row.empty()) {
      if (row.starts_with("qid:"))
        take_token(row);
      else
        read_feature(row);
    }
    matrix_.outerIndexPtr()[++rows_] = static_cast<StorageIndex>(features_);
  }

  [[nodiscard]] Index columns() const { return columns_; }
  [[nodiscard]] Index features() const { return features_; }

 private:
  static std::string_view take_token(std::string_view& row) {
    const std::string_view token = first_token(row);
    row.remove_prefix(token.size());
    row = trimmed(row);
    return token;
  }

  void read_label(std::string_view token) {
    const auto label = parse_number(token);
    if (!label)
      refuse(fmt::format("label {}", shown(token)), "a row starts with a number",
             "Write label index:value ...");
    if (!std::isfinite(*label)) refuse_value(fmt::format("label {}", token));
    labels_[rows_] = *label;
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
    matrix_.innerIndexPtr()[features_] = static_cast<StorageIndex>(index - 1);
    matrix_.valuePtr()[features_] = value;
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
  double* labels_;
  SparseRows& matrix_;
  std::size_t line_ = 0;
  std::uint64_t previous_ = 0;
  Index rows_ = 0;
  Index columns_ = 0;
  Index features_ = 0;
};

Dataset allocate(const Extent& extent, std::string_view place) {
  if (extent.rows == 0)
    throw InputError(place, "no rows", "a data set has at least one row",
                     "Write label index:value ... on each line.");
  if (extent.features > std::numeric_limits<StorageIndex>::max())
    throw InputError(
        place, fmt::format("{} features", extent.features),
        fmt::format("a sparse data set holds at most {}", std::numeric_limits<StorageIndex>::max()),
        "Split the file.");
  SparseRows features(extent.rows, 0);
  features.resizeNonZeros(extent.features);
  return {"", std::move(features), Vector(extent.rows)};
}

}  // namespace

Dataset parse_libsvm(std::string_view text, std::string_view place) {
  text = without_byte_order_mark(text);
  Dataset result = allocate(measure(text), place);
  LibsvmRows reader(place, result);
  for (Lines lines(text); lines.next();)
    if (const std::string_view row = without_comment(lines.line()); !row.empty())
      reader.read(row, lines.number());
  if (reader.columns() == 0)
    throw InputError(place, "labels without features", "at least one row has a feature",
                     "Write label index:value ... on each line.");
  auto& features = std::get<SparseRows>(result.features);
  features.resizeNonZeros(reader.features());
  features.conservativeResize(features.rows(), reader.columns());
  return result;
}

}  // namespace ideal::data
