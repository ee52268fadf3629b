// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/graph.hpp>
#include <ideal/topology.hpp>

#include <string_view>

namespace ideal {

/// Sums over edges e with their vectors a_e = e_i - e_j, of which optimisation over edge weights consists.
class EdgeSpace {
 public:
  explicit EdgeSpace(const Graph& graph) : graph_(graph) {}

  [[nodiscard]] Index agents() const { return graph_.agents(); }
  [[nodiscard]] Index edges() const { return static_cast<Index>(graph_.edges().size()); }

  /// L(w) = sum of w_e a_e a_e'.
  [[nodiscard]] Block laplacian(const VectorRef& weights) const;

  /// a_e' M a_e for each edge, M symmetric.
  [[nodiscard]] Vector quadratic(const Block& M) const;

  /// H_ef += (a_e' M a_f) (a_e' N a_f), M and N symmetric; the lower triangle only.
  void add_products(const Block& M, const Block& N, Eigen::Ref<Block> H) const;

 private:
  const Graph& graph_;
};

/// Throws InputError where the graph has more edges than the kind called `name` is solved for.
void require_optimisable(const Graph& graph, std::string_view name);

/// The extreme eigenvalues of a dense W but for the 0 of the ones vector; λmin⁺ is negative where W is not
/// positive semi-definite.
Spectrum dense_ends(const Block& W);

}  // namespace ideal
