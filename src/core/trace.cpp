// SPDX-License-Identifier: Apache-2.0
#include <ideal/error.hpp>
#include <ideal/trace.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <ostream>
#include <sstream>

#include <fmt/ostream.h>

namespace ideal {
namespace {

constexpr std::string_view header =
    "iteration,computations,communications,bytes,seconds,suboptimality,worst_suboptimality,consensus,"
    "distance";
constexpr std::string_view header_of_some = ",evaluated";  // follows it where f was not evaluated everywhere

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

bool parse(std::string_view line, bool some, TraceRow& row) {
  return take(line, row.iteration) && take(line, row.meter.computations) &&
         take(line, row.meter.communications) && take(line, row.meter.bytes) && take(line, row.seconds) &&
         take(line, row.suboptimality) && take(line, row.worst_suboptimality) && take(line, row.consensus) &&
         take(line, row.distance) && (!some || take(line, row.evaluated.emplace())) && line.empty();
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
  const bool some = !trace.empty() && trace.front().evaluated;
  out << header << (some ? header_of_some : "") << '\n';
  for (const TraceRow& row : trace) {
    fmt::print(out, "{},{:.17g},{},{},{:.17g},{:.17g},{:.17g},{:.17g},{:.17g}", row.iteration,
               row.meter.computations, row.meter.communications, row.meter.bytes, row.seconds,
               row.suboptimality, row.worst_suboptimality, row.consensus, row.distance);
    if (some) fmt::print(out, ",{}", row.evaluated.value_or(0));
    out << '\n';
  }
}

Trace parse_trace(std::string_view text, std::string_view name) {
  const std::string_view first = next_line(text);
  const bool some = first.starts_with(header) && first.substr(header.size()) == header_of_some;
  if (first != header && !some)
    throw InputError(name, "another first line", fmt::format("a trace starts with {}", header),
                     "Name a trace.csv that a run wrote.");
  Trace trace;
  while (!text.empty()) {
    const std::string_view line = next_line(text);
    if (!parse(line, some, trace.emplace_back()))
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
