// SPDX-License-Identifier: Apache-2.0
#include "network/parse.hpp"
#include "network/text_lines.hpp"

#include <ideal/error.hpp>

#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace ideal {
namespace {

struct Entry {
  int row, column;
  double value;
};

SparseRows assembled(Index rows, Index columns, std::vector<Entry> entries) {
  std::ranges::sort(entries, {}, [](const Entry& e) { return std::pair(e.row, e.column); });
  SparseRows matrix(rows, columns);
  matrix.reserve(static_cast<Index>(entries.size()));
  std::size_t next = 0;
  for (Index row = 0; row < rows; ++row) {
    matrix.startVec(row);
    for (; next < entries.size() && entries[next].row == row; ++next)
      matrix.insertBack(row, entries[next].column) = entries[next].value;
  }
  matrix.finalize();
  return matrix;
}

/// Fails at the line that was read last.
class Reader {
 public:
  Reader(std::string_view text, std::string_view place) : lines_(text), place_(place) {}

 protected:
  [[noreturn]] void fail(std::string_view found, std::string_view rule, std::string_view remedy) const {
    throw InputError(fmt::format("{}:{}", place_, lines_.number()), found, rule, remedy);
  }

  [[nodiscard]] double value(std::string_view field) const {
    const auto parsed = number<double>(field);
    if (!parsed) fail(fmt::format("'{}'", field), "entries are numbers", "Correct the entry.");
    return *parsed;
  }

  Lines lines_;
  std::string_view place_;
};

class Csv : Reader {
 public:
  using Reader::Reader;

  SparseRows read() {
    while (lines_.next())
      if (const auto line = trimmed(without_comment(lines_.text(), '#')); !line.empty()) read_row(line);
    if (rows_ == 0) throw InputError(place_, "no entries", "a matrix has rows", "Give W, one row a line.");
    return assembled(rows_, columns_, std::move(entries_));
  }

 private:
  void read_row(std::string_view line) {
    int column = 0;
    for (;; ++column) {
      const auto comma = line.find(',');
      if (const double v = value(trimmed(line.substr(0, comma))); v != 0)
        entries_.push_back({rows_, column, v});
      if (comma == std::string_view::npos) break;
      line.remove_prefix(comma + 1);
    }
    if (rows_ == 0) columns_ = column + 1;
    if (column + 1 != columns_)
      fail(fmt::format("{} entries", column + 1), fmt::format("the first row has {}", columns_),
           "Give every row the same number of entries.");
    ++rows_;
  }

