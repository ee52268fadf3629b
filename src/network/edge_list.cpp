// SPDX-License-Identifier: Apache-2.0
#include "network/parse.hpp"
#include "network/text_lines.hpp"

#include <ideal/error.hpp>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace ideal {
namespace {

/// One line of an edge list, with what is needed to complain about it.
class EdgeLine {
 public:
  EdgeLine(long line, std::string_view place) : line_(line), place_(place) {}

  [[nodiscard]] Graph::Edge read(const std::vector<std::string_view>& fields) const {
    if (fields.size() < 2 || fields.size() > 3)
      fail(fmt::format("{} fields", fields.size()), "a line is 'a b' or 'a b weight'",
           "Separate them by spaces.");
    Graph::Edge edge{agent(fields[0]), agent(fields[1]), fields.size() == 3 ? weight(fields[2]) : 1};
    if (edge.a == edge.b)
      fail(fmt::format("edge {} {}", edge.a, edge.b), "an agent is not its own neighbour",
           "Delete the line.");
    return edge;
  }

 private:
  [[nodiscard]] Index agent(std::string_view field) const {
    const auto id = number<Index>(field);
    if (!id || *id < 0 || *id >= most_agents)
      fail(fmt::format("agent '{}'", field),
           fmt::format("agents are whole numbers, 0 ... {}", most_agents - 1), "Number the agents from 0.");
    return *id;
  }

  [[nodiscard]] double weight(std::string_view field) const {
    const auto value = number<double>(field);
    if (!value || !std::isfinite(*value) || *value <= 0)
      fail(fmt::format("weight '{}'", field), "weights are positive numbers",
           "Delete the line if there is no edge.");
    return *value;
  }

  [[noreturn]] void fail(std::string_view found, std::string_view rule, std::string_view remedy) const {
    throw InputError(fmt::format("{}:{}", place_, line_), found, rule, remedy);
  }

  long line_;
  std::string_view place_;
};

}  // namespace

NumberedEdge read_edge(const Lines& lines, std::string_view place) {
  const auto fields = words(without_comment(lines.text(), '#'));
  return {EdgeLine(lines.number(), place).read(fields), lines.number()};
}

std::vector<Graph::Edge> each_once(std::vector<NumberedEdge> edges, std::string_view place,
                                   std::string_view rule) {
  const auto key = [](const NumberedEdge& e) { return std::tuple(e.edge.a, e.edge.b, e.line); };
  const auto same = [](const NumberedEdge& e, const NumberedEdge& f) {
    return e.edge.a == f.edge.a && e.edge.b == f.edge.b;
  };
  std::ranges::sort(edges, {}, key);
  if (const auto first = std::ranges::adjacent_find(edges, same); first != edges.end())
    throw InputError(fmt::format("{}:{}", place, (first + 1)->line),
                     fmt::format("edge {} {}, already on line {}", first->edge.a, first->edge.b, first->line),
                     rule, "Delete one of the two lines.");
  std::vector<Graph::Edge> found;
  found.reserve(edges.size());
  for (const auto& [edge, line] : edges) found.push_back(edge);
  return found;
}

Graph parse_edge_list(std::string_view text, std::string_view place) {
  std::vector<NumberedEdge> numbered;
  Index agents = 0;
  for (Lines lines(text); lines.next();) {
    if (words(without_comment(lines.text(), '#')).empty()) continue;
    auto& edge = numbered.emplace_back(read_edge(lines, place)).edge;
    if (edge.a > edge.b) std::swap(edge.a, edge.b);
    agents = std::max(agents, edge.b + 1);
  }
  if (numbered.empty())
    throw InputError(place, "no edges", "a line is 'a b' or 'a b weight'", "List at least one edge.");
  return {agents, each_once(std::move(numbered), place, "an undirected edge is given once")};
}

Graph read_edge_list(const std::filesystem::path& file) {
  return parse_edge_list(read_text(file), file.string());
}

}  // namespace ideal
