// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/topology.hpp>

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace ideal {

/// D - A for the given weights, one per edge of the graph. Every mixing kind is one of these, hence symmetric
/// with the ones vector in its kernel; with positive weights on a connected graph it is positive
/// semi-definite and its kernel is span(1).
SparseRows weighted_laplacian(const Graph& graph, std::span<const double> edge_weights);

/// The weights that the edges of the graph came with.
std::vector<double> own_weights(const Graph& graph);

struct MixingWeights {
  SparseRows W;
  std::optional<double> gap;  ///< of the kinds that solve an optimisation problem: relative, proven
};

/// W of a kind, not yet divided by what depends on its spectrum.
MixingWeights mixing_weights(const Graph& graph, std::string_view kind, const Progress& progress);

/// What W is to be divided by: one for most kinds.
double divisor_of(std::string_view kind, const Spectrum& undivided);

inline constexpr std::string_view file_prefix = "file:";

}  // namespace ideal
