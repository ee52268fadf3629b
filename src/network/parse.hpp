// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/graph.hpp>
#include <ideal/graph_sequence.hpp>
#include <ideal/topology.hpp>

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

/// The parsers behind Graph::parse and read_matrix, on text in memory. `place` names the text in messages.
namespace ideal {

inline constexpr Index most_agents = 10'000'000;
inline constexpr std::string_view graph_option = "--graph";

Graph parse_graph_spec(std::string_view spec, std::uint64_t seed);  ///< every family but file:PATH

/// `a b [weight]` a line, agents from 0, `#` starts a comment.
Graph parse_edge_list(std::string_view text, std::string_view place);
Graph read_edge_list(const std::filesystem::path& file);

/// Lines `round`, each followed by the edges of one graph; before the first of them perhaps `directed` and
/// `agents n`.
GraphSequence parse_rounds(std::string_view text, std::string_view place);

/// `a b` a line: a sends to b.
GraphSequence parse_arc_list(std::string_view text, std::string_view place);

/// An edge as it stands on the current line, a and b in that order.
class Lines;
struct NumberedEdge {
  Graph::Edge edge;
  long line;
};
NumberedEdge read_edge(const Lines& lines, std::string_view place);

/// Sorted; an edge that comes twice breaks the rule.
std::vector<Graph::Edge> each_once(std::vector<NumberedEdge> edges, std::string_view place,
                                   std::string_view rule);

/// Matrix Market if the text starts with %%MatrixMarket, else dense CSV.
SparseRows parse_matrix(std::string_view text, std::string_view place);

}  // namespace ideal
