// SPDX-License-Identifier: Apache-2.0
// Gaps that agents prove on the way, against the gaps that there are.
#include "support/quadratics.hpp"

#include <ideal/random.hpp>

#include <cmath>

#include <gtest/gtest.h>

namespace ideal::test {
namespace {

TEST(Certificate, HoldsForEveryAgentWheneverItIsGiven) {
  for (const LossKind loss : {LossKind::logistic, LossKind::ridge, LossKind::softmax})
    for (const std::string& graph : five_graphs)
      for (const char* partition : {"by-label", "shuffled"})
        for (const double tol : {1e-2, 1e-5, 1e-9}) {
          const Topology topology = Topology::parse(graph, "laplacian");
          const Problem problem = make_problem(
              {.loss = loss, .classes = 3, .kappa = 25, .partition = partition}, topology.agents());
          const Result result = certified_run(problem, topology, method("auto"), tol);
          ASSERT_EQ(result.status, Status::converged) << graph << ' ' << to_string(loss);
          const TraceRow& last = result.trace.back();
          EXPECT_LE(*last.certified, tol);
          EXPECT_LE(last.worst_suboptimality, *last.certified)
              << graph << ' ' << to_string(loss) << ' ' << tol;
        }
}

/// Two dense halves joined by one weak edge: the moments of a few rounds do not see how weak.
Topology weak_link(double weight) {
  constexpr Index half = 12;
  Block W = Block::Zero(2 * half, 2 * half);
  const auto join = [&](Index a, Index b, double w) {
    W(a, b) = W(b, a) = -w;
    W(a, a) += w;
    W(b, b) += w;
  };
  Random random(7);
  for (Index side : {Index{0}, half})
    for (Index i = 0; i < half; ++i)
      for (Index j = 0; j < i; ++j)
        if (i - j == 1 || random.uniform() < 0.4) join(side + i, side + j, 1 + random.uniform());
  join(0, half, weight);
  return Topology::from_matrix(SparseRows(W.sparseView()));
}

TEST(Certificate, HoldsWhereTheNetworkIsWorseThanWasFoundOut) {
  for (const double weight : {1e-2, 1e-4})
    for (const double tol : {1e-3, 1e-7}) {
      const Topology topology = weak_link(weight);
      const Problem problem = make_problem({.kappa = 100}, topology.agents());
      const Result result = certified_run(problem, topology, method("auto"), tol);
      if (result.status == Status::converged) {
        EXPECT_LE(result.trace.back().worst_suboptimality, tol) << weight << ' ' << tol;
      }
    }
}

TEST(Certificate, DoesNotTrustAMuThatWasTold) {
  const Topology topology = Topology::parse("cycle:6", "laplacian");
  Problem problem = make_problem({.kappa = 200}, 6);
  problem.constants.mu *= 20;
  const Result result = certified_run(problem, topology, method("ideal1"), 1e-4);
  ASSERT_EQ(result.status, Status::converged);
  EXPECT_LE(result.trace.back().worst_suboptimality, *result.trace.back().certified);
}

/// Where many directions are of medium curvature the gradient bounds the gap badly, but nobody has to wait
/// for it: the last iterations make it smaller.
TEST(Certificate, ComesSoonAfterTheGapIsClosedWhereCurvaturesAreSpread) {
  constexpr Index n = 6, d = 20;
  const double kappa = 1e5;
  Random random(3);
  std::vector<std::shared_ptr<const Loss>> losses;
  for (Index i = 0; i < n; ++i) {
    Block H = Block::Zero(d, d);
    Vector h(d);
    for (Index j = 0; j < d; ++j) {
      H(j, j) =
          std::pow(kappa, -static_cast<double>(j) / (d - 1)) * (0.8 + 0.2 * random.uniform()) + 1 / kappa;
      h[j] = 1e-2 * random.normal() * std::sqrt(H(j, j));
    }
    losses.push_back(std::make_shared<Quadratic>(H, h));
  }
  Problem problem{.losses = losses, .constants = {}};
  Threads threads(1);
  problem.constants = constants_of(losses, {}, 1 / kappa, threads);
  problem.reference = solve_reference(losses, *in_process(n), threads);
  const Topology topology = Topology::parse("cycle:6", "laplacian");
  SolveOptions options;
  options.watch = {.tol = 1e-8, .computations = 20000, .every = 1};
  const Result seen = simulate(problem, topology, method("auto"), options);
  options.watch.certified = true;
  const Result proven = simulate(problem, topology, method("auto"), options);
  ASSERT_EQ(seen.status, Status::converged);
  ASSERT_EQ(proven.status, Status::converged);
  EXPECT_LE(proven.trace.back().worst_suboptimality, 1e-8);
  EXPECT_LT(proven.trace.back().meter.computations, 1.35 * seen.trace.back().meter.computations);
}

/// Nothing moves there, and no ratio of what moved is a number.
TEST(Certificate, IsGivenAtOnceWhereTheStartIsTheOptimum) {
  for (const Index d : {4, 20}) {
    std::vector<std::shared_ptr<const Loss>> losses;
    for (Index i = 0; i < 6; ++i)
      losses.push_back(
          std::make_shared<Quadratic>(Block::Identity(d, d) * (1 + static_cast<double>(i)), Vector::Zero(d)));
    Problem problem{.losses = losses, .constants = {}};
    Threads threads(1);
    problem.constants = constants_of(losses, {}, 1, threads);
    problem.reference = Reference{.x = Vector::Zero(d), .value = 0, .gradient_norm = 0};
    const Topology topology = Topology::parse("cycle:6", "laplacian");
    const Result result = certified_run(problem, topology, method("auto"), 1e-8);
    EXPECT_EQ(result.status, Status::converged) << d;
    EXPECT_EQ(*result.trace.back().certified, 0) << d;
    EXPECT_TRUE(result.X.isZero(0)) << d;
    EXPECT_LT(result.trace.back().meter.computations, 20) << d;
    // Without a tolerance it stays there.
    const Result longer = run_for(problem, topology, method("auto"), 100);
    EXPECT_TRUE(longer.X.isZero(0)) << d;
    for (const auto& [name, value] : longer.parameters)
      if (const auto* number = std::get_if<double>(&value)) {
        EXPECT_TRUE(std::isfinite(*number)) << name;
      }
  }
  const Topology topology = Topology::parse("cycle:6", "laplacian");
  const Problem problem = make_problem({}, 6);
  SolveOptions options;
  options.watch = {.tol = 1e-8, .certified = true, .computations = 200, .every = 0};
  options.start = problem.reference->x;  // but for rounding
  EXPECT_EQ(simulate(problem, topology, method("auto"), options).status, Status::converged);
}

/// Logarithms of what is left to do are infinite, and waiting so long is no number of iterations.
TEST(Certificate, MayBeWantedSmallerThanNumbersTell) {
  const Topology topology = Topology::parse("cycle:6", "laplacian");
  std::vector<std::shared_ptr<const Loss>> losses;
  for (Index i = 0; i < 6; ++i)
    losses.push_back(std::make_shared<Quadratic>(Block(Vector::LinSpaced(4, 1, 1e4).asDiagonal()),
                                                 Vector::Constant(4, static_cast<double>(i))));
  Problem problem{.losses = losses, .constants = {}};
  Threads threads(1);
  problem.constants = constants_of(losses, {}, 1, threads);
  problem.reference = solve_reference(losses, *in_process(6), threads);
  for (const double tol : {5e-324, 1e-310, 1e-200}) {
    SolveOptions options;
    options.watch = {.tol = tol, .certified = true, .computations = 3000, .every = 0};
    const Result result = simulate(problem, topology, method("auto"), options);
    EXPECT_TRUE(result.X.allFinite());
    EXPECT_LT(result.trace.back().worst_suboptimality, 1e-10) << tol;
  }
}

TEST(Certificate, NeedsNoReference) {
  const Topology topology = Topology::parse("grid:3x3", "laplacian");
  Problem problem = make_problem({}, 9);
  const Reference truth = *problem.reference;
  problem.reference.reset();
  const Result result = certified_run(problem, topology, method("auto"), 1e-8);
  EXPECT_EQ(result.status, Status::converged);
  EXPECT_LT((result.X.colwise() - truth.x).norm(), 1e-2);
  EXPECT_TRUE(std::isnan(result.trace.back().worst_suboptimality));
}

}  // namespace
}  // namespace ideal::test
