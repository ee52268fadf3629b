// SPDX-License-Identifier: Apache-2.0
#include "network/connected.hpp"
#include "network/sparse_factor.hpp"
#include "network/weights.hpp"

#include <ideal/error.hpp>
#include <ideal/weights.hpp>

#include <algorithm>

#include <fmt/format.h>

namespace ideal {
namespace {

void require_factor(const SparseFactor& factor) {
  constexpr double most_work = 1e11;  // minutes
  if (!factor.fits() || factor.work() > most_work)
    throw InputError("--mixing", fmt::format("resistances of {} agents", factor.size()),
                     fmt::format("the factor of their Laplacian has {} M non-zeros, too many",
                                 factor.nonzeros() / 1'000'000),
                     "Take metropolis, or a graph with fewer edges.");
}

}  // namespace

// R_ij = (e_i - e_j)' G (e_i - e_j) for the inverse G of L + g e e', e any unit vector: e_i - e_j has the sum
// zero, and on such vectors G and L⁺ differ by a multiple of the ones vector only. An edge's four entries of
// G lie on the pattern of the factor, so that no other need be computed.
Vector effective_resistances(const Graph& graph) {
  require_connected(graph, "--graph", "Add edges that join the components.");
  SparseFactor factor(weighted_laplacian(graph, own_weights(graph)));
  require_factor(factor);
  if (!factor.factorize_grounded())
    throw InputError("--graph", "edge weights", "their resistances are lost in rounding",
                     "Bring the weights within a factor of 1e12 of each other.");
  const SelectedInverse G(factor);
  Vector resistances(static_cast<Index>(graph.edges().size()));
  for (Index e = 0; e < resistances.size(); ++e) {
    const auto& [a, b, weight] = graph.edges()[static_cast<std::size_t>(e)];
    // No edge resists more than it would alone.
    resistances[e] = std::min(G(a, a) - 2 * G(a, b) + G(b, b), 1 / weight);
  }
  return resistances;
}

}  // namespace ideal
