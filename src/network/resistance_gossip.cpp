// SPDX-License-Identifier: Apache-2.0
#include "network/connected.hpp"
#include "network/weights.hpp"

#include <ideal/random.hpp>
#include <ideal/weights.hpp>

#include <algorithm>
#include <cmath>

namespace ideal {
namespace {

/// The agents, each with its column of L⁺ as far as it knows it. Every function is what one agent does with
/// its own data and what its neighbours send it.
class KaczmarzAgents {
 public:
  explicit KaczmarzAgents(const Graph& graph)
      : L_(weighted_laplacian(graph, own_weights(graph))), X_(Block::Zero(graph.agents(), graph.agents())) {}

  [[nodiscard]] const Block& columns() const { return X_; }

  /// |L_i|², the rate of agent i's clock.
  [[nodiscard]] double rate(Index i) const { return L_.row(i).squaredNorm(); }

  /// Wakes agent i: the least change of its own column and its neighbours' that solves its equation.
  void wake(Index i) {
    missing(i);
    change_ /= rate(i);
    for (SparseRows::InnerIterator entry(L_, i); entry; ++entry)
      X_.col(entry.col()) += entry.value() * change_;
  }

  /// What agent i's equation misses, relative to its weights.
  double residual(Index i) {
    missing(i);
    return change_.norm() / std::sqrt(rate(i));
  }

 private:
  /// e_i - 1/n - sum of L_ij x_j.
  void missing(Index i) {
    change_.setConstant(X_.rows(), -1 / static_cast<double>(X_.rows()));
    change_[i] += 1;
    for (SparseRows::InnerIterator entry(L_, i); entry; ++entry)
      change_ -= entry.value() * X_.col(entry.col());
  }

  SparseRows L_;
  Block X_;
  Vector change_;
};

/// Which of several clocks ticks next.
class Clocks {
 public:
  Clocks(const KaczmarzAgents& agents, Index count, std::uint64_t seed) : random_(seed) {
    double sum = 0;
    for (Index i = 0; i < count; ++i) until_.push_back(sum += agents.rate(i));
  }

  Index next() {
    const double draw = random_.uniform() * until_.back();
    return std::min<Index>(std::ranges::upper_bound(until_, draw) - until_.begin(),
                           static_cast<Index>(until_.size()) - 1);
  }

 private:
  Random random_;
  std::vector<double> until_;  // running sums of the rates
};

constexpr Index number_bytes = sizeof(double);

}  // namespace

GossipedResistances gossip_resistances(const Graph& graph, const ResistanceGossip& options) {
  require_connected(graph, "--graph", "Add edges that join the components.");
  const Index n = graph.agents(), links = 2 * static_cast<Index>(graph.edges().size());
  const Index reach = n > 1 ? graph.diameter().hops : 0;
  const Index between_checks = 4 * n;  // so that the checks cost less than what they check
  KaczmarzAgents agents(graph);
  Clocks clocks(agents, n, options.seed);
  GossipedResistances result;

  while (!result.converged && result.activations < options.most_activations) {
    for (Index k = 0; k < between_checks && result.activations < options.most_activations; ++k) {
      const Index i = clocks.next();
      agents.wake(i);
      ++result.activations;
      result.rounds += 2;  // columns to agent i, changes back
      result.bytes += 2 * graph.degree(i) * n * number_bytes;
    }
    // All send their columns; the largest residual then takes as many rounds as the graph is wide.
    double worst = 0;
    for (Index i = 0; i < n; ++i) worst = std::max(worst, agents.residual(i));
    result.rounds += 1 + reach;
    result.bytes += links * (n + reach) * number_bytes;
    result.converged = worst <= options.tolerance;
  }

  result.potentials = agents.columns();
  const Block& X = result.potentials;
  result.resistances.resize(links / 2);
  for (Index e = 0; e < links / 2; ++e) {
    const auto& [a, b, weight] = graph.edges()[static_cast<std::size_t>(e)];
    // Each end tells the other its part of the sum.
    result.resistances[e] = (X(a, a) - X(b, a)) + (X(b, b) - X(a, b));
  }
  result.rounds += 1;
  result.bytes += links * number_bytes;
  return result;
}

}  // namespace ideal
