// SPDX-License-Identifier: Apache-2.0
// The single loop's iteration, against the recurrences that it is.
#include "method/single_loop_tuning.hpp"
#include "support/quadratics.hpp"
#include "support/recorder.hpp"

#include <Eigen/LU>
#include <gtest/gtest.h>

namespace ideal::test {
namespace {

/// The page's claim: for c <= 1 it is IDEAL with M' = M (I - c M / lambda)^-1, rho = c L / lambda, the inner
/// problem treated by one step of FISTA with the penalty implicit.
TEST(Ideal1, IsOneFistaStepOnTheAugmentedLagrangian) {
  const Topology topology = Topology::parse("cycle:6", "metropolis");
  const Quadratics quadratics(6, 5, 20, 3);
  const Problem problem = quadratics.problem();
  const double c = 0.9, eta = 0.1, b = 0.5, L = problem.constants.L;
  const auto recorded = record(problem, topology,
                               with("ideal1", {{"J", "1"},
                                               {"momentum", "0.5"},
                                               {"penalty", "0.9"},
                                               {"eta", "0.1"},
                                               {"follow", "false"},
                                               {"guard", "false"}}),
                               60);

  const Spectrum W = topology.spectrum();
  const Block M = Block(topology.weights()) * 2 / (W.lambda_max + W.lambda_min);
  const double lambda = 2 * W.lambda_max / (W.lambda_max + W.lambda_min);
  const Block I = Block::Identity(6, 6), M_prime = M * (I - c / lambda * M).inverse();
  const Block prox = (I + c / lambda * M_prime).inverse();  // of (rho/2)<X, M'X> with step 1/L
  Block X = Block::Zero(5, 6), X_prev = X, Omega = X;
  for (std::size_t k = 0; k < recorded.X.size(); ++k) {
    EXPECT_LT((recorded.X[k] - X).norm(), 1e-11 * (1 + X.norm())) << k;
    const Block Y = X + b * (X - X_prev);
    X_prev = X;
    X = (Y - (gradient(problem, Y) + Omega) / L) * prox;
    Omega += eta * L / lambda * X * M_prime;
  }
}

/// Li, Shi and Yan's recurrence, which its last resort rests on.
TEST(Ideal1, IsNidsWithoutMomentumAndWithHalfThePenaltyAndDualStep) {
  const Topology topology = Topology::parse("cycle:6", "laplacian");
  const Quadratics quadratics(6, 5, 20, 3);
  const Problem problem = quadratics.problem();
  const Tuning nids = nids_tuning(20, 4);
  const auto recorded = record(problem, topology,
                               with("ideal1", {{"J", "1"},
                                               {"momentum", std::to_string(nids.momentum)},
                                               {"penalty", std::to_string(nids.penalty)},
                                               {"eta", std::to_string(nids.dual_step)},
                                               {"follow", "false"},
                                               {"guard", "false"}}),
                               60);
  const double alpha = 1 / problem.constants.L, s = 1 / topology.spectrum().lambda_max;
  const Block averaging = Block::Identity(6, 6) - s / 2 * Block(topology.weights());
  for (std::size_t k = 1; k + 1 < recorded.X.size(); ++k) {
    const Block &before = recorded.X[k - 1], &X = recorded.X[k];
    const Block expected =
        (2 * X - before - alpha * (gradient(problem, X) - gradient(problem, before))) * averaging;
    EXPECT_LT((recorded.X[k + 1] - expected).norm(), 1e-12 * (1 + X.norm())) << k;
  }
}

TEST(Ideal1, DualsAddUpToNothing) {
  const Topology topology = Topology::parse("barbell:8", "laplacian");
  const Problem problem = make_problem({.kappa = 500}, 8);
  SolveOptions options;
  options.watch = {.computations = 300, .every = 0};
  const Result result = simulate(problem, topology, method("ideal1"), options);
  const Block& Omega = std::get<Block>(result.checkpoint.state[2]);
  EXPECT_GT(Omega.norm(), 1e-3);
  EXPECT_LT(Omega.rowwise().sum().norm(), 1e-10 * Omega.norm());
}

/// Squares are as steep everywhere: after the first look no gradient is spent on others.
TEST(Ideal1, LooksOnceAtACurvatureThatIsConstant) {
  const Topology topology = Topology::parse("cycle:6", "laplacian");
  for (const auto& [loss, looks] : {std::pair{LossKind::ridge, 1.0}, {LossKind::logistic, 8.0}}) {
    const Result result =
        run_for(make_problem({.loss = loss, .kappa = 60}, 6), topology, method("auto"), 200);
    const double set_up = 3, iterations = static_cast<double>(result.trace.back().iteration);
    EXPECT_EQ(result.trace.back().meter.computations - iterations - set_up, looks) << to_string(loss);
  }
}

}  // namespace
}  // namespace ideal::test
