// SPDX-License-Identifier: Apache-2.0
// Agents on ranks: equal shares first, few edges between them second.
#include <ideal/cluster.hpp>
#include <ideal/error.hpp>

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

namespace ideal {

namespace {

// Swaps are tried for every pair of agents at the border, each looking at its neighbours.
constexpr double refine_limit = 3e7;

/// The k-th agent of `order` goes to rank k * ranks / n.
std::vector<Index> cut_evenly(std::span<const Index> order, Index ranks) {
  std::vector<Index> host_of(order.size());
  const Index n = std::ssize(order);
  for (Index k = 0; k < n; ++k) host_of[order[k]] = k * ranks / n;
  return host_of;
}

/// Agents by their distance from one at the graph's edge: neighbours stay close together.
std::vector<Index> breadth_first(const Graph& graph) {
  const auto from_any = graph.hops_from(0);
  const Index far = std::ranges::max_element(from_any) - from_any.begin();
  const auto hops = graph.hops_from(far);
  std::vector<Index> order(hops.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::sort(order, {}, [&](Index agent) { return std::pair(hops[agent], agent); });
  return order;
}

/// Swaps two agents as long as that leaves fewer edges between ranks.
class Refinement {
 public:
  Refinement(const Graph& graph, std::vector<Index>& host_of) : graph_(graph), host_of_(host_of) {}

  void operator()() {
    for (Index sweep = 0; sweep < graph_.agents(); ++sweep)
      if (!improve()) return;
  }

 private:
  [[nodiscard]] Index edges_to(Index agent, Index host) const {
    return std::ranges::count_if(graph_.neighbours(agent), [&](Index j) { return host_of_[j] == host; });
  }
  [[nodiscard]] bool at_border(Index agent) const {
    return edges_to(agent, host_of_[agent]) < graph_.degree(agent);
  }
  [[nodiscard]] Index gain(Index a, Index b) const {
    const Index A = host_of_[a], B = host_of_[b];
    return edges_to(a, B) - edges_to(a, A) + edges_to(b, A) - edges_to(b, B) -
           (graph_.adjacent(a, b) ? 2 : 0);
  }

  bool improve() {
    std::vector<Index> border;
    for (Index agent = 0; agent < graph_.agents(); ++agent)
      if (at_border(agent)) border.push_back(agent);
    bool improved = false;
    for (const Index a : border) {
      for (const Index b : border) {
        if (a >= b || host_of_[a] == host_of_[b] || gain(a, b) <= 0) continue;
        std::swap(host_of_[a], host_of_[b]);
        improved = true;
      }
    }
    return improved;
  }

  const Graph& graph_;
  std::vector<Index>& host_of_;
};

}  // namespace

Index cut_edges(const Graph& graph, std::span<const Index> host_of) {
  return std::ranges::count_if(graph.edges(), [&](const auto& e) { return host_of[e.a] != host_of[e.b]; });
}

std::vector<Index> place(const Graph& graph, Index ranks) {
  const Index n = graph.agents();
  if (ranks < 1 || ranks > n)
    throw InputError("ranks", fmt::format("{} for {} agents", ranks, n), "every rank has an agent",
                     fmt::format("Start 1 to {} ranks, or take a larger graph.", n));
  std::vector<Index> in_order(static_cast<std::size_t>(n));
  std::iota(in_order.begin(), in_order.end(), Index{0});

  std::vector<Index> best = cut_evenly(in_order, ranks);
  if (ranks == 1) return best;
  std::vector<Index> other = cut_evenly(breadth_first(graph), ranks);
  const auto size = static_cast<double>(n), degree = 2 * static_cast<double>(graph.edges().size()) / size;
  for (std::vector<Index>* host_of : {&best, &other})
    if (size * size * degree <= refine_limit) Refinement(graph, *host_of)();
  if (cut_edges(graph, other) < cut_edges(graph, best)) best.swap(other);
  const Index first = best.front();
  for (Index& rank : best) rank = rank == first ? 0 : rank == 0 ? first : rank;
  return best;
}

}  // namespace ideal
