// SPDX-License-Identifier: Apache-2.0
// Distributed Nesterov methods and dual averaging against their published lists.
#include "support/dense.hpp"
#include "support/recorder.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

namespace ideal::test {
namespace {

TEST(DistributedNesterov, BothMethodsAreTheirListings) {
  for (const auto& [graph, mixing] : three_networks) {
    const Topology topology = Topology::parse(graph, mixing);
    const Problem problem = make_problem({}, topology.agents());
    const double L = problem.constants.L;
    const Block P = averaging_matrix(topology), I = Block::Identity(P.rows(), P.cols());
    const Vector lambda = symmetric_eigenvalues(P);
    const Index n = lambda.size();
    const double sigma = std::max(std::abs(lambda[0]), std::abs(lambda[n - 2]));

    const Block P_lazy = lambda[0] < -1e-9 ? Block((I + P) / 2) : P;
    Block X = start_of(problem, topology), Y = X;
    std::vector<Block> iterates{X};
    for (int k = 0; k < 60; ++k) {
      const Block next = product(Y, P_lazy) - 1 / (2 * L * (k + 1)) * gradient(problem, Y);
      Y = next + k / (k + 3.0) * (next - X);
      iterates.push_back(X = next);
    }
    EXPECT_LT(difference(record(problem, topology, method("dng"), 60).X, iterates, 61), 1e-11) << graph;

    const auto averaged = [&](Block Z, double logarithm) {
      const int rounds = static_cast<int>(std::ceil(logarithm / -std::log(sigma)));
      for (int r = 0; r < rounds; ++r) Z = product(Z, P);
      return Z;
    };
    X = Y = start_of(problem, topology);
    iterates = {X};
    for (int k = 1; k <= 40; ++k) {
      const Block next = averaged(Y - gradient(problem, Y) / (2 * L), 2 * std::log(k));
      Y = averaged(next + (k - 1) / (k + 2.0) * (next - X), std::log(3) + 2 * std::log(k));
      iterates.push_back(X = next);
    }
    EXPECT_LT(difference(record(problem, topology, method("dnc"), 40).X, iterates, 41), 1e-11) << graph;
  }
}

/// f(x_k) - f* = O(1/k^2): sixteen times as many iterations leave at most some 1/256 of the gap.
TEST(DistributedNesterov, WithGrowingConsensusFallsAsTheSquareOfTheIterations) {
  const Topology topology = Topology::parse("cycle:6", "laplacian");
  const Problem problem = make_problem({.kappa = 5000}, 6);
  const auto gap = [&](double iterations) {
    return run_for(problem, topology, method("dnc"), iterations).trace.back().worst_suboptimality;
  };
  EXPECT_LT(gap(320), gap(20) / 100);
}

TEST(DualAveraging, IsItsListingAndReportsTheMeanOfItsIterates) {
  for (const auto& [graph, mixing] : three_networks) {
    const Topology topology = Topology::parse(graph, mixing);
    const Problem problem = make_problem({}, topology.agents());
    const Block P = averaging_matrix(topology);
    Block X = start_of(problem, topology), Z = X, sum = X;
    std::vector<Block> means{X};
    for (int k = 1; k <= 80; ++k) {
      Z = product(Z, P) + gradient(problem, X);
      X = -0.3 / std::sqrt(k) * Z;
      sum += X;
      means.push_back(sum / k);
    }
    EXPECT_LT(
        difference(record(problem, topology, with("dual-averaging", {{"step", "0.3"}}), 80).X, means, 81),
        1e-11)
        << graph;
  }
}

}  // namespace
}  // namespace ideal::test
