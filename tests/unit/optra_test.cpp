// SPDX-License-Identifier: Apache-2.0
#include "support/dense.hpp"
#include "support/quadratics.hpp"
#include "support/recorder.hpp"

#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace ideal::test {
namespace {

/// Losses (1/2) <u_i, x - p_i>^2, flat in all directions but one; together they determine x.
Problem needles(Index agents) {
  Problem problem{.losses = {}, .constants = {.L = 1, .mu = 0}, .reference = {}};
  for (Index i = 0; i < agents; ++i) {
    const double angle = 0.7 * static_cast<double>(i);
    const Vector u{{std::cos(angle), std::sin(angle)}}, p{{1 + std::cos(3 * angle), angle / 5}};
    const Block H = u * u.transpose();
    problem.losses.push_back(std::make_shared<Quadratic>(H, H * p));
  }
  return problem;
}

const Quadratic& quadratic(const Problem& problem, Index i) {
  return dynamic_cast<const Quadratic&>(*problem.losses[static_cast<std::size_t>(i)]);
}

Vector minimiser(const Problem& problem) {
  Block H = Block::Zero(2, 2);
  Vector h = Vector::Zero(2);
  for (Index i = 0; i < std::ssize(problem.losses); ++i) {
    H += quadratic(problem, i).H();
    h += quadratic(problem, i).h();
  }
  return solve_symmetric(H, h);
}

/// The listing with dense matrices and the publication's own sequences, with W/lambda_max for Q(W): J = 1. On
/// a complete graph one step would agree, and its dual variables would be zero.
TEST(Optra, IsThePublishedListing) {
  constexpr Index n = 7;
  const Topology topology = Topology::parse("cycle:7", "laplacian");
  const Problem problem = make_problem({}, n);
  const Block Q = Block(topology.weights()) / topology.spectrum().lambda_max;
  const double nu = 3, L = problem.constants.L, T = 40, gamma = nu / (nu * L + T + 1),
               tau = 1 / (nu * (T + 1));
  Block X = Block::Zero(problem.losses[0]->dimension(), n), U = X, Y = X, ahead = tau * product(X, Q);
  std::vector<Block> answers{U};
  double theta = 1;
  for (int k = 0; k < 40; ++k) {
    const double next = (std::sqrt(std::pow(theta, 4) + 4 * theta * theta) - theta * theta) / 2;
    const Block Z = X - gamma * (gradient(problem, X) + ahead), U_next = Z - product(Z, Q);
    X = U_next + (next / theta - next) * (U_next - U);
    const Block extrapolated = X / next + (1 - 1 / next) * U_next;
    const Block Y_next = Y + tau / theta * product(extrapolated, Q);
    ahead = Y_next + theta / next * (Y_next - Y);
    U = U_next;
    Y = Y_next;
    theta = next;
    answers.push_back(U);
  }
  const Method m = with("optra", {{"nu", "3"}, {"horizon", "40"}, {"doubles", "false"}, {"J", "1"}});
  EXPECT_LT(difference(record(problem, topology, m, 40).X, answers, 41), 1e-11);
  EXPECT_GT(Y.norm(), 1e-3 * X.norm());
}

/// Bregman distance <= 2 L R/N^2 + (2 R/nu + 2 nu G lambda_max/lambda_min)/N.
TEST(Optra, KeepsItsBoundOnLossesThatAreNotStronglyConvex) {
  for (const char* graph : {"cycle:8", "barbell:8", "star:6"})
    for (const double nu : {0.2, 1.0, 5.0}) {
      const Topology topology = Topology::parse(graph, "laplacian");
      const Index n = topology.agents();
      const Problem problem = needles(n);
      const Vector best = minimiser(problem);
      double gradients = 0;
      for (const auto& loss : problem.losses) {
        Vector g(2);
        loss->gradient(best, g);
        gradients += g.squaredNorm();
      }
      // Bounds on the spectrum of Q(W), at most 4 apart.
      const double kappa = topology.spectrum().kappa(), c2 = (kappa + 1) / (kappa - 1);
      const double J = std::floor(std::sqrt(kappa) + 1e-9), ripple = 1 / std::cosh(J * std::acosh(c2));
      const double R = static_cast<double>(n) * best.squaredNorm();
      for (const int N : {10, 40, 160}) {
        const Method m = with(
            "optra", {{"horizon", std::to_string(N)}, {"doubles", "false"}, {"nu", fmt::format("{}", nu)}});
        const Block U = record(problem, topology, m, static_cast<std::size_t>(N)).X.back();
        double bregman = 0;  // of quadratics: (1/2) <u - x*, H_i (u - x*)>
        for (Index i = 0; i < n; ++i) {
          const Vector d = U.col(i) - best;
          bregman += d.dot(quadratic(problem, i).H() * d) / 2;
        }
        EXPECT_LE(bregman,
                  2 * R / (N * N) + (2 * R / nu + 2 * nu * gradients * (1 + ripple) / (1 - ripple)) / N)
            << graph << ' ' << N << ' ' << nu;
      }
    }
}

TEST(Optra, FindsTheOptimumOfLossesThatAreNotStronglyConvex) {
  const Topology topology = Topology::parse("barbell:8", "laplacian");
  const Problem problem = needles(8);
  const auto U = record(problem, topology, method("optra"), 4000).X;
  const auto error = [&](std::size_t k) { return (U[k].colwise() - minimiser(problem)).norm(); };
  EXPECT_GT(error(0), 1);
  EXPECT_LT(error(4000), 1e-3);
}

TEST(Optra, DualVariablesSumToZero) {
  const Topology topology = Topology::parse("grid:3x3", "laplacian");
  const auto recording = record(make_problem({}, 9), topology, method("optra"), 500);
  for (const Checkpoint& state : recording.states)
    ASSERT_LT(relative_column_sum(std::get<Block>(state.state[3])), 1e-12);
}

}  // namespace
}  // namespace ideal::test
