// SPDX-License-Identifier: Apache-2.0
#include "network/edge_space.hpp"

#include "core/symmetric.hpp"
#include "network/connected.hpp"

#include <ideal/error.hpp>
#include <ideal/weights.hpp>

#include <fmt/format.h>

namespace ideal {

Block EdgeSpace::laplacian(const VectorRef& weights) const {
  Block L = Block::Zero(agents(), agents());
  for (Index e = 0; e < edges(); ++e) {
    const auto& [a, b, own] = graph_.edges()[static_cast<std::size_t>(e)];
    L(a, b) = L(b, a) = -weights[e];
    L(a, a) += weights[e];
    L(b, b) += weights[e];
  }
  return L;
}

Vector EdgeSpace::quadratic(const Block& M) const {
  Vector result(edges());
  for (Index e = 0; e < edges(); ++e) {
    const auto& [a, b, own] = graph_.edges()[static_cast<std::size_t>(e)];
    result[e] = M(a, a) - 2 * M(a, b) + M(b, b);
  }
  return result;
}

void EdgeSpace::add_products(const Block& M, const Block& N, Eigen::Ref<Block> H) const {
  Vector m, n;
  for (Index f = 0; f < edges(); ++f) {
    const auto& [c, d, own] = graph_.edges()[static_cast<std::size_t>(f)];
    m = M.col(c) - M.col(d);
    n = N.col(c) - N.col(d);
    for (Index e = f; e < edges(); ++e) {
      const auto& [a, b, unused] = graph_.edges()[static_cast<std::size_t>(e)];
      H(e, f) += (m[a] - m[b]) * (n[a] - n[b]);
    }
  }
}

void require_optimisable(const Graph& graph, std::string_view name) {
  require_connected(graph, "--graph", "Add edges that join the components.");
  if (graph.agents() < 2) throw InputError("W", "1 agent", "a network has at least 2", "Add agents.");
  const auto edges = static_cast<Index>(graph.edges().size());
  if (graph.agents() > most_optimised_agents || edges > most_optimised_edges)
    throw InputError("--mixing", fmt::format("'{}' for {} agents, {} edges", name, graph.agents(), edges),
                     fmt::format("weights are optimised for up to {} agents and {} edges",
                                 most_optimised_agents, most_optimised_edges),
                     "Take resistance or metropolis, or a smaller graph.");
}

Spectrum dense_ends(const Block& W) {
  const auto n = static_cast<double>(W.rows());
  const Block lifted = W.array() + W.trace() / (n - 1) / n;  // the zero moves in between the others
  const Vector values = symmetric_eigenvalues(lifted);
  return {values[values.size() - 1], values[0]};
}

}  // namespace ideal
