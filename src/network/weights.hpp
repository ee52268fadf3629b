// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/topology.hpp>

#include <span>
#include <string_view>

namespace ideal {

/// D - A for the given positive weights, one per edge of the graph. Every mixing kind is one of these, hence
/// symmetric and positive semi-definite, with kernel span(1) on a connected graph.
SparseRows weighted_laplacian(const Graph& graph, std::span<const double> edge_weights);

/// W of a kind, except that `laplacian-normalized` is not yet divided by its largest eigenvalue.
SparseRows mixing_weights(const Graph& graph, std::string_view kind);

inline constexpr std::string_view file_prefix = "file:";
inline constexpr std::string_view normalized_kind = "laplacian-normalized";

}  // namespace ideal
