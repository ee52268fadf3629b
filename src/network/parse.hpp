// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/graph.hpp>
#include <ideal/topology.hpp>

#include <cstdint>
#include <filesystem>
#include <string_view>

/// The parsers behind Graph::parse and read_matrix, on text in memory. `place` names the text in messages.
namespace ideal {

inline constexpr Index most_agents = 10'000'000;

Graph parse_graph_spec(std::string_view spec, std::uint64_t seed);  ///< every family but file:PATH

/// `a b [weight]` a line, agents from 0, `#` starts a comment.
Graph parse_edge_list(std::string_view text, std::string_view place);
Graph read_edge_list(const std::filesystem::path& file);

/// Matrix Market if the text starts with %%MatrixMarket, else dense CSV.
SparseRows parse_matrix(std::string_view text, std::string_view place);

}  // namespace ideal
