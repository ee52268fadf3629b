// SPDX-License-Identifier: Apache-2.0
#include <ideal/error.hpp>
#include <ideal/graph.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace ideal {
namespace {

bool before(const Graph::Edge& e, const Graph::Edge& f) { return std::tie(e.a, e.b) < std::tie(f.a, f.b); }

void check_edge(const Graph::Edge& e, Index agents) {
  const auto fail = [&](std::string_view rule, std::string_view remedy) {
    throw InputError("graph", fmt::format("edge ({}, {}) of weight {}", e.a, e.b, e.weight), rule, remedy);
  };
  if (e.a < 0 || e.b >= agents) fail(fmt::format("agents are 0 ... {}", agents - 1), "Correct the edge.");
  if (e.a == e.b) fail("an agent is not its own neighbour", "Leave self-loops out.");
  if (!std::isfinite(e.weight) || e.weight <= 0) fail("weights are positive", "Leave absent edges out.");
}

void check_no_duplicates(const std::vector<Graph::Edge>& sorted) {
  const auto same = [](const Graph::Edge& e, const Graph::Edge& f) { return e.a == f.a && e.b == f.b; };
  if (const auto twin = std::ranges::adjacent_find(sorted, same); twin != sorted.end())
    throw InputError("graph", fmt::format("edge ({}, {}) twice", twin->a, twin->b), "the graph is simple",
                     "Give each edge once.");
}

Index farthest(const std::vector<Index>& hops) { return std::ranges::max_element(hops) - hops.begin(); }

}  // namespace

Graph::Graph(Index agents, std::vector<Edge> edges) : edges_(std::move(edges)) {
  if (agents < 1) throw InputError("graph", fmt::format("{} agents", agents), "at least 1", "Add agents.");
  for (auto& e : edges_) {
    if (e.a > e.b) std::swap(e.a, e.b);
    check_edge(e, agents);
  }
  if (!std::ranges::is_sorted(edges_, before)) std::ranges::sort(edges_, before);
  check_no_duplicates(edges_);

  offsets_.assign(static_cast<std::size_t>(agents) + 1, 0);
  for (const auto& e : edges_) {
    ++offsets_[e.a + 1];
    ++offsets_[e.b + 1];
  }
  std::partial_sum(offsets_.begin(), offsets_.end(), offsets_.begin());

  // Edges ascend by (a, b): each agent meets first its lower neighbours, then its higher ones, both in order.
  neighbours_.resize(2 * edges_.size());
  std::vector<Index> next(offsets_.begin(), offsets_.end() - 1);
  for (const auto& e : edges_) {
    neighbours_[next[e.a]++] = e.b;
    neighbours_[next[e.b]++] = e.a;
  }
}

std::span<const Index> Graph::neighbours(Index agent) const {
  return std::span(neighbours_).subspan(offsets_[agent], offsets_[agent + 1] - offsets_[agent]);
}

bool Graph::adjacent(Index a, Index b) const { return std::ranges::binary_search(neighbours(a), b); }

std::vector<Index> Graph::hops_from(Index source) const {
  std::vector<Index> hops(agents(), -1);
  hops[source] = 0;
  std::vector<Index> queue{source};
  for (std::size_t head = 0; head < queue.size(); ++head)
    for (const Index next : neighbours(queue[head]))
      if (hops[next] < 0) {
        hops[next] = hops[queue[head]] + 1;
        queue.push_back(next);
      }
  return hops;
}

std::vector<std::vector<Index>> Graph::components() const {
  std::vector<std::vector<Index>> found;
  std::vector<bool> seen(agents(), false);
  for (Index start = 0; start < agents(); ++start) {
    if (seen[start]) continue;
    auto& component = found.emplace_back(1, start);
    seen[start] = true;
    for (std::size_t head = 0; head < component.size(); ++head)
      for (const Index next : neighbours(component[head]))
        if (!seen[next]) {
          seen[next] = true;
          component.push_back(next);
        }
    std::ranges::sort(component);
  }
  return found;
}

Graph::Diameter Graph::diameter(Index exact_limit) const {
  const auto reach = [](const std::vector<Index>& hops) { return *std::ranges::max_element(hops); };
  if (agents() > exact_limit) return {reach(hops_from(farthest(hops_from(0)))), false};
  Index longest = 0;
  for (Index source = 0; source < agents(); ++source) longest = std::max(longest, reach(hops_from(source)));
  return {longest, true};
}

}  // namespace ideal
