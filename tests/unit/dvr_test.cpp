// SPDX-License-Identifier: Apache-2.0
// DVR, against its listing and what its theory says of rates and counts.
#include "support/dense.hpp"
#include "support/recorder.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

namespace ideal::test {
namespace {

constexpr std::size_t dvr_X = 1, dvr_Z = 2, dvr_Y = 3;  // positions in the kept state

/// sigma sum_i x_i = - sum_ij y_ij: with all points in one place that says that the gradient is zero.
TEST(Dvr, SumsOfPointsAndGradientsBelongTogether) {
  const Topology topology = Topology::parse("barbell:8", "laplacian");
  const Problem problem = make_problem({}, 8);
  const auto recording = record(problem, topology, with("dvr", {{"parts", "5"}}), 800);
  for (std::size_t p = 0; p < recording.states.size(); ++p) {  // state p is that of X[p + 1]
    const auto& state = recording.states[p].state;
    const Vector gradients = std::get<Block>(state[dvr_Y]).rowwise().sum().reshaped(7, 5).rowwise().sum();
    const Vector points = problem.constants.own_l2 * std::get<Block>(state[dvr_X]).rowwise().sum();
    ASSERT_LT((gradients + points).norm(), 1e-10 * gradients.norm() + 1e-12);
    const Block mean = std::get<Block>(state[dvr_Z]).reshaped(7, 5 * 8).eval();
    for (Index c = 0; c < 8; ++c)
      ASSERT_LT((mean.middleCols(5 * c, 5).rowwise().mean() - recording.X[p + 1].col(c)).norm(), 1e-11);
  }
}

/// The publication's list with dense matrices and its parameters, from the same draws.
TEST(Dvr, IsThePublishedListing) {
  constexpr Index n = 6, parts = 4;
  const Topology topology = Topology::parse("cycle:6", "laplacian");
  const Problem problem = make_problem({}, n);
  const auto recording = record(problem, topology, with("dvr", {{"parts", "4"}, {"J", "1"}}), 401);

  Meter meter;
  Threads threads;
  Objective F{problem.losses, {0, 1, 2, 3, 4, 5}, problem.constants, SolveOptions{}.seed, meter, threads};
  const auto [lambda_max, lambda_min] = topology.spectrum();
  const double sigma = F.own_l2(), m = parts, smoothness = (F.part_L(parts) - sigma) / m;
  const double alpha = 2 * lambda_min / (2 * F.L() - sigma);
  const double p = lambda_max / (lambda_max + sigma * alpha * (m + m * smoothness / sigma));
  const double communicating = p / (lambda_max / sigma),
               computing = (1 - p) / m / (alpha * (1 + smoothness / sigma));
  EXPECT_NEAR(communicating / computing, 1, 1e-12) << "p makes neither limit the step alone";
  const double eta = std::min(communicating, computing);

  std::vector<Block> z(parts, Block::Zero(7, n)), y = z;
  Block X = Block::Zero(7, n);
  const auto gradient = [&](const Block& points, const std::vector<Index>& which) -> Block {
    return (F.part_gradient(points, parts, which) - sigma * points) / m;
  };
  for (Index j = 0; j < parts; ++j) {
    y[static_cast<std::size_t>(j)] = gradient(z[0], std::vector<Index>(n, j));
    X -= y[static_cast<std::size_t>(j)] / sigma;
  }
  std::vector<Index> drawn(n);
  for (Index k = 1; k < 400; ++k) {
    if (F.common_draw(k) < p) {
      X -= eta / (p * sigma) * product(X, Block(topology.weights()));
    } else {
      F.draw_parts(parts, k, drawn);
      const double q = alpha * eta / ((1 - p) / m);
      Block points(7, n);
      for (Index i = 0; i < n; ++i)
        points.col(i) =
            (1 - q) * z[static_cast<std::size_t>(drawn[static_cast<std::size_t>(i)])].col(i) + q * X.col(i);
      const Block G = gradient(points, drawn);
      for (Index i = 0; i < n; ++i) {
        const auto j = static_cast<std::size_t>(drawn[static_cast<std::size_t>(i)]);
        X.col(i) -= (G.col(i) - y[j].col(i)) / sigma;
        z[j].col(i) = points.col(i);
        y[j].col(i) = G.col(i);
      }
    }
    const Block& ours = std::get<Block>(recording.states.at(static_cast<std::size_t>(k)).state[dvr_X]);
    ASSERT_LT((ours - X).norm(), 1e-10 * (1 + X.norm())) << k;
  }
  EXPECT_LT(((z[0] + z[1] + z[2] + z[3]) / m - recording.X[400]).norm(), 1e-11);
}

/// |X - X*|^2 falls on average at least as fast as (1 - alpha eta/2)^k.
TEST(Dvr, KeepsItsRate) {
  for (const char* graph : {"cycle:6", "star:5"}) {
    const Topology topology = Topology::parse(graph, "laplacian");
    const Problem problem = make_problem({.loss = LossKind::ridge, .kappa = 20}, topology.agents());
    const auto recording = record(problem, topology, with("dvr", {{"parts", "10"}}), 12000);
    const Result told = run_for(problem, topology, with("dvr", {{"parts", "10"}}), 1);
    const auto number = [&](const char* name) { return std::get<double>(told.parameters.at(name)); };
    const double rate = 1 - number("alpha") * number("eta") / 2;
    const auto distance = [&](std::size_t p) {
      return squared_distance(std::get<Block>(recording.states[p].state[dvr_X]), problem.reference->x);
    };
    const double early = distance(2000), late = distance(10000);
    EXPECT_LT(late, 10 * early * std::pow(rate, 8000) + 1e-22) << graph;
    EXPECT_GT(late, early * std::pow(rate, 20 * 8000)) << "the theory is not far off, " << graph;
  }
}

/// As often as its probability says, agents talk.
TEST(Dvr, TalksAsOftenAsToldTo) {
  const Topology topology = Topology::parse("cycle:6", "laplacian");
  const Problem problem = make_problem({}, 6);
  const auto recording =
      record(problem, topology, with("dvr", {{"p", "0.3"}, {"J", "2"}, {"parts", "10"}}), 4001);
  const Meter& spent = recording.meter.back();
  const auto rounds = static_cast<double>(spent.communications) / 2;
  EXPECT_NEAR(rounds / 4000, 0.3, 0.03);
  EXPECT_NEAR(spent.computations, 1 + (4000 - rounds) / 10, 1e-6)
      << "a part is a tenth; the start is a whole one";
}

}  // namespace
}  // namespace ideal::test
