// SPDX-License-Identifier: Apache-2.0
#include "network/connected.hpp"
#include "network/parse.hpp"

#include <ideal/error.hpp>
#include <ideal/graph_sequence.hpp>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace ideal {
namespace {

void check_arc(const Arc& arc, Index agents, std::string_view place) {
  const auto fail = [&](std::string_view rule, std::string_view remedy) {
    throw InputError(place, fmt::format("arc from {} to {}", arc.from, arc.to), rule, remedy);
  };
  if (std::min(arc.from, arc.to) < 0 || std::max(arc.from, arc.to) >= agents)
    fail(fmt::format("agents are 0 ... {}", agents - 1), "Correct the arc.");
  if (arc.from == arc.to) fail("an agent is not its own neighbour", "Leave self-loops out.");
}

std::vector<Graph::Edge> whichever_way(const std::vector<Arc>& arcs) {
  std::vector<Arc> ascending = arcs;
  for (auto& [from, to] : ascending)
    if (from > to) std::swap(from, to);
  std::ranges::sort(ascending);
  const auto [first, last] = std::ranges::unique(ascending);
  ascending.erase(first, last);
  std::vector<Graph::Edge> edges;
  edges.reserve(ascending.size());
  for (const auto& [from, to] : ascending) edges.push_back({from, to});
  return edges;
}

/// Whom each agent sends to.
using Listeners = std::vector<std::vector<Index>>;

Listeners listeners_of(Index agents, const std::vector<Arc>& arcs, Index Arc::*from = &Arc::from,
                       Index Arc::*to = &Arc::to) {
  Listeners listeners(static_cast<std::size_t>(agents));
  for (const Arc& arc : arcs) listeners[arc.*from].push_back(arc.*to);
  return listeners;
}

/// How many arcs word of an agent takes to each; -1 where it never comes.
std::vector<Index> hops_from(Index source, const Listeners& listeners) {
  std::vector<Index> hops(listeners.size(), -1);
  std::vector<Index> queue{source};
  hops[source] = 0;
  for (std::size_t head = 0; head < queue.size(); ++head)
    for (const Index agent : listeners[queue[head]])
      if (hops[agent] < 0) {
        hops[agent] = hops[queue[head]] + 1;
        queue.push_back(agent);
      }
  return hops;
}

std::vector<Arc> all_of(const std::vector<std::vector<Arc>>& in_turn) {
  std::vector<Arc> all;
  for (const auto& arcs : in_turn) all.insert(all.end(), arcs.begin(), arcs.end());
  std::ranges::sort(all);
  const auto [first, last] = std::ranges::unique(all);
  all.erase(first, last);
  return all;
}

void require_strongly_connected(Index agents, const std::vector<std::vector<Arc>>& in_turn,
                                std::string_view place) {
  const auto fail = [&](std::string_view form, Index agent) {
    throw InputError(place, fmt::format(fmt::runtime(form), agent),
                     in_turn.size() > 1 ? "all graphs together must be strongly connected"
                                        : "a directed graph must be strongly connected",
                     "Add arcs such that every agent reaches every other.");
  };
  const std::vector<Arc> arcs = all_of(in_turn);
  const auto heard = hops_from(0, listeners_of(agents, arcs));
  if (const auto deaf = std::ranges::find(heard, -1); deaf != heard.end())
    fail("agent {} never hears of agent 0", deaf - heard.begin());
  const auto tells = hops_from(0, listeners_of(agents, arcs, &Arc::to, &Arc::from));
  if (const auto mute = std::ranges::find(tells, -1); mute != tells.end())
    fail("agent 0 never hears of agent {}", mute - tells.begin());
}

}  // namespace

GraphSequence::GraphSequence(Graph graph) { graphs_.push_back(std::move(graph)); }

GraphSequence GraphSequence::in_turn(std::vector<Graph> graphs, std::string_view place) {
  if (graphs.empty()) throw InputError(place, "no graph", "at least one", "Add a graph.");
  for (const Graph& graph : graphs)
    if (graph.agents() != graphs.front().agents())
      throw InputError(place,
                       fmt::format("graphs of {} and of {} agents", graphs.front().agents(), graph.agents()),
                       "the agents stay the same", "Give all graphs the same number of agents.");
  GraphSequence sequence;
  sequence.graphs_ = std::move(graphs);
  require_connected(sequence.joined(), place,
                    sequence.graphs_.size() > 1 ? "Add edges that join them in one graph or another."
                                                : "Add edges that join the components.");
  return sequence;
}

GraphSequence GraphSequence::directed(Index agents, std::vector<std::vector<Arc>> in_turn,
                                      std::string_view place) {
  if (in_turn.empty()) throw InputError(place, "no graph", "at least one", "Add a graph.");
  GraphSequence sequence;
  for (auto& arcs : in_turn) {
    for (const Arc& arc : arcs) check_arc(arc, agents, place);
    std::ranges::sort(arcs);
    if (const auto twin = std::ranges::adjacent_find(arcs); twin != arcs.end())
      throw InputError(place, fmt::format("arc from {} to {} twice", twin->from, twin->to),
                       "the graph is simple", "Give each arc once.");
    sequence.graphs_.emplace_back(agents, whichever_way(arcs));
  }
  require_strongly_connected(agents, in_turn, place);
  sequence.arcs_ = std::move(in_turn);
  return sequence;
}

GraphSequence GraphSequence::awake(double p, std::uint64_t seed) const {
  if (!(p > 0 && p <= 1))
    throw InputError(graph_option, fmt::format("awake with probability {}", p),
                     "a probability lies in (0, 1]", "Write for example awake:0.3:cycle:8.");
  GraphSequence sequence = *this;
  sequence.probability_ = p;
  sequence.seed_ = seed;
  return sequence;
}

Graph GraphSequence::joined() const {
  if (graphs_.size() == 1) return graphs_.front();
  std::vector<Arc> pairs;
  for (const Graph& graph : graphs_)
    for (const auto& edge : graph.edges()) pairs.push_back({edge.a, edge.b});
  return {agents(), whichever_way(pairs)};
}

std::vector<Arc> GraphSequence::links() const {
  if (is_directed()) return all_of(arcs_);
  const Graph graph = joined();
  std::vector<Arc> links;
  for (const auto& edge : graph.edges()) {
    links.push_back({edge.a, edge.b});
    links.push_back({edge.b, edge.a});
  }
  std::ranges::sort(links);
  return links;
}

Graph::Diameter GraphSequence::diameter(Index exact_limit) const {
  if (!is_directed()) return joined().diameter(exact_limit);
  const Listeners listeners = listeners_of(agents(), links());
  const auto farthest = [&](Index source) {
    const std::vector<Index> hops = hops_from(source, listeners);
    const auto last = std::ranges::max_element(hops);
    return std::pair(*last, static_cast<Index>(last - hops.begin()));
  };
  if (agents() > exact_limit) return {std::max(farthest(0).first, farthest(farthest(0).second).first), false};
  Index longest = 0;
  for (Index source = 0; source < agents(); ++source) longest = std::max(longest, farthest(source).first);
  return {longest, true};
}

}  // namespace ideal
