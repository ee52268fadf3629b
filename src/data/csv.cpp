// SPDX-License-Identifier: Apache-2.0
// CSV: numbers separated by comma, semicolon or tab, with or without a header row; cells may be quoted.
#include "core/huge_pages.hpp"
#include "data/number.hpp"
#include "data/pieces.hpp"
#include "data/readers.hpp"
#include "data/text.hpp"
#include "data/text_rows.hpp"

#include <ideal/error.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace ideal::data {
namespace {

std::string_view unless_blank(std::string_view line) {
  return std::ranges::all_of(line, is_blank) ? std::string_view{} : line;
}

// The rarest in ordinary text wins: a file with semicolons may have decimal commas, and one with tabs either.
char find_separator(std::string_view line) {
  bool inside_quotes = false;
  std::string_view found;
  for (const char& c : line) {
    if (c == '"') inside_quotes = !inside_quotes;
    if (inside_quotes || (c != '\t' && c != ';' && c != ',')) continue;
    constexpr std::string_view by_rank = ",;\t";
    if (found.empty() || by_rank.find(c) > by_rank.find(found[0])) found = {&c, 1};
  }
  return found.empty() ? ',' : found[0];
}

/// Takes cells off the front of a line.
class Cells {
 public:
  Cells(std::string_view line, char separator) : rest_(line), separator_(separator) {}

  [[nodiscard]] bool more() const { return more_; }

  /// The cell as it stands, quotes included; one that is never closed reaches to the end of the line.
  std::string_view next() {
    const std::size_t end = cell_end();
    const std::string_view cell = rest_.substr(0, end);
    advance(end);
    return trimmed(cell);
  }

  /// The cell if it is a plain number, which costs no search for its end; otherwise nothing is taken.
  bool next_plain_number(double& value) {
    const char* const end = rest_.data() + rest_.size();
    const auto [stop, error] = take_number(rest_.data(), end, value);
    if (error != std::errc{} || (stop != end && *stop != separator_)) return false;
    advance(static_cast<std::size_t>(stop - rest_.data()));
    return true;
  }

 private:
  [[nodiscard]] std::size_t cell_end() const {
    bool inside_quotes = false;
    std::size_t at = 0;
    for (; at < rest_.size(); ++at) {
      if (rest_[at] == '"') inside_quotes = !inside_quotes;
      if (rest_[at] == separator_ && !inside_quotes) break;
    }
    return at;
  }

  void advance(std::size_t cell_size) {
    more_ = cell_size < rest_.size();
    rest_.remove_prefix(more_ ? cell_size + 1 : cell_size);
  }

  std::string_view rest_;
  char separator_;
  bool more_ = true;
};

bool is_quoted(std::string_view cell) {
  return cell.size() >= 2 && cell.starts_with('"') && cell.ends_with('"');
}

std::string unquoted(std::string_view cell) {
  if (!is_quoted(cell)) return std::string(cell);
  std::string content(cell.substr(1, cell.size() - 2));
  for (std::size_t at = 0; (at = content.find("\"\"", at)) != std::string::npos; ++at) content.erase(at, 1);
  return content;
}

std::vector<std::string> split(std::string_view line, char separator) {
  std::vector<std::string> result;
  for (Cells cells(line, separator); cells.more();) result.push_back(unquoted(cells.next()));
  return result;
}

// All names or all numbers: a typo in the first row of a file without a header must not turn that row into
// one.
bool is_header(const std::vector<std::string>& cells, std::string_view place) {
  const auto is_word = [](const auto& cell) { return !cell.empty() && !parse_number(trimmed(cell)); };
  const auto is_number = [](const auto& cell) { return parse_number(trimmed(cell)).has_value(); };
  const auto word = std::ranges::find_if(cells, is_word);
  if (word == cells.end()) return false;
  if (std::ranges::any_of(cells, is_number))
    throw InputError(fmt::format("{}:1", place), fmt::format("cell {} among numbers", shown(*word)),
                     "the first row holds names only or numbers only",
                     "Correct the cell, or name every column.");
  return true;
}

struct Layout {
  char separator = ',';
  std::vector<std::string> names;  // empty without a header
  std::size_t columns = 0;
  std::size_t label = 0;
  std::uint64_t first_row = 0;  // the offset behind the header
};

std::size_t find_label(const Layout& layout, std::string_view name, std::string_view place) {
  if (name.empty()) return layout.columns - 1;
  if (layout.names.empty())
    throw InputError(place, fmt::format("no header row to find the label column {} in", shown(name)),
                     "a label column is named in the first row",
                     "Add a header, or make the labels the last column.");
  const auto found = std::ranges::find(layout.names, name);
  if (found == layout.names.end())
    throw InputError(place, fmt::format("no column named {}", shown(name)),
                     "the label is a column of the header row", did_you_mean(name, layout.names));
  if (std::ranges::count(layout.names, name) > 1)
    throw InputError(place, fmt::format("several columns named {}", shown(name)), "the label is one column",
                     "Give the columns different names.");
  return static_cast<std::size_t>(found - layout.names.begin());
}

/// Out of the first row; there are no columns if there is no row.
Layout read_layout(const Content& text, std::string_view label) {
  const std::string& place = text.place();
  TextRows rows(text, unless_blank);
  Layout layout;
  if (!rows.next()) return layout;
  const std::string_view first_row = rows.text();
  layout.separator = find_separator(first_row);
  std::vector<std::string> cells = split(first_row, layout.separator);
  layout.columns = cells.size();
  if (layout.columns < 2)
    throw InputError(place, "a single column", "a data set has a label and at least one feature",
                     "Separate columns by comma, semicolon or tab.");
  if (is_header(cells, place)) {
    layout.names = std::move(cells);
    layout.first_row = rows.bytes_passed();
  }
  layout.label = find_label(layout, label, place);
  return layout;
}

class CsvRows {
 public:
  CsvRows(std::string_view place, const Layout& layout) : place_(place), layout_(layout) {}

