// SPDX-License-Identifier: Apache-2.0
// LIBSVM / SVMlight: `label index:value index:value ... # comment`, indices from 1 and ascending.
#include "core/huge_pages.hpp"
#include "data/number.hpp"
#include "data/pieces.hpp"
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

/// Counted in bytes while they last, so that the loop runs over as many characters at once as a register
/// holds.
std::uint32_t count_colons(std::string_view text) {
  constexpr std::size_t most = std::numeric_limits<std::uint8_t>::max();
  std::size_t total = 0;
  for (; !text.empty(); text.remove_prefix(std::min(most, text.size()))) {
    std::uint8_t count = 0;
    for (const char c : text.substr(0, most)) count = static_cast<std::uint8_t>(count + (c == ':' ? 1 : 0));
    total += count;
  }
  return static_cast<std::uint32_t>(std::min<std::size_t>(total, std::numeric_limits<std::uint32_t>::max()));
}

/// Reads the index before a colon and returns where that is; null for what is no index of a usual size.
const char* take_index(const char* at, const char* end, std::uint64_t& index) {
  constexpr std::ptrdiff_t most_digits = 10;
  const char* const start = at;
  for (; at != end && is_digit(*at); ++at) index = 10 * index + static_cast<std::uint64_t>(*at - '0');
  const bool usual = at != start && at - start <= most_digits && at != end && *at == ':';
  return usual ? at : nullptr;
}

/// Where the features of a row go.
struct FeatureRoom {
  StorageIndex* indices;
  double* values;
  Index size;
};

class LibsvmRow {
 public:
  /// The features of the row are written where they are wanted, by default nowhere.
  LibsvmRow(std::string_view place, std::size_t line, std::optional<FeatureRoom> room = {})
      : place_(place), line_(line), room_(room) {}

  /// Checks the row and returns its label.
  double read(std::string_view row) {
    const double label = read_label(take_token(row));
    while (!row.empty()) {
      if (row.starts_with("qid:"))
        take_token(row);
      else
        read_feature(row);
    }
    return label;
  }

  [[nodiscard]] Index features() const { return features_; }
  [[nodiscard]] Index columns() const { return static_cast<Index>(previous_); }  ///< the largest index

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
    const char* const colon = take_index(row.data(), end, index);
    if (!colon) return read_odd_feature(row);
    const auto [stop, error] = take_number(colon + 1, end, value);
    if (error != std::errc{} || (stop != end && !is_blank(*stop))) return read_odd_feature(row);
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
  std::size_t line_;
  std::optional<FeatureRoom> room_;
  std::uint64_t previous_ = 0;
  Index features_ = 0;
};

/// How many features each row has, or may have: by piece of the text, then by row.
using FeatureCounts = std::vector<std::vector<std::uint32_t>>;

/// Room for the features of each selected row: one a colon, which qid tokens have too.
FeatureCounts measure(TextPieces& pieces) {
  FeatureCounts room(static_cast<std::size_t>(pieces.count()));
  pieces.survey([&](Index piece, Index place, std::string_view row) {
    auto& rows = room[static_cast<std::size_t>(piece)];
    const auto at = static_cast<std::size_t>(place);
    if (at >= rows.size()) rows.resize(at + 1);
    rows[at] = count_colons(row);
  });
  return room;
}

// Every array is allocated once and at its size.
Dataset allocate(const FeatureCounts& room, Index rows, std::string_view place) {
  Index features = 0;
  for (const auto& piece : room) features = std::accumulate(piece.begin(), piece.end(), features);
  if (features > std::numeric_limits<StorageIndex>::max())
    throw InputError(
        place, fmt::format("{} features", features),
        fmt::format("a sparse data set holds at most {}", std::numeric_limits<StorageIndex>::max()),
        "Split the file.");
  Dataset result{"", SparseRows(rows, 0), Vector(rows)};
  auto& matrix = std::get<SparseRows>(result.features);  // stays where it is: Eigen copies what is moved
  matrix.resizeNonZeros(features);
  prefer_huge_pages(matrix.innerIndexPtr(), static_cast<std::size_t>(features) * sizeof(StorageIndex));
  prefer_huge_pages(matrix.valuePtr(), static_cast<std::size_t>(features) * sizeof(double));
  StorageIndex* offset = matrix.outerIndexPtr();
  for (const auto& piece : room)
    for (const std::uint32_t size : piece) {
      offset[1] = offset[0] + static_cast<StorageIndex>(size);
      ++offset;
    }
  return result;
}

/// Closes the gaps behind rows that have fewer features than room.
void compact(SparseRows& matrix, const FeatureCounts& features) {
  StorageIndex* offset = matrix.outerIndexPtr();
  StorageIndex end = 0;
  for (const auto& piece : features)
    for (const std::uint32_t size : piece) {
      const StorageIndex from = std::exchange(*offset++, end);
      if (from != end) {
        std::copy_n(matrix.innerIndexPtr() + from, size, matrix.innerIndexPtr() + end);
        std::copy_n(matrix.valuePtr() + from, size, matrix.valuePtr() + end);
      }
      end += static_cast<StorageIndex>(size);
    }
  *offset = end;
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

Dataset read_libsvm(const Content& text, const Selection& selection, const Workers& workers) {
  TextPieces pieces(text, without_comment, 0, selection, workers);
  FeatureCounts features = measure(pieces);
  if (selection.all()) require_libsvm_rows(pieces.rows(), text.place());
  Dataset result = allocate(features, pieces.rows(), text.place());
  auto& matrix = std::get<SparseRows>(result.features);

  std::vector<Index> columns_of(features.size(), 0);
  pieces.read([&](Index piece, Index place, const TextRows& row) {
    const Index position = pieces.first(piece) + place;
    const StorageIndex at = matrix.outerIndexPtr()[position];
    LibsvmRow reader(text.place(), row.line(),
                     FeatureRoom{matrix.innerIndexPtr() + at, matrix.valuePtr() + at,
                                 matrix.outerIndexPtr()[position + 1] - at});
    result.labels[position] = reader.read(row.text());
    features[static_cast<std::size_t>(piece)][static_cast<std::size_t>(place)] =
        static_cast<std::uint32_t>(reader.features());
    Index& widest = columns_of[static_cast<std::size_t>(piece)];
    widest = std::max(widest, reader.columns());
  });
  const Index widest = std::ranges::max(columns_of);
  const Index columns = selection.all() ? widest : selection.outline().columns;
  require_libsvm_columns(columns, text.place());
  if (widest > columns) refuse_changed_file(text.place());
  compact(matrix, features);
  matrix.conservativeResize(matrix.rows(), columns);
  return result;
}

Dataset parse_libsvm(std::string_view text, std::string_view place) {
  return read_libsvm(Content(text, place), {});
}

void outline_libsvm(const Content& text, const Stretch& stretch, Outline& out) {
  out.sparse = true;
  outline_rows({text, without_comment, 0, stretch}, stretch, out, [&](const TextRows& row) {
    LibsvmRow reader(text.place(), row.line());
    const double label = reader.read(row.text());
    out.columns = std::max(out.columns, reader.columns());
    return label;
  });
}

}  // namespace ideal::data
