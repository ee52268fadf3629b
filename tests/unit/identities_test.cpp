// SPDX-License-Identifier: Apache-2.0
// Methods that the theory says are the same must agree iterate by iterate.
#include "support/dense.hpp"
#include "support/quadratics.hpp"
#include "support/recorder.hpp"
#include "support/sanitized.hpp"

#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace ideal::test {
namespace {

const Weighted four_networks[] = {{"cycle:7", "metropolis"},
                                  {"barbell:8", "laplacian"},
                                  {"star:5", "lazy-metropolis"},
                                  {"grid:3x3", "max-degree"}};

TEST(Identities, AugmentedLagrangianWithOneGradientStepIsExtra) {
  for (const auto& [graph, mixing] : four_networks)
    for (const LossKind loss : {LossKind::logistic, LossKind::ridge}) {
      const Topology topology = Topology::parse(graph, mixing);
      const Problem problem = make_problem({.loss = loss}, topology.agents());
      const double lambda_max = topology.spectrum().lambda_max;
      const double s = lambda_max < 2 ? 1 : 1 / lambda_max;
      const double alpha = (2 - s * lambda_max) / (2 * problem.constants.L);
      const Method al = with("al", {{"solver", "gd"},
                                    {"T", "1"},
                                    {"step", fmt::format("{}", alpha)},
                                    {"rho", fmt::format("{}", s / (2 * alpha))},
                                    {"eta", "rho"}});
      const auto one = record(problem, topology, al, 60),
                 two = record(problem, topology, method("extra"), 60);
      EXPECT_LT(difference(one.X, two.X, 61), 1e-12) << graph << ' ' << mixing;
    }
}

/// The primal-dual form of NIDS: V = X - alpha (g + D), D+ = D + (I - W_DS) V / (2 alpha), X+ = X - alpha (g
/// + D+).
TEST(Identities, NidsIsItsPrimalDualForm) {
  for (const auto& [graph, mixing] : four_networks) {
    const Topology topology = Topology::parse(graph, mixing);
    const Problem problem = make_problem({}, topology.agents());
    const Block W(topology.weights());
    const double lambda_max = topology.spectrum().lambda_max;
    const double s = lambda_max < 2 ? 1 : 1 / lambda_max, alpha = 1 / problem.constants.L;
    Block X = start_of(problem, topology), D = X;
    std::vector<Block> iterates{X};
    for (int k = 0; k < 60; ++k) {
      const Block G = gradient(problem, X);
      const Block V = X - alpha * (G + D);
      if (k > 0) D += s / (2 * alpha) * product(V, W);
      X -= alpha * (G + D);
      iterates.push_back(X);
    }
    EXPECT_LT(difference(record(problem, topology, method("nids"), 60).X, iterates, 61), 1e-12)
        << graph << ' ' << mixing;
  }
}

TEST(Identities, IdealWithoutPenaltyIsInexactSsda) {
  for (const auto& [graph, mixing] : four_networks) {
    const Topology topology = Topology::parse(graph, mixing);
    const Problem problem = make_problem({}, topology.agents());
    const auto ideal = record(problem, topology, with("ideal", {{"rho", "0"}, {"T", "12"}}), 600).outer();
    const auto ssda = record(problem, topology, with("ssda", {{"T", "12"}}), 600).outer();
    EXPECT_LT(difference(ideal, ssda, 50), 1e-11) << graph << ' ' << mixing;
  }
}

TEST(Identities, MidealWithoutPenaltyIsInexactMsda) {
  for (const auto& [graph, mixing] : four_networks) {
    const Topology topology = Topology::parse(graph, mixing);
    const Problem problem = make_problem({}, topology.agents());
    const auto mideal = record(problem, topology, with("mideal", {{"rho", "0"}, {"T", "12"}}), 600).outer();
    const auto msda = record(problem, topology, with("msda", {{"T", "12"}}), 600).outer();
    EXPECT_LT(difference(mideal, msda, 50), 1e-11) << graph << ' ' << mixing;
  }
}

TEST(Identities, ExactSubproblemsWithoutPenaltyAreExactDualAscent) {
  for (const auto& [graph, mixing] : all_or_first(four_networks))
    for (const LossKind loss : {LossKind::logistic, LossKind::ridge}) {
      const Topology topology = Topology::parse(graph, mixing);
      const Problem problem = make_problem({.loss = loss, .kappa = 20}, topology.agents());
      const std::size_t passes = 20 * 340;  // 20 outer iterations of T = 75 sqrt(20)
      const auto aal = record(problem, topology, with("aal", {{"rho", "0"}}), passes).outer();
      const auto ssda = record(problem, topology, with("ssda", {{"exact", "true"}}), 20).outer();
      EXPECT_LT(difference(aal, ssda, 20), 1e-11) << graph << ' ' << mixing;

      const auto exact =
          record(problem, topology, with("mideal", {{"rho", "0"}, {"solver", "exact"}}), passes).outer();
      const auto msda = record(problem, topology, with("msda", {{"exact", "true"}}), 20).outer();
      EXPECT_LT(difference(exact, msda, 20), 1e-11) << graph << ' ' << mixing;
    }
}

/// Algorithm 4 with dense matrices: duals live in the unscaled space, coupled by sqrt(W).
TEST(Identities, UnscaledAlgorithmWithSquareRootOfWIsAlgorithm2) {
  const Topology topology = Topology::parse("barbell:6", "laplacian");
  const Quadratics f(topology.agents(), 3, 40, 5);
  const Problem problem = f.problem();
  const auto aal = record(problem, topology, method("aal"), 20000).outer();

  const Block W(topology.weights());
  Eigenpairs pairs = symmetric_eigen(W);
  pairs.values = pairs.values.cwiseMax(0).cwiseSqrt();
  const Block root = compose(pairs);
  const auto [lambda_max, lambda_min] = topology.spectrum();
  const double L = problem.constants.L, mu = problem.constants.mu;
  const double rho = L / lambda_max;
  const double L_rho = lambda_max / (mu + rho * lambda_max), mu_rho = lambda_min / (L + rho * lambda_min);
  const double eta = 1 / L_rho;
  const double beta = (std::sqrt(L_rho) - std::sqrt(mu_rho)) / (std::sqrt(L_rho) + std::sqrt(mu_rho));

  Block Lambda = Block::Zero(3, topology.agents()), Omega = Lambda;
  std::vector<Block> unscaled;
  for (std::size_t k = 0; k < 15; ++k) {
    const Block X = f.minimise_augmented(product(Omega, root), rho, W);
    const Block Lambda_next = Omega + eta * product(X, root);
    Omega = Lambda_next + beta * (Lambda_next - Lambda);
    Lambda = Lambda_next;
    unscaled.push_back(X);
  }
  EXPECT_LT(difference(aal, unscaled, 15), 1e-10);
}

/// The implementation listing of the paper, corrected by its errata, with its T + 2 exchanges an outer
/// iteration.
std::vector<Block> published_ideal(const Problem& problem, const Topology& topology, Index T,
                                   int outer_iterations) {
  const Block W(topology.weights());
  const auto [lambda_max, lambda_min] = topology.spectrum();
  const double L = problem.constants.L, mu = problem.constants.mu;
  const double rho = L / lambda_max;
  const double kappa_in = (L + rho * lambda_max) / mu;
  const double kappa_rho = (L + rho * lambda_min) / (mu + rho * lambda_max) * lambda_max / lambda_min;
  const double beta_in = (std::sqrt(kappa_in) - 1) / (std::sqrt(kappa_in) + 1);
  const double beta_out = (std::sqrt(kappa_rho) - 1) / (std::sqrt(kappa_rho) + 1);
  const double step = 1 / (L + rho * lambda_max), eta = rho + mu / lambda_max;

  const Index d = problem.losses[0]->dimension(), n = topology.agents();
  Block x = Block::Zero(d, n), lambda = x, omega = x;
  std::vector<Block> ends;
  for (int k = 0; k < outer_iterations; ++k) {
    Block y = x, y_mixed = product(y, W);
    for (Index t = 0; t < T; ++t) {
      const Block x_next = y - step * (omega + gradient(problem, y) + rho * y_mixed);
      y = x_next + beta_in * (x_next - x);
      y_mixed = product(y, W);
      x = x_next;
    }
    const Block lambda_next = omega + eta * product(x, W);
    omega = lambda_next + beta_out * (lambda_next - lambda);
    lambda = lambda_next;
    ends.push_back(x);
  }
  return ends;
}

TEST(Identities, IdealWithHundredStepsIsThePublishedListing) {
  for (const auto& [graph, mixing] : four_networks) {
    const Topology topology = Topology::parse(graph, mixing);
    const Problem problem = make_problem({.kappa = 250}, topology.agents());
    const auto ours = record(problem, topology, with("ideal", {{"T", "100"}}), 1000);
    EXPECT_LT(difference(ours.outer(), published_ideal(problem, topology, 100, 10), 10), 1e-11)
        << graph << ' ' << mixing;
    EXPECT_EQ(ours.meter.back().communications, 999)
        << "T rounds suffice for T steps, and the last is to come";
  }
}

}  // namespace
}  // namespace ideal::test
