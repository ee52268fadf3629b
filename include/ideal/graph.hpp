// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/block.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ideal {

/// A simple undirected graph on agents 0 ... n-1, with positive edge weights (1 unless a file gives others).
class Graph {
 public:
  struct Edge {
    Index a, b;  ///< a < b
    double weight = 1;
  };

  /// Edges may come in any order; self-loops, duplicates, ends outside 0..n-1 and weights that are not
  /// positive throw.
  Graph(Index agents, std::vector<Edge> edges);

  /// `cycle:8`, `grid:3x4`, `er:20,0.3`, `file:PATH` ...; the seed matters for the random families only. A
  /// random draw that is not connected throws: redrawing in silence would change the distribution.
  static Graph parse(std::string_view spec, std::uint64_t seed = 0);

  [[nodiscard]] Index agents() const { return static_cast<Index>(offsets_.size()) - 1; }
  [[nodiscard]] const std::vector<Edge>& edges() const { return edges_; }  ///< ascending (a, b)
  [[nodiscard]] std::span<const Index> neighbours(Index agent) const;      ///< ascending
  [[nodiscard]] Index degree(Index agent) const { return static_cast<Index>(neighbours(agent).size()); }
  [[nodiscard]] bool adjacent(Index a, Index b) const;

  /// Connected components, each ascending, ordered by their smallest agent.
  [[nodiscard]] std::vector<std::vector<Index>> components() const;

  /// Longest shortest path (in hops) of a connected graph, and whether it is exact: above `exact_limit`
  /// agents it is the lower bound of a double sweep.
  struct Diameter {
    Index hops;
    bool exact;
  };
  [[nodiscard]] Diameter diameter(Index exact_limit = 5000) const;

  /// Hops from `source` to every agent; -1 where there is no path.
  [[nodiscard]] std::vector<Index> hops_from(Index source) const;

 private:
  std::vector<Edge> edges_;
  std::vector<Index> offsets_;  // CSR adjacency
  std::vector<Index> neighbours_;
};

/// The families `Graph::parse` accepts, with their arguments: "cycle:n", "grid:RxC" ...
const std::vector<std::string>& graph_families();

}  // namespace ideal
