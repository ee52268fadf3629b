// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/graph.hpp>

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ideal {

/// A link that goes one way.
struct Arc {
  Index from, to;
  auto operator<=>(const Arc&) const = default;
};

/// The graphs of a run: one, or several that take turns; undirected, or all directed; with every edge there
/// at each step, or awake with some probability. A step lasts from one gradient to the next, as an iteration
/// does in the literature.
class GraphSequence {
 public:
  GraphSequence(Graph graph);  // NOLINT(google-explicit-constructor): a graph is the simplest sequence

  /// Undirected graphs in turn, all of as many agents; together they are connected, or this throws, naming
  /// `place`.
  static GraphSequence in_turn(std::vector<Graph> graphs, std::string_view place = "--graph");

  /// Directed ones; together they are strongly connected, or this throws.
  static GraphSequence directed(Index agents, std::vector<std::vector<Arc>> in_turn,
                                std::string_view place = "--graph");

  /// The same with each edge awake with probability p at each step, whatever the others do and it did before.
  [[nodiscard]] GraphSequence awake(double p, std::uint64_t seed) const;

  /// From the command line: what Graph::parse knows, and
  ///     directed-cycle:n           i sends to i + 1
  ///     directed:PATH              a line `a b`: a sends to b
  ///     periodic:SPEC+SPEC+...     these graphs in turn
  ///     rounds:PATH                the graphs of a file in turn
  ///     awake:P:SPEC               each edge awake with probability P
  /// The seed is that of random graphs and of who is awake.
  static GraphSequence parse(std::string_view spec, std::uint64_t seed = 0);

  /// The spec with all paths in it absolute.
  static std::string with_absolute_paths(std::string_view spec);

  [[nodiscard]] Index agents() const { return graphs_.front().agents(); }
  [[nodiscard]] bool is_directed() const { return !arcs_.empty(); }
  [[nodiscard]] bool changes() const { return graphs_.size() > 1 || probability_ < 1; }
  [[nodiscard]] double probability() const { return probability_; }  ///< of an edge to be awake
  [[nodiscard]] std::uint64_t seed() const { return seed_; }

  /// In turn. Of directed ones they say who shares an arc, whichever way it goes.
  [[nodiscard]] const std::vector<Graph>& graphs() const { return graphs_; }
  [[nodiscard]] const std::vector<std::vector<Arc>>& arcs() const { return arcs_; }  ///< ascending

  /// Who ever talks to whom: the graph that transports need to know.
  [[nodiscard]] Graph joined() const;

  /// Who ever sends to whom, ascending; over an undirected edge both.
  [[nodiscard]] std::vector<Arc> links() const;

  /// The most links that word from one agent takes to another, whenever they are awake.
  [[nodiscard]] Graph::Diameter diameter(Index exact_limit = 5000) const;

 private:
  GraphSequence() = default;

  std::vector<Graph> graphs_;
  std::vector<std::vector<Arc>> arcs_;  ///< of each graph; none where the graphs are undirected
  double probability_ = 1;
  std::uint64_t seed_ = 0;
};

/// What GraphSequence::parse accepts beyond graph_families().
const std::vector<std::string>& sequence_forms();

}  // namespace ideal