  void read(std::string_view row, std::size_t line, double* features, double& label) const {
    Cells cells(row, layout_.separator);
    for (std::size_t column = 0; column < layout_.columns; ++column) {
      if (!cells.more()) refuse_count(row, line);
      double value = 0;
      if (!cells.next_plain_number(value)) value = read_odd_cell(cells.next(), column, row, line);
      if (!std::isfinite(value)) refuse_cell(fmt::format("{}", value), column, line, "values must be finite");
      (column == layout_.label ? label : *features++) = value;
    }
    if (cells.more()) refuse_count(row, line);
  }

 private:
  double read_odd_cell(std::string_view cell, std::size_t column, std::string_view row,
                       std::size_t line) const {
    const std::string content = unquoted(cell);
    if (const auto value = parse_number(trimmed(content))) return *value;
    if (split(row, layout_.separator).size() != layout_.columns) refuse_count(row, line);
    if (cell.starts_with('"') && !is_quoted(cell))
      refuse_cell(shown(cell), column, line, "a quote closes on the line where it opens");
    if (content.empty()) refuse_cell("an empty cell", column, line, "every cell is a number");
    refuse_cell(shown(content), column, line, "every cell is a number");
  }

  [[noreturn]] void refuse_cell(std::string_view found, std::size_t column, std::size_t line,
                                std::string_view rule) const {
    const std::string name = layout_.names.empty() ? "" : fmt::format(" {}", shown(layout_.names[column]));
    const bool decimal_comma = layout_.separator != ',' && found.find(',') != std::string_view::npos;
    throw InputError(
        at(line), fmt::format("{} in column {}{}", found, column + 1, name), rule,
        decimal_comma ? "Write a decimal point." : "Fill missing values and encode categories as numbers.");
  }

  [[noreturn]] void refuse_count(std::string_view row, std::size_t line) const {
    const std::size_t columns = split(row, layout_.separator).size();
    throw InputError(at(line), fmt::format("{} column{}", columns, columns == 1 ? "" : "s"),
                     fmt::format("the first row has {}", layout_.columns),
                     "Give every row the same columns.");
  }

  [[nodiscard]] std::string at(std::size_t line) const { return fmt::format("{}:{}", place_, line); }

  std::string_view place_;
  const Layout& layout_;
};

TextRows csv_rows(const Content& text, const Layout& layout, const Stretch& stretch = {}) {
  return {text, unless_blank, layout.first_row, stretch};
}

/// A cell and what ends it take two bytes, which bounds the rows of a sound file. One that claims more is
/// refused at its first bad row before memory is taken for the claim.
void refuse_impossible_rows(Index rows, const Content& text, const Layout& layout) {
  const std::optional<std::uint64_t> size = text.size();
  if (!size || static_cast<std::uint64_t>(rows) <= (*size + 1) / (2 * layout.columns)) return;
  CsvRows reader(text.place(), layout);
  std::vector<double> features(layout.columns - 1);
  double label = 0;
  for (TextRows row = csv_rows(text, layout); row.next();)
    reader.read(row.text(), row.line(), features.data(), label);
  refuse_changed_file(text.place());
}

}  // namespace

void require_csv_rows(Index rows, std::string_view place) {
  if (rows == 0)
    throw InputError(place, "no rows of numbers", "a data set has at least one row",
                     "Check that the file was written to its end.");
}

Dataset read_csv(const Content& text, std::string_view label, const Selection& selection,
                 const Workers& workers) {
  const Layout layout = read_layout(text, label);
  if (selection.all() && layout.columns == 0) require_csv_rows(0, text.place());
  const auto columns = static_cast<Index>(layout.columns) - 1;
  selection.check_columns(columns);

  TextPieces pieces(text, unless_blank, layout.first_row, selection, workers);
  pieces.survey();
  if (selection.all()) {
    require_csv_rows(pieces.rows(), text.place());
    refuse_impossible_rows(pieces.rows(), text, layout);
  }
  DenseRows features(pieces.rows(), columns);
  prefer_huge_pages(features);
  Vector labels(pieces.rows());
  const CsvRows reader(text.place(), layout);
  pieces.read([&](Index piece, Index place, const TextRows& row) {
    const Index position = pieces.first(piece) + place;
    reader.read(row.text(), row.line(), features.data() + position * columns, labels[position]);
  });
  return {"", std::move(features), std::move(labels)};
}

Dataset parse_csv(std::string_view text, std::string_view label, std::string_view place) {
  return read_csv(Content(text, place), label, {});
}

void outline_csv(const Content& text, std::string_view label, const Stretch& stretch, Outline& out) {
  const Layout layout = read_layout(text, label);
  if (layout.columns == 0) return;
  CsvRows reader(text.place(), layout);
  std::vector<double> features(layout.columns - 1);
  outline_rows(csv_rows(text, layout, stretch), stretch, out, [&](const TextRows& row) {
    double value = 0;
    reader.read(row.text(), row.line(), features.data(), value);
    return value;
  });
  out.columns = static_cast<Index>(features.size());
}

}  // namespace ideal::data
