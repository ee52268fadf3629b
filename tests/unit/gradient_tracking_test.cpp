// SPDX-License-Identifier: Apache-2.0
// Gradient tracking, ATC-DIGing and SONATA against their published lists and the methods they become.
#include "support/dense.hpp"
#include "support/quadratics.hpp"
#include "support/recorder.hpp"
#include "support/sanitized.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace ideal::test {
namespace {

/// Without the tracked gradient: X_2 = 2 W X_1 - W^2 X_0 - alpha (g_1 - g_0), the last term behind W^2 if
/// agents adapt before they combine.
TEST(GradientTracking, IsItsSecondOrderRecursion) {
  for (const auto& [graph, mixing] : three_networks)
    for (const bool adapt_first : {false, true}) {
      const Topology topology = Topology::parse(graph, mixing);
      const Problem problem = make_problem({}, topology.agents());
      const double alpha = 0.02 / problem.constants.L;
      const Block P = averaging_matrix(topology), PP = product(P, P), X0 = start_of(problem, topology);
      const Block last = adapt_first ? PP : Block::Identity(P.rows(), P.cols());
      const Block g0 = gradient(problem, X0);
      std::vector<Block> X{
          X0, adapt_first ? Block(product(X0 - alpha * g0, P)) : Block(product(X0, P) - alpha * g0)};
      Block g_prev = g0;
      for (std::size_t k = 1; k < 80; ++k) {
        const Block g = gradient(problem, X[k]);
        X.push_back(2 * product(X[k], P) - product(X[k - 1], PP) - alpha * product(g - g_prev, last));
        g_prev = g;
      }
      const Method m = with(adapt_first ? "atc-diging" : "diging", {{"step", text(alpha)}});
      EXPECT_LT(difference(record(problem, topology, m, 80).X, X, 81), 1e-11) << graph << ' ' << adapt_first;
    }
}

TEST(GradientTracking, TracksTheMeanGradient) {
  const Topology topology = Topology::parse("barbell:8", "metropolis");
  const Problem problem = make_problem({}, 8);
  constexpr std::size_t S = 1, G = 2;  // positions in the kept state
  for (const char* name : {"diging", "atc-diging", "sonata"})
    for (const Checkpoint& state : record(problem, topology, method(name), 300).states) {
      const Block &tracked = std::get<Block>(state.state[S]), &gradients = std::get<Block>(state.state[G]);
      ASSERT_LT((tracked - gradients).rowwise().mean().norm(), 1e-13 * (1 + gradients.norm())) << name;
    }
}

TEST(AtcDiging, WithStepsOfTheirOwnAgentsReachTheCommonOptimum) {
  const Topology topology = Topology::parse("cycle:6", "laplacian");
  std::vector<std::shared_ptr<const Loss>> losses;
  for (Index i = 0; i < 6; ++i) {
    const double L = i % 2 == 0 ? 10 : 4;
    losses.push_back(
        std::make_shared<Quadratic>(Block(Vector::LinSpaced(3, 1, L).asDiagonal()), Vector::Unit(3, i % 3)));
  }
  Threads threads;
  const Problem problem{.losses = losses,
                        .constants = constants_of(losses, {}, {}, threads),
                        .reference = solve_reference(losses, threads)};
  SolveOptions options;
  options.watch = {.tol = 1e-12, .computations = 5000};
  const Result result = simulate(problem, topology, with("atc-diging", {{"steps", "own"}}), options);
  EXPECT_EQ(result.status, Status::converged);
  EXPECT_GT(difference(record(problem, topology, with("atc-diging", {{"steps", "own"}}), 5).X,
                       record(problem, topology, method("atc-diging"), 5).X, 6),
            0.01)
      << "steps do differ";
}

TEST(AtcDiging, WithStepsOfTheirOwnAgentsReachTheOptimumOnFiveGraphs) {
  for (const LossKind loss : {LossKind::logistic, LossKind::ridge})
    for (const std::string& graph : five_graphs) {
      const Topology topology = Topology::parse(graph, "laplacian");
      const Problem problem = make_problem({.loss = loss}, topology.agents());
      SolveOptions options;
      options.watch = {.tol = 1e-10, .computations = 40000, .every = 5};
      const Result result = simulate(problem, topology, with("atc-diging", {{"steps", "own"}}), options);
      EXPECT_EQ(result.status, Status::converged) << graph << ' ' << result.trace.back().worst_suboptimality;
      EXPECT_LT((result.X.colwise() - problem.reference->x).norm(), 1e-3) << graph;
    }
}

TEST(AtcDiging, AnAgentsOwnStepIsThatOfItsOwnSmoothness) {
  const Topology topology = Topology::parse("barbell:6", "metropolis");
  std::vector<std::shared_ptr<const Loss>> losses;
  Vector steps(6);
  for (Index i = 0; i < 6; ++i) {
    const auto L = static_cast<double>(2 + (3 * i) % 7);  // no two alike
    losses.push_back(
        std::make_shared<Quadratic>(Block(Vector::LinSpaced(3, 1, L).asDiagonal()), Vector::Unit(3, i % 3)));
    steps[i] = 1 / L;
  }
  Threads threads;
  const Problem problem{
      .losses = losses, .constants = constants_of(losses, {}, {}, threads), .reference = {}};
  const auto ours = record(problem, topology, with("atc-diging", {{"steps", "own"}}), 60).X;

  const Block P = Block::Identity(6, 6) - Block(topology.weights());
  Block X = Block::Zero(3, 6), G = gradient(problem, X), S = G;
  // Its first step tells the common factor of all.
  const double share = ours[1].norm() / product(S * steps.asDiagonal(), P).norm();
  std::vector<Block> dense{X};
  for (int k = 0; k < 60; ++k) {
    X = product(X - share * S * steps.asDiagonal(), P);
    const Block G_next = gradient(problem, X);
    S = product(S + G_next - G, P);
    G = G_next;
    dense.push_back(X);
  }
  EXPECT_LT(difference(ours, dense, 61), 1e-11);
  EXPECT_GT(share, 0.1);
}

/// With its surrogates minimised exactly, and a proximal term, on agents that differ.
TEST(Sonata, IsThePublishedListing) {
  const Topology topology = Topology::parse("barbell:6", "metropolis");
  const Quadratics f(6, 3, 10, 9);
  const Problem problem = f.problem();
  const double tau = 2.5, gamma = 0.3;
  const Block P = Block::Identity(6, 6) - Block(topology.weights());
  Block X = Block::Zero(3, 6), G = gradient(problem, X), S = G;
  std::vector<Block> dense{X};
  for (int k = 0; k < 40; ++k) {
    const Block best = f.minimise_augmented(S - G - tau * X, tau, Block::Identity(6, 6));
    X = product(X + gamma * (best - X), P);
    const Block G_next = gradient(problem, X);
    S = product(S + G_next - G, P);
    G = G_next;
    dense.push_back(X);
  }
  const Method m = with("sonata", {{"exact", "true"}, {"proximal", text(tau)}, {"step", text(gamma)}});
  auto ours = record(problem, topology, m, 80).outer();
  ours.insert(ours.begin(), Block::Zero(3, 6));
  EXPECT_LT(difference(ours, dense, 40), 1e-10);
}

TEST(Sonata, WithOneLocalStepIsAtcDiging) {
  for (const auto& [graph, mixing] : three_networks) {
    const Topology topology = Topology::parse(graph, mixing);
    const Problem problem = make_problem({}, topology.agents());
    const double tau = 0.5, gamma = 0.05;
    const auto sonata = record(
        problem, topology, with("sonata", {{"T", "1"}, {"proximal", text(tau)}, {"step", text(gamma)}}), 80);
    const auto atc = record(problem, topology,
                            with("atc-diging", {{"step", text(gamma / (problem.constants.L + tau))}}), 80);
    EXPECT_LT(difference(sonata.X, atc.X, 81), 1e-11) << graph;
  }
}

/// On equal parabolas it is ATC-DIGing with L/(L + proximal) for alpha L, and so are its limits: 2, or (1 +
/// p)^2/(2 p^2) where averaging has an eigenvalue p < -1/3.
TEST(Sonata, OnEqualParabolasBearsWhatAtcDigingBears) {
  std::vector<Graph::Edge> edges;
  for (Index i = 0; i < 5; ++i)
    for (Index j = 5; j < 10; ++j) edges.push_back({i, j});
  const Topology topologies[] = {Topology::make(Graph(10, edges), "metropolis"),
                                 Topology::parse("barbell:6", "lazy-metropolis")};
  for (const Topology& topology : all_or_first(topologies)) {
    const Index n = topology.agents();
    std::vector<std::shared_ptr<const Loss>> losses;
    for (Index i = 0; i < n; ++i)
      losses.push_back(
          std::make_shared<Quadratic>(Block::Constant(1, 1, 3), Vector::Constant(1, static_cast<double>(i))));
    Threads threads;
    const Problem problem{.losses = losses,
                          .constants = constants_of(losses, {}, {}, threads),
                          .reference = solve_reference(losses, threads)};
    const double p = 1 - topology.spectrum().lambda_max, tau = 2, share = 3 / (3 + tau);
    const double limit = p < -1.0 / 3 ? (1 + p) * (1 + p) / (2 * p * p) : 2;
    const auto ends = [&](double gamma) {
      return run_for(problem, topology,
                     with("sonata", {{"exact", "true"}, {"proximal", text(tau)}, {"step", text(gamma)}}),
                     40000, 50);
    };
    EXPECT_LT((ends(0.98 * limit / share).X.colwise() - problem.reference->x).norm(), 1e-6) << p;
    EXPECT_EQ(ends(1.02 * limit / share).status, Status::diverged) << p;
    EXPECT_LT(std::get<double>(run_for(problem, topology, method("sonata"), 1).parameters.at("step")),
              limit * 2)
        << "gamma L/(L + L)";
  }
}

TEST(Sonata, OfEqualAgentsMinimisesAtOnce) {
  const Topology topology = Topology::parse("cycle:6", "laplacian");
  Problem problem = make_problem({}, 6);
  std::ranges::fill(problem.losses, problem.losses[0]);
  const auto X =
      record(problem, topology, with("sonata", {{"exact", "true"}, {"proximal", "0"}, {"step", "1"}}), 2)
          .outer();
  Vector best = Vector::Zero(X[0].rows());
  newton(*problem.losses[0], best);
  EXPECT_LT((X[0].colwise() - best).norm(), 1e-10);
}

}  // namespace
}  // namespace ideal::test
