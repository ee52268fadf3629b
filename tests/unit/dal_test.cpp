// SPDX-License-Identifier: Apache-2.0
// The distributed augmented Lagrangian with its passes over neighbours.
#include "support/dense.hpp"
#include "support/quadratics.hpp"
#include "support/recorder.hpp"

#include <gtest/gtest.h>

namespace ideal::test {
namespace {

TEST(DistributedAugmentedLagrangian, WithManyPassesSolvesTheSubproblems) {
  const Topology topology = Topology::parse("barbell:6", "laplacian");
  const Block W(topology.weights());
  const Quadratics f(6, 3, 10, 7);
  const double rho = 1;
  Block Lambda = Block::Zero(3, 6);
  std::vector<Block> exact;
  for (int k = 0; k < 6; ++k) {
    const Block X = f.minimise_augmented(Lambda, rho, W);
    Lambda += rho * product(X, W);
    exact.push_back(X);
  }
  for (const auto& [name, turns] : {std::pair{"dal-jacobi", 1u}, {"dal-gauss-seidel", 3u}}) {
    const Method m = with(name, {{"exact", "true"}, {"passes", "400"}, {"rho", text(rho)}});
    EXPECT_LT(difference(record(f.problem(), topology, m, 6 * 400 * turns).outer(), exact, 6), 1e-9) << name;
  }
}

/// One pass of all at once: the penalty's gradient from before, and c |x - x_i|^2 for what it leaves out.
TEST(DistributedAugmentedLagrangian, OnePassIsALinearisedSubproblem) {
  const Topology topology = Topology::parse("barbell:6", "laplacian");
  const Block W(topology.weights()), I = Block::Identity(6, 6);
  const Quadratics f(6, 3, 10, 7);
  const double rho = 0.6, c = topology.spectrum().lambda_max;
  Block X = Block::Zero(3, 6), Lambda = X;
  std::vector<Block> dense;
  for (int k = 0; k < 30; ++k) {
    X = f.minimise_augmented(Lambda + rho * product(X, W) - rho * c * X, rho * c, I);
    Lambda += rho * product(X, W);
    dense.push_back(X);
  }
  const Method m = with("dal-jacobi", {{"exact", "true"}, {"passes", "1"}, {"rho", text(rho)}});
  EXPECT_LT(difference(record(f.problem(), topology, m, 30).outer(), dense, 30), 1e-10);
}

/// A pass of colour after colour sees what the colours before have done: on a line, every other agent.
TEST(DistributedAugmentedLagrangian, AColourSeesTheOnesBefore) {
  const Topology topology = Topology::parse("line:5", "laplacian");
  const Block W(topology.weights());
  const Quadratics f(5, 3, 10, 7);
  const double rho = 0.6;
  Block X = Block::Zero(3, 5), Lambda = X;
  std::vector<Block> dense;
  for (int k = 0; k < 30; ++k) {
    for (const Index colour : {0, 1}) {
      const Block diagonal = W.diagonal().asDiagonal();
      const Block all = f.minimise_augmented(Lambda + rho * product(X, W - diagonal), rho, diagonal);
      for (Index i = colour; i < 5; i += 2) X.col(i) = all.col(i);
    }
    Lambda += rho * product(X, W);
    dense.push_back(X);
  }
  const Method m = with("dal-gauss-seidel", {{"exact", "true"}, {"passes", "1"}, {"rho", text(rho)}});
  EXPECT_LT(difference(record(f.problem(), topology, m, 60).outer(), dense, 30), 1e-10);
}

}  // namespace
}  // namespace ideal::test
