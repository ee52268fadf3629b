// SPDX-License-Identifier: Apache-2.0
// Methods of similar triangles, penalty-stm and spdstm, against what their theory says of rates and batches.
#include "method/similar_triangles.hpp"

#include "support/quadratics.hpp"
#include "support/recorder.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

namespace ideal::test {
namespace {

TEST(SimilarTriangles, NumbersSatisfyTheirEquations) {
  for (const double mu : {0.0, 0.3}) {
    SimilarTriangles numbers{.L = 7, .mu = mu};
    double A = 0;
    for (int k = 0; k < 60; ++k) {
      numbers.advance(k == 0);
      const double A_next = 1 / numbers.inverse, alpha = numbers.theta * A_next;
      EXPECT_NEAR(A_next, A + alpha, 1e-12 * A_next);
      EXPECT_NEAR(7 * alpha * alpha, A_next * (1 + mu * A), 1e-11 * 7 * alpha * alpha);
      EXPECT_NEAR(numbers.stays(), (1 + mu * A) / (1 + mu * A_next), 1e-12);
      EXPECT_NEAR(numbers.pulls(), alpha / (1 + mu * A_next), 1e-12 * numbers.pulls());
      A = A_next;
    }
    if (mu > 0) {
      EXPECT_NEAR(numbers.theta, (std::sqrt(mu * mu + 4 * 7 * mu) - mu) / 14, 1e-3);
    }
  }
  SimilarTriangles forever{.L = 7, .mu = 0.3};
  for (int k = 0; k < 100000; ++k) forever.advance(k == 0);
  EXPECT_TRUE(std::isfinite(forever.stays()) && std::isfinite(forever.pulls()));
}

TEST(PenaltyStm, WithoutNoiseReachesThePenalisedOptimumAtItsRate) {
  for (const char* graph : {"cycle:6", "star:5"}) {
    const Topology topology = Topology::parse(graph, "laplacian");
    const auto [lambda_max, lambda_min] = topology.spectrum();
    const Quadratics f(topology.agents(), 5, 30, 3);
    const Problem problem = f.problem();
    const double r = 40, scale = 2 / (lambda_max + lambda_min);  // Q = scale W at J = 1
    const Block limit =
        f.minimise_augmented(Block::Zero(5, topology.agents()), r * scale, Block(topology.weights()));
    const auto X = record(problem, topology, with("penalty-stm", {{"penalty", text(r)}, {"J", "1"}}), 1500).X;
    EXPECT_LT((X.back() - limit).norm(), 1e-11 * limit.norm()) << graph;
    const double L = problem.constants.L + r * lambda_max * scale, mu = problem.constants.mu;
    for (const std::size_t k : {50u, 100u, 200u})
      EXPECT_LE(mu * (X[k] - limit).squaredNorm(),
                L * (X[0] - limit).squaredNorm() *
                    std::pow(1 + std::sqrt(mu / L) / 2, -2.0 * static_cast<double>(k - 1)))
          << graph << ' ' << k;
  }
}

/// What it promises: the accuracy asked for, noise included.
TEST(PenaltyStm, ReachesTheAccuracyAskedFor) {
  const Topology topology = Topology::parse("cycle:6", "laplacian");
  const Problem problem = make_problem({.rows = 1200, .kappa = 20, .partition = "shuffled"}, 6);
  for (const char* accuracy : {"1e-1", "1e-2"}) {
    SolveOptions options;
    options.watch = {.computations = 300, .every = 0};
    double gap = 0, eps = 0;
    for (options.seed = 0; options.seed < 4; ++options.seed) {
      const Result result =
          simulate(problem, topology, with("penalty-stm", {{"accuracy", accuracy}}), options);
      gap += result.trace.back().suboptimality / 4;
      eps = std::get<double>(result.parameters.at("eps"));
      EXPECT_LT(std::get<Index>(result.parameters.at("batch")), 200) << "a batch, not everything";
    }
    EXPECT_LT(gap, eps) << accuracy;
  }
}

/// n sigma^2 alpha_k/((1 + mu A_k) eps) rows, where L alpha_k^2 = A_k (1 + mu A_{k-1}), A_k = A_{k-1} +
/// alpha_k.
TEST(PenaltyStm, BatchesAreThoseOfTheTheory) {
  constexpr Index n = 8, rows = 100;
  constexpr double penalty = 0.5, accuracy = 0.01;
  const Topology topology = Topology::parse("cycle:8", "laplacian");
  const Problem problem = make_problem({.rows = n * rows, .kappa = 10, .partition = "shuffled"}, n);
  double slope = 0;
  for (const auto& loss : problem.losses) {
    Vector g(7);
    loss->gradient(Vector::Zero(7), g);
    slope = std::max(slope, g.squaredNorm());
  }
  const auto [lambda_max, lambda_min] = topology.spectrum();
  const double of_Q = 2 * lambda_max / (lambda_max + lambda_min);  // for J = 1
  const double mu = problem.constants.mu, eps = accuracy * n * slope / (2 * mu),
               L = problem.constants.L + penalty * of_Q;
  const double variance = 40 * eps * std::sqrt(mu * L) / n;  // in the end some forty rows
  const auto spent = record(problem, topology,
                            with("penalty-stm", {{"accuracy", text(accuracy)},
                                                 {"penalty", text(penalty)},
                                                 {"sigma", text(std::sqrt(variance))},
                                                 {"J", "1"}}),
                            40)
                         .meter;
  double A = 0;
  for (std::size_t k = 0; k < 40; ++k) {
    const double c = 1 + mu * A, alpha = (c + std::sqrt(c * c + 4 * L * A * c)) / (2 * L);
    A += alpha;
    if (k == 0) continue;  // it also finds out slopes and variances
    const double batch = (spent[k + 1].computations - spent[k].computations) * rows;
    EXPECT_NEAR(batch, std::ceil(n * variance * alpha / ((1 + mu * A) * eps)), 1e-6) << k;
  }
}

/// Similar triangles on a dual with curvature in [lambda_min/L, lambda_max/mu].
TEST(Spdstm, KeepsItsRates) {
  const Topology topology = Topology::parse("barbell:8", "laplacian");
  const Quadratics f(8, 4, 20, 6);
  const Problem problem = f.problem();
  const double kappa_dual = problem.constants.kappa() * topology.spectrum().kappa();
  const Vector best = f.minimiser();
  const auto strong = record(problem, topology, with("spdstm", {{"exact", "true"}}), 900).X;
  for (const std::size_t k : {200u, 400u, 800u})
    EXPECT_LE(squared_distance(strong[k], best),
              10 * kappa_dual * squared_distance(strong[0], best) *
                  std::pow(1 + 0.5 / std::sqrt(kappa_dual), -static_cast<double>(k)))
        << k;
  const auto plain =
      record(problem, topology, with("spdstm", {{"exact", "true"}, {"strong", "false"}}), 900).X;
  double early = 0, late = 0;  // disagreement, at most of order 1/k^2
  for (std::size_t k = 80; k < 100; ++k) early = std::max(early, (plain[k].colwise() - best).norm());
  for (std::size_t k = 800; k < 900; ++k) late = std::max(late, (plain[k].colwise() - best).norm());
  EXPECT_LT(late, early / 20);
}

/// What they are derived from differs, and their points are the same.
TEST(Spdstm, WithoutStrongConvexityIsTheDualApproachOfTheSecondClass) {
  for (const char* graph : {"barbell:6", "star:5", "cycle:7"}) {
    const Topology topology = Topology::parse(graph, "laplacian");
    const Problem problem = Quadratics(topology.agents(), 3, 20, 6).problem();
    EXPECT_LT(
        difference(record(problem, topology, with("spdstm", {{"strong", "false"}, {"exact", "true"}}), 200).X,
                   record(problem, topology, with("dual-fgm", {{"class", "2"}}), 200).X, 201),
        1e-9)
        << graph;
  }
}

TEST(Spdstm, DualVariablesSumToZeroThroughout) {
  const Topology topology = Topology::parse("barbell:8", "laplacian");
  const auto recording = record(make_problem({}, 8), topology, method("spdstm"), 800);
  for (const Checkpoint& state : recording.states)
    for (const std::size_t dual : {3u, 4u, 5u})
      ASSERT_LT(relative_column_sum(std::get<Block>(state.state[dual])), 1e-12);
  EXPECT_GT(std::get<Block>(recording.states.back().state[4]).norm(), 0.1);
}

}  // namespace
}  // namespace ideal::test