  int rows_ = 0, columns_ = 0;
  std::vector<Entry> entries_;
};

std::string lower(std::string_view word) {
  std::string result(word);
  std::ranges::transform(result, result.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

/// Matrix Market exchange format: math.nist.gov/MatrixMarket/formats.html
class MatrixMarket : Reader {
 public:
  using Reader::Reader;

  SparseRows read() {
    read_banner();
    coordinate_ ? read_coordinates() : read_array();
    if (next_fields())
      fail(fmt::format("'{}'", lines_.text()), "more entries than announced", "Correct the size line.");
    return assembled(rows_, columns_, std::move(entries_));
  }

 private:
  void read_banner() {
    lines_.next();
    const auto banner = words(lines_.text());
    if (banner.size() != 5)
      fail(fmt::format("'{}'", lines_.text()), "the banner is '%%MatrixMarket matrix FORMAT FIELD SYMMETRY'",
           "Write %%MatrixMarket matrix coordinate real symmetric.");
    choose(banner[1], {"matrix"});
    coordinate_ = choose(banner[2], {"coordinate", "array"}) == "coordinate";
    pattern_ = choose(banner[3], {"real", "integer", "pattern"}) == "pattern";
    symmetric_ = choose(banner[4], {"general", "symmetric"}) == "symmetric";
    if (pattern_ && !coordinate_)
      fail("array pattern", "a pattern has coordinates", "Write coordinate for array.");
  }

  std::string choose(std::string_view word, const std::vector<std::string>& allowed) const {
    const std::string chosen = lower(word);
    if (std::ranges::find(allowed, chosen) == allowed.end())
      fail(fmt::format("'{}'", word), "not supported in the banner", did_you_mean(chosen, allowed));
    return chosen;
  }

  bool next_fields() {
    while (lines_.next())
      if (!lines_.text().starts_with('%'))
        if (fields_ = words(lines_.text()); !fields_.empty()) return true;
    return false;
  }

  // The next line that is neither blank nor a comment, in `count` fields.
  const std::vector<std::string_view>& required_fields(std::size_t count, std::string_view meaning) {
    if (!next_fields())
      fail("the file ends here", fmt::format("'{}' is missing", meaning), "Correct the size line.");
    if (fields_.size() != count)
      fail(fmt::format("{} fields", fields_.size()), fmt::format("the line is '{}'", meaning),
           "Correct the line.");
    return fields_;
  }

  [[nodiscard]] Index whole(std::string_view field, Index low, Index high) const {
    const auto parsed = number<Index>(field);
    if (!parsed || *parsed < low || *parsed > high)
      fail(fmt::format("'{}'", field), fmt::format("a whole number, {} ... {}", low, high),
           "Correct the line.");
    return *parsed;
  }

  void read_size(const std::vector<std::string_view>& size) {
    rows_ = whole(size[0], 1, most_agents);
    columns_ = whole(size[1], 1, most_agents);
    if (symmetric_ && rows_ != columns_)
      fail(fmt::format("{} x {}", rows_, columns_), "a symmetric matrix is square", "Correct the size line.");
  }

  void read_coordinates() {
    const auto size = required_fields(3, "rows columns entries");
    read_size(size);
    const Index count = whole(size[2], 0, most_entries);
    for (Index i = 0; i < count; ++i) read_coordinate();
    check_no_duplicates();
  }

  void read_coordinate() {
    const auto& fields = pattern_ ? required_fields(2, "row column") : required_fields(3, "row column value");
    const Index row = whole(fields[0], 1, rows_), column = whole(fields[1], 1, columns_);
    add(row - 1, column - 1, pattern_ ? 1 : value(fields[2]));
  }

  // Column by column; of a symmetric matrix the lower triangle only.
  void read_array() {
    read_size(required_fields(2, "rows columns"));
    for (Index column = 0; column < columns_; ++column)
      for (Index row = symmetric_ ? column : 0; row < rows_; ++row)
        add(row, column, value(required_fields(1, "value")[0]));
  }

  void add(Index row, Index column, double v) {
    if (symmetric_ && row < column)
      fail(fmt::format("entry ({}, {})", row + 1, column + 1), "a symmetric file holds the lower triangle",
           "Give row >= column.");
    if (v == 0) return;
    entries_.push_back({static_cast<int>(row), static_cast<int>(column), v});
    if (symmetric_ && row != column) entries_.push_back({static_cast<int>(column), static_cast<int>(row), v});
  }

  void check_no_duplicates() {
    const auto position = [](const Entry& e) { return std::pair(e.row, e.column); };
    std::ranges::sort(entries_, {}, position);
    if (const auto twin = std::ranges::adjacent_find(entries_, {}, position); twin != entries_.end())
      throw InputError(place_, fmt::format("entry ({}, {}) twice", twin->row + 1, twin->column + 1),
                       "an entry is given once", "Delete one of the two lines.");
  }

  static constexpr Index most_entries = 1'000'000'000;
  bool coordinate_ = false, pattern_ = false, symmetric_ = false;
  Index rows_ = 0, columns_ = 0;
  std::vector<std::string_view> fields_;
  std::vector<Entry> entries_;
};

}  // namespace

SparseRows parse_matrix(std::string_view text, std::string_view place) {
  if (text.starts_with("%%MatrixMarket")) return MatrixMarket(text, place).read();
  return Csv(text, place).read();
}

SparseRows read_matrix(const std::filesystem::path& file) {
  return parse_matrix(read_text(file), file.string());
}

}  // namespace ideal
