// SPDX-License-Identifier: Apache-2.0
// The accelerated rivals against independent truths: their published lists with dense matrices, the
// centralized methods they become in special cases, and their invariants.
#include "method/gossip.hpp"
#include "support/dense.hpp"
#include "support/quadratics.hpp"
#include "support/recorder.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace ideal::test {
namespace {

/// The published listing of APAPC, which takes the primal step twice, with M as a dense matrix.
std::vector<Block> published_apapc(const Problem& problem, const Block& M, double lambda_max,
                                   double lambda_min, double L, std::size_t iterations) {
  const double mu = problem.constants.mu, chi = lambda_max / lambda_min;
  const double tau = std::min(1.0, std::sqrt(chi / (L / mu)) / 2), eta = 1 / (4 * tau * L),
               theta = 1 / (eta * lambda_max);
  Block X = Block::Zero(problem.losses[0]->dimension(), M.cols()), Xf = X, Y = X;
  std::vector<Block> answers{Xf};
  for (std::size_t k = 0; k < iterations; ++k) {
    const Block Xg = tau * X + (1 - tau) * Xf;
    const Block pull = gradient(problem, Xg) - mu * Xg;
    const Block half = (X - eta * (pull + Y)) / (1 + eta * mu);
    Y += theta * product(half, M);
    const Block next = (X - eta * (pull + Y)) / (1 + eta * mu);
    Xf = Xg + 2 * tau / (2 - tau) * (next - X);
    X = next;
    answers.push_back(Xf);
  }
  return answers;
}

TEST(Opapc, IsThePublishedListingWithADenseMatrix) {
  for (const char* graph : {"barbell:8", "cycle:9"})
    for (const double scale : {1.0, 0.25}) {
      const Topology topology = Topology::parse(graph, "laplacian");
      const Problem problem = Quadratics(topology.agents(), 4, 60, 2).problem();
      const auto [lambda_max, lambda_min] = topology.spectrum();
      const double L = scale * problem.constants.L;
      const std::string L_scale = fmt::format("{}", scale);

      const auto apapc = record(problem, topology, with("apapc", {{"L-scale", L_scale}}), 80);
      EXPECT_LT(
          difference(apapc.X,
                     published_apapc(problem, Block(topology.weights()), lambda_max, lambda_min, L, 80), 81),
          1e-11)
          << graph;

      const double c2 = (lambda_max + lambda_min) / (lambda_max - lambda_min);
      const double ripple = 1 / std::cosh(3 * std::acosh(c2));
      const auto opapc = record(problem, topology, with("opapc", {{"L-scale", L_scale}, {"J", "3"}}), 80);
      EXPECT_LT(
          difference(opapc.X,
                     published_apapc(problem, chebyshev_of(topology, 3), 1 + ripple, 1 - ripple, L, 80), 81),
          1e-11)
          << graph;
    }
}

TEST(Opapc, IsApapcOnACompleteGraph) {
  const Topology topology = Topology::parse("complete:6", "metropolis");
  const Problem problem = make_problem({}, 6);
  EXPECT_LT(difference(record(problem, topology, method("opapc"), 60).X,
                       record(problem, topology, method("apapc"), 60).X, 61),
            1e-11);
}

/// With theoretical constants the squared distance falls at least as fast as (1 + min(1/sqrt(kappa chi),
/// 1/chi)/4)^-k (Kovalev, Salim, Richtarik 2020, theorem 1).
TEST(Apapc, KeepsItsPublishedRate) {
  for (const char* graph : {"barbell:8", "cycle:12", "star:6"}) {
    const Topology topology = Topology::parse(graph, "laplacian");
    const Quadratics f(topology.agents(), 5, 200, 4);
    const Problem problem = f.problem();
    const double kappa = problem.constants.kappa(), chi = topology.spectrum().kappa();
    const double factor = 1 + std::min(1 / std::sqrt(kappa * chi), 1 / chi) / 4;
    const auto X = record(problem, topology, with("apapc", {{"L-scale", "1"}}), 1200).X;
    const Vector best = f.minimiser();
    const auto distance = [&](std::size_t k) { return (X[k].colwise() - best).squaredNorm(); };
    for (const std::size_t k : {300u, 600u, 1200u})
      EXPECT_LT(distance(k), 10 * kappa * distance(0) * std::pow(factor, -static_cast<double>(k)))
          << graph << ' ' << k;
  }
}

TEST(Opapc, DualVariablesSumToZeroThroughout) {
  const Topology topology = Topology::parse("barbell:8", "laplacian");
  const Problem problem = make_problem({}, 8);
  constexpr std::size_t Y = 2;  // position in the kept state
  for (const char* name : {"opapc", "apapc"}) {
    const auto recording = record(problem, topology, method(name), 1500);
    for (const Checkpoint& state : recording.states)
      ASSERT_LT(relative_column_sum(std::get<Block>(state.state[Y])), 1e-12) << name;
    EXPECT_GT(std::get<Block>(recording.states.back().state[Y]).norm(), 0.1);
  }
}

/// Its first rounds are too few for accelerated averaging, which overshoots there, and momentum on top of
/// that grows until, a thousand iterations on, the rounds have become enough.
TEST(ApmC, FewRoundsOnALargeNetworkDoNotMakeMomentumGrow) {
  for (const char* graph : {"line:32", "barbell:32"}) {
    const Problem problem = Quadratics(32, 3, 1e6, 7).problem();
    const Result result = run_for(problem, Topology::parse(graph, "laplacian"), unguarded("apm-c"), 2000);
    ASSERT_EQ(result.status, Status::budget) << graph;
    EXPECT_LT(result.trace.back().suboptimality, 0.1 * result.trace.front().suboptimality) << graph;
  }
}

TEST(FastMix, OvershootsByNoMoreThanItSays) {
  const Topology topology = Topology::parse("line:40", "laplacian");
  const auto transport = in_process(40);
  Meter meter;
  Threads threads(1);
  Network W(topology, *transport, meter, threads);
  FastMix fast_mix(W);
  const Eigenpairs pairs = symmetric_eigen(Block(topology.weights()));
  for (const Index K : {1, 2, 3, 7, 12, 30}) {
    const Block after = product(fast_mix(pairs.vectors.transpose(), K), pairs.vectors);
    EXPECT_GE(after.diagonal().minCoeff(), -fast_mix.overshoot(K)) << K;
    const Block plain = product(fast_mix.plainly(pairs.vectors.transpose(), K), pairs.vectors);
    EXPECT_GE(plain.diagonal().minCoeff(), -1e-12) << K;
  }
}

TEST(Mudag, WithPerfectConsensusIsCentralizedAcceleratedGradient) {
  for (const char* graph : {"barbell:8", "star:5"}) {
    const Topology topology = Topology::parse(graph, "laplacian");
    const Problem problem = make_problem({}, topology.agents());
    EXPECT_LT(difference(record(problem, topology, with("mudag", {{"K", "200"}}), 60).X,
                         record(problem, topology, method("agd"), 60).X, 61),
              1e-11)
        << graph;
  }
}

/// With its default number of rounds it is centralized AGD as far as the counts go.
TEST(Mudag, NeedsTheComputationsOfCentralizedAcceleratedGradient) {
  const Topology topology = Topology::parse("line:12", "laplacian");
  const Problem problem = make_problem({.kappa = 500}, 12);
  SolveOptions options;
  options.watch = {.tol = 1e-8, .computations = 4000};
  const auto computations = [&](const char* name) {
    return simulate(problem, topology, method(name), options).trace.back().meter.computations;
  };
  EXPECT_LT(computations("mudag"), 1.2 * computations("agd"));
}

TEST(AccDngd, TracksTheMeanGradient) {
  const Topology topology = Topology::parse("barbell:8", "metropolis");
  const Problem problem = make_problem({}, 8);
  const auto recording = record(problem, topology, method("acc-dngd"), 400);
  constexpr std::size_t S = 3, G = 4;  // positions in the kept state
  for (const Checkpoint& state : recording.states) {
    const Block &tracked = std::get<Block>(state.state[S]), &gradients = std::get<Block>(state.state[G]);
    ASSERT_LT((tracked - gradients).rowwise().mean().norm(), 1e-13 * (1 + gradients.norm()));
  }
}

TEST(AccDngd, OfEqualAgentsIsNesterovsMethod) {
  const Topology topology = Topology::parse("cycle:6", "laplacian");
  Problem problem = make_problem({}, 6);
  std::ranges::fill(problem.losses, problem.losses[0]);
  const double step = 0.3 / problem.constants.L, root = std::sqrt(1 / (problem.constants.mu * step));
  const auto agd = record(
      problem, topology,
      with("agd", {{"step", fmt::format("{}", step)}, {"beta", fmt::format("{}", (root - 1) / (root + 1))}}),
      200);
  const auto ours = record(problem, topology, with("acc-dngd", {{"step", fmt::format("{}", step)}}), 200);
  EXPECT_LT(difference(ours.X, agd.X, 201), 1e-11);
}

/// The step of the default must not be lucky: agents whose steep directions differ, on a star, are where
/// larger steps diverge.
TEST(AccDngd, TakesThePublishedStepIfTold) {
  // By hand: sigma is 2/3 on a path of three, and 1/3 on a cycle of four, for which 1/2 is a bound.
  const struct {
    const char* graph;
    double cubed;
  } cases[] = {{"line:3", 8.0 / 729}, {"cycle:4", 1.0 / 64}};
  for (const auto& [graph, cubed] : cases) {
    const Topology topology = Topology::parse(graph, "metropolis");
    const Problem problem = make_problem({}, topology.agents());
    const double L = problem.constants.L, kappa = L / problem.constants.mu;
    const Result result = run_for(problem, topology, with("acc-dngd", {{"theory", "published"}}), 200);
    EXPECT_NEAR(std::get<double>(result.parameters.at("step")) * L * 62500 * std::pow(kappa, 3.0 / 7), cubed,
                1e-9)
        << graph;
    EXPECT_LT(result.trace.back().suboptimality, result.trace.front().suboptimality);
  }
}

TEST(AccDngd, StaysStableWhereLargerStepsDiverge) {
  const Topology topology = Topology::parse("star:12", "laplacian");
  std::vector<std::shared_ptr<const Loss>> losses;
  for (Index i = 0; i < 12; ++i) {
    Block H = Block::Identity(12, 12);
    H(i, i) = 5000;
    losses.push_back(std::make_shared<Quadratic>(H, Vector::Unit(12, (i + 1) % 12)));
  }
  Threads threads;
  const Problem problem{.losses = losses,
                        .constants = constants_of(losses, {}, {}, threads),
                        .reference = solve_reference(losses, threads)};
  EXPECT_EQ(run_for(problem, topology, with("acc-dngd", {{"safe", "false"}, {"guard", "false"}}), 40000, 100)
                .status,
            Status::diverged);
  SolveOptions options;
  options.watch = {.tol = 1e-10, .computations = 60000, .every = 100};
  EXPECT_EQ(simulate(problem, topology, method("acc-dngd"), options).status, Status::converged);
}

}  // namespace
}  // namespace ideal::test
