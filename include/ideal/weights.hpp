// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/topology.hpp>

#include <cstdint>

namespace ideal {

// What stands behind the mixing kinds that are not a formula of degrees. All vectors have one entry per edge,
// in the graph's order.

/// The effective resistance between the ends of each edge, the weights taken as conductances. Exact, by one
/// sparse factorisation.
Vector effective_resistances(const Graph& graph);

/// The same found by the agents themselves, with what that took.
struct GossipedResistances {
  Vector resistances;
  Block potentials;       ///< column i: what agent i knows of L⁺, its own column of it
  Index activations = 0;  ///< of single agents
  Index rounds = 0;       ///< one after the other: two an activation, and those of the checks
  Index bytes = 0;        ///< payload over all links
  bool converged = false;
};

struct ResistanceGossip {
  double tolerance = 1e-10;             ///< of every agent's equation, relative to its weights
  Index most_activations = 10'000'000;  ///< then it ends without having converged
  std::uint64_t seed = 0;
};

/// Aybat & Gürbüzbalaban (2017): randomized Kaczmarz for L X = I - 11'/n. An agent that wakes up asks its
/// neighbours for their columns, solves its own equation with the least change and sends them their part of
/// it. Agents wake with probabilities proportional to |L_i|², which clocks of these rates give without anyone
/// knowing the sum; every agent knows n and its own weights, nothing else.
GossipedResistances gossip_resistances(const Graph& graph, const ResistanceGossip& options = {});

/// Weights from a convex programme over all weights on the edges, negative ones included; the graph's own
/// weights play no part. `bound` is proven, by a dual point, to be no more than the optimum.
struct OptimalWeights {
  Vector weights;
  double value = 0;
  double bound = 0;
  Index steps = 0;  ///< of the interior-point or Newton method
  [[nodiscard]] double gap() const { return value / bound - 1; }
};

inline constexpr Index most_optimised_edges = 2000, most_optimised_agents = 500;  ///< beyond, they throw

/// Fastest distributed linear averaging (Xiao & Boyd, 2004): of all I - W the one nearest 11'/n in spectral
/// norm, which is the W of least condition number, scaled such that λmin⁺ + λmax = 2. The value is κ_W. A
/// primal-dual interior-point method.
OptimalWeights fastest_weights(const Graph& graph, const Progress& progress = {});

/// Least mean-square deviation (Xiao, Boyd & Kim, 2007): of all P = I - W the one whose averaging under noise
/// of unit variance deviates least from the mean, in the long run. The value is sum 1 / (1 - λ_i(P)²) over
/// the eigenvalues but that of 1. Newton's method.
OptimalWeights least_deviation_weights(const Graph& graph, const Progress& progress = {});

/// The sum that least_deviation_weights makes least, for any W; infinite unless 0 < λmin⁺ and λmax < 2.
/// Dense: cubic in the agents.
double mean_square_deviation(const SparseRows& W);

}  // namespace ideal
