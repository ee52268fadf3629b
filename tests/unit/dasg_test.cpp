// SPDX-License-Identifier: Apache-2.0
// D-ASG and D-MASG, against what their theory says of limits, rates and noise.
#include "support/dense.hpp"
#include "support/quadratics.hpp"
#include "support/recorder.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

namespace ideal::test {
namespace {

/// Without noise it is Nesterov's method on F + <X, (I - W_p) X>/(2 alpha): its limit is that minimiser, and
/// its rate the accelerated one.
TEST(Dasg, WithoutNoiseReachesThePenalisedOptimumAtTheAcceleratedRate) {
  for (const char* graph : {"cycle:6", "barbell:8", "complete:5"}) {
    const Topology topology = Topology::parse(graph, "laplacian");
    const Quadratics f(topology.agents(), 5, 80, 3);
    const Problem problem = f.problem();
    // The Laplacian's W_DS = I - W/lambda_max has the eigenvalue 0, so W_p is half way to the identity.
    const double s = 1 / (2 * topology.spectrum().lambda_max), alpha = 0.5 / problem.constants.L;
    const Block limit =
        f.minimise_augmented(Block::Zero(5, topology.agents()), s / alpha, Block(topology.weights()));
    const auto X = record(problem, topology, method("dasg"), 1200).X;
    EXPECT_LT((X.back() - limit).norm(), 1e-11 * limit.norm()) << graph;
    const double rate = 1 - std::sqrt(alpha * problem.constants.mu),
                 kappa_P = 1 / (alpha * problem.constants.mu);
    for (const std::size_t k : {40u, 100u, 200u, 300u})
      EXPECT_LE((X[k] - limit).squaredNorm(),
                2 * kappa_P * (X[0] - limit).squaredNorm() * std::pow(rate, static_cast<double>(k)) + 1e-20)
          << graph << ' ' << k;
  }
}

/// The noise of its limit is of order sigma^2 sqrt(alpha): a sixteenth of the step leaves a quarter. Agents
/// with the same data have no bias that would hide it.
TEST(Dasg, NeighbourhoodShrinksWithTheStepAndTheBatch) {
  const Topology topology = Topology::parse("complete:4", "laplacian");
  Problem problem = make_problem({.rows = 400, .kappa = 10, .partition = "shuffled"}, 4);
  std::ranges::fill(problem.losses, problem.losses[0]);
  Threads threads;
  problem.reference = solve_reference(problem.losses, threads);
  const auto noise = [&](double step_scale, const char* batch) {
    SolveOptions options;
    options.watch = {.computations = 400, .every = 10};
    const Trace trace = simulate(problem, topology,
                                 with("dasg", {{"batch", batch}, {"step-scale", text(step_scale)}}), options)
                            .trace;
    double sum = 0;
    for (std::size_t r = trace.size() / 2; r < trace.size(); ++r) sum += trace[r].worst_suboptimality;
    return sum / static_cast<double>(trace.size() - trace.size() / 2);
  };
  const double large = noise(1, "4"), small = noise(1.0 / 16, "4"), calm = noise(1, "16");
  EXPECT_GT(large / small, 3);
  EXPECT_LT(large / small, 20) << "no faster than the step";
  EXPECT_NEAR(large / calm, 4, 2) << "sigma^2 is in proportion to 1/batch";
}

TEST(Dmasg, GetsWhereDasgCannot) {
  for (const char* graph : {"cycle:6", "star:5"}) {
    const Topology topology = Topology::parse(graph, "laplacian");
    const Problem problem = Quadratics(topology.agents(), 5, 20, 3).problem();
    const double stuck = run_for(problem, topology, method("dasg"), 4000).trace.back().worst_suboptimality;
    const Trace trace = run_for(problem, topology, method("dmasg"), 4000).trace;
    EXPECT_LT(trace.back().worst_suboptimality, stuck / 100) << graph;
    // Its network error is of order 1/k^2, the gap its square.
    EXPECT_LT(trace.back().worst_suboptimality, trace[1000].worst_suboptimality / 50) << graph;
  }
}

TEST(Dmasg, StagesAreDasgWithTheirSteps) {
  const Topology topology = Topology::parse("cycle:6", "laplacian");
  const Problem problem = make_problem({}, 6);
  const auto stages = record(problem, topology, with("dmasg", {{"T", "5"}, {"batch", "3"}}), 40);
  EXPECT_EQ(difference(stages.X, record(problem, topology, with("dasg", {{"batch", "3"}}), 10).X, 11), 0)
      << "the first is as long as 2 T";
  const auto stage_after = [&](std::size_t steps) {
    return std::get<Index>(stages.states[steps - 1].state[4]);
  };
  EXPECT_EQ(stage_after(9), 1);
  EXPECT_EQ(stage_after(10), 2);
  EXPECT_EQ(stage_after(29), 2);
  EXPECT_EQ(stage_after(30), 3);
  const auto longer =
      record(problem, topology, with("dmasg", {{"T", "5"}, {"first", "17"}, {"batch", "3"}}), 40);
  EXPECT_EQ(std::get<Index>(longer.states[15].state[4]), 1);
  EXPECT_EQ(std::get<Index>(longer.states[16].state[4]), 2) << "as long as told";
  EXPECT_EQ(std::get<Index>(longer.states[36].state[4]), 3) << "and then 4 T";
}

/// Three stages without noise, with dense matrices: steps alpha, alpha/16, alpha/64, each with momentum of
/// its own that starts at rest.
TEST(Dmasg, StagesHaveTheirOwnStepsAndMomenta) {
  const Topology topology = Topology::parse("barbell:6", "laplacian");
  const Problem problem = Quadratics(6, 4, 30, 5).problem();
  const double L = problem.constants.L, mu = problem.constants.mu, alpha = 0.5 / L;
  const Block P = Block::Identity(6, 6) - Block(topology.weights()) / (2 * topology.spectrum().lambda_max);
  Block X = Block::Zero(4, 6), Y = X;
  std::vector<Block> dense{X};
  for (int stage = 1; stage <= 3; ++stage) {
    const double step = alpha / (stage == 1 ? 1 : std::pow(4, stage)), root = std::sqrt(step * mu);
    Y = X;
    for (int t = 0; t < 5 << stage; ++t) {
      const Block next = product(Y, P) - step * gradient(problem, Y);
      Y = next + (1 - root) / (1 + root) * (next - X);
      X = next;
      dense.push_back(X);
    }
  }
  const auto ours = record(problem, topology, with("dmasg", {{"T", "5"}, {"batch", everything}}), 70).X;
  EXPECT_LT(difference(ours, dense, 71), 1e-12);
}

}  // namespace
}  // namespace ideal::test
