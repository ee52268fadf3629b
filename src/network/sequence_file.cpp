// SPDX-License-Identifier: Apache-2.0
#include "network/parse.hpp"
#include "network/text_lines.hpp"

#include <ideal/error.hpp>

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace ideal {
namespace {

std::vector<std::string_view> words_on(const Lines& lines) {
  return words(without_comment(lines.text(), '#'));
}

/// An arc has no weight of its own: its sender divides what it has evenly.
Arc as_arc(const Lines& lines, std::string_view place, const Graph::Edge& edge) {
  const auto fields = words_on(lines);
  if (fields.size() > 2)
    throw InputError(fmt::format("{}:{}", place, lines.number()), fmt::format("weight '{}'", fields[2]),
                     "arcs have no weights: a sender divides evenly", "Write 'a b' only.");
  return {edge.a, edge.b};
}

std::vector<Arc> arcs_of(const std::vector<Graph::Edge>& edges) {
  std::vector<Arc> arcs;
  arcs.reserve(edges.size());
  for (const auto& edge : edges) arcs.push_back({edge.a, edge.b});
  return arcs;
}

constexpr std::string_view arc_once = "an arc is given once";

/// Reads the lines of a file of rounds one after the other.
class Rounds {
 public:
  explicit Rounds(std::string_view place) : place_(place) {}

  void take(const Lines& lines) {
    const auto fields = words_on(lines);
    if (fields.empty()) return;
    if (fields.front() == "round")
      begin_round(lines, fields);
    else if (rounds_.empty())
      take_header(lines, fields);
    else
      take_edge(lines);
  }

  GraphSequence finish() && {
    if (rounds_.empty())
      throw InputError(place_, "no rounds", "a line 'round' begins each graph", "Write it before the edges.");
    const Index agents = agents_.value_or(highest_ + 1);
    if (agents < 2)
      throw InputError(place_, "no edges", "a line is 'a b' or 'a b weight'", "List at least one edge.");
    if (static_cast<double>(agents) * static_cast<double>(rounds_.size()) > most_places)
      throw InputError(place_, fmt::format("{} rounds of {} agents", rounds_.size(), agents),
                       fmt::format("at most {:.0g} together", most_places), "Give fewer rounds.");
    return directed_ ? GraphSequence::directed(agents, arcs(), place_)
                     : GraphSequence::in_turn(graphs(agents), place_);
  }

 private:
  void take_header(const Lines& lines, const std::vector<std::string_view>& fields) {
    if (fields.front() == "directed" && fields.size() == 1) {
      directed_ = true;
      return;
    }
    if (fields.front() == "agents" && fields.size() == 2) {
      agents_ = number<Index>(fields[1]);
      if (agents_ && *agents_ >= 2 && *agents_ <= most_agents) return;
      fail(lines, fmt::format("agents '{}'", fields[1]), fmt::format("a whole number, 2 ... {}", most_agents),
           "Write for example 'agents 8'.");
    }
    fail(lines, fmt::format("'{}'", trimmed(lines.text())),
         "before the first 'round' stand only 'directed' and 'agents n'", "Begin the graph with 'round'.");
  }

  void begin_round(const Lines& lines, const std::vector<std::string_view>& fields) {
    if (fields.size() > 1)
      fail(lines, fmt::format("'{}'", trimmed(lines.text())), "'round' stands alone on its line",
           "Put what follows on lines of its own.");
    rounds_.emplace_back();
  }

  void take_edge(const Lines& lines) {
    NumberedEdge numbered = read_edge(lines, place_);
    auto& [a, b, weight] = numbered.edge;
    if (directed_) as_arc(lines, place_, numbered.edge);
    if (!directed_ && a > b) std::swap(a, b);
    if (agents_ && std::max(a, b) >= *agents_)
      fail(lines, fmt::format("agent {}", std::max(a, b)), fmt::format("agents are 0 ... {}", *agents_ - 1),
           "Correct the line, or the number of agents.");
    highest_ = std::max({highest_, a, b});
    rounds_.back().push_back(numbered);
  }

  [[nodiscard]] std::vector<std::vector<Arc>> arcs() const {
    std::vector<std::vector<Arc>> all;
    all.reserve(rounds_.size());
    for (const auto& round : rounds_) all.push_back(arcs_of(each_once(round, place_, arc_once)));
    return all;
  }

  [[nodiscard]] std::vector<Graph> graphs(Index agents) const {
    std::vector<Graph> all;
    all.reserve(rounds_.size());
    for (const auto& round : rounds_)
      all.emplace_back(agents, each_once(round, place_, "an undirected edge is given once a round"));
    return all;
  }

  [[noreturn]] void fail(const Lines& lines, std::string_view found, std::string_view rule,
                         std::string_view remedy) const {
    throw InputError(fmt::format("{}:{}", place_, lines.number()), found, rule, remedy);
  }

  static constexpr double most_places = 2e7;  // a graph takes memory for each agent

  std::string_view place_;
  bool directed_ = false;
  std::optional<Index> agents_;
  Index highest_ = -1;
  std::vector<std::vector<NumberedEdge>> rounds_;
};

}  // namespace

GraphSequence parse_rounds(std::string_view text, std::string_view place) {
  Rounds rounds(place);
  for (Lines lines(text); lines.next();) rounds.take(lines);
  return std::move(rounds).finish();
}

GraphSequence parse_arc_list(std::string_view text, std::string_view place) {
  std::vector<NumberedEdge> numbered;
  Index agents = 0;
  for (Lines lines(text); lines.next();) {
    if (words_on(lines).empty()) continue;
    const Graph::Edge& edge = numbered.emplace_back(read_edge(lines, place)).edge;
    as_arc(lines, place, edge);
    agents = std::max({agents, edge.a + 1, edge.b + 1});
  }
  if (numbered.empty())
    throw InputError(place, "no arcs", "a line is 'a b': a sends to b", "List at least one arc.");
  auto arcs = arcs_of(each_once(std::move(numbered), place, arc_once));
  return GraphSequence::directed(agents, {std::move(arcs)}, place);
}

}  // namespace ideal
