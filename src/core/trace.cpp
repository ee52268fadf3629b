// SPDX-License-Identifier: Apache-2.0
#include <ideal/error.hpp>
#include <ideal/trace.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fstream>
#include <ostream>
#include <sstream>

#include <fmt/ostream.h>

namespace ideal {
namespace {

constexpr std::string_view header =
    "iteration,computations,communications,bytes,seconds,suboptimality,worst_suboptimality,consensus,"
    "distance";

/// Columns that only some traces have, after those.
struct Further {
  bool certified, evaluated;
  [[nodiscard]] std::string names() const {
    return std::string(certified ? ",certified" : "") + (evaluated ? ",evaluated" : "");
  }
};

/// Takes the number before the next comma off the front of `line`; false if there is none.
template <class Number>
bool take(std::string_view& line, Number& number) {
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
  if (error != std::errc()) return false;
  line.remove_prefix(static_cast<std::size_t>(end - line.data()));
  if (line.empty()) return true;
  if (line.front() != ',') return false;
  line.remove_prefix(1);
  return true;
}

/// Text "nan" where it is not known.
bool take(std::string_view& line, std::optional<double>& number) {
  if (!take(line, number.emplace())) return false;
  if (std::isnan(*number)) number.reset();
  return true;
}

bool parse(std::string_view line, Further further, TraceRow& row) {
  return take(line, row.iteration) && take(line, row.meter.computations) &&
         take(line, row.meter.communications) && take(line, row.meter.bytes) && take(line, row.seconds) &&
         take(line, row.suboptimality) && take(line, row.worst_suboptimality) && take(line, row.consensus) &&
         take(line, row.distance) && (!further.certified || take(line, row.certified)) &&
         (!further.evaluated || take(line, row.evaluated.emplace())) && line.empty();
}

std::string_view next_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

}  // namespace

std::string_view to_string(Status status) {
  static constexpr std::array<std::string_view, 5> names{"running", "converged", "budget", "diverged",
                                                         "interrupted"};
  return names[static_cast<std::size_t>(status)];
}

void write_csv(const Trace& trace, std::ostream& out) {
  const Further further{
      std::ranges::any_of(trace, [](const TraceRow& row) { return row.certified.has_value(); }),
      !trace.empty() && trace.front().evaluated};
  out << header << further.names() << '\n';
  for (const TraceRow& row : trace) {
    fmt::print(out, "{},{:.17g},{},{},{:.17g},{:.17g},{:.17g},{:.17g},{:.17g}", row.iteration,
               row.meter.computations, row.meter.communications, row.meter.bytes, row.seconds,
               row.suboptimality, row.worst_suboptimality, row.consensus, row.distance);
    if (further.certified) fmt::print(out, ",{:.17g}", row.certified.value_or(std::nan("")));
    if (further.evaluated) fmt::print(out, ",{}", row.evaluated.value_or(0));
    out << '\n';
  }
}

Trace parse_trace(std::string_view text, std::string_view name) {
  const std::string_view first = next_line(text);
  const auto known = [&](Further f) { return first == std::string(header) + f.names(); };
  const std::array<Further, 4> all{{{false, false}, {false, true}, {true, false}, {true, true}}};
  const auto* const further = std::ranges::find_if(all, known);
  if (further == all.end())
    throw InputError(name, "another first line", fmt::format("a trace starts with {}", header),
                     "Name a trace.csv that a run wrote.");
  Trace trace;
  while (!text.empty()) {
    const std::string_view line = next_line(text);
    if (!parse(line, *further, trace.emplace_back()))
      throw InputError(fmt::format("{}:{}", name, trace.size() + 1), fmt::format("'{}'", line.substr(0, 200)),
                       "a row has as many numbers apart by commas as the first line names",
                       "Run it again: the file is damaged.");
  }
  if (trace.empty())
    throw InputError(name, "no row", "a trace holds at least the start", "Run it again: the file is cut.");
  return trace;
}

Trace read_trace(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  if (!in || !(text << in.rdbuf()))
    throw InputError(file.string(), "not there or not readable", "a run directory holds it",
                     "Check the path.");
  return parse_trace(text.view(), file.string());
}

}  // namespace ideal
