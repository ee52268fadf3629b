// SPDX-License-Identifier: Apache-2.0
// The heavy ball as a differential equation, against the classical Runge-Kutta step.
#include "support/dense.hpp"
#include "support/quadratics.hpp"
#include "support/recorder.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

namespace ideal::test {
namespace {

/// Runge and Kutta's classical step, written for the whole state at once.
TEST(HeavyBallOde, IsTheClassicalRungeKuttaMethod) {
  for (const auto& [graph, mixing] : three_networks)
    for (const bool fades : {false, true}) {
      const Topology topology = Topology::parse(graph, mixing);
      const Index n = topology.agents(), d = 3;
      const Block W(topology.weights());
      const Quadratics f(n, d, 20, 8);
      const Problem problem = f.problem();
      const auto [lambda_max, lambda_min] = topology.spectrum();
      const double unit = std::sqrt(problem.constants.mu / lambda_max), h = 0.7 * unit,
                   constant = 2 * std::sqrt(lambda_min / problem.constants.L);
      const auto theta = [&](const Block& state) { return f.minimise_augmented(state.topRows(d), 0, W); };
      const auto motion = [&](const Block& state, double t) {
        Block change(2 * d, n);
        change << state.bottomRows(d),
            (fades ? 4 : 1) * product(theta(state), W) - (fades ? 5 / t : constant) * state.bottomRows(d);
        return change;
      };
      Block state = Block::Zero(2 * d, n);
      std::vector<Block> answers;
      for (int k = 0; k < 20; ++k) {
        const double t = 5 * unit + k * h;
        const Block a = motion(state, t), b = motion(state + h / 2 * a, t + h / 2),
                    c = motion(state + h / 2 * b, t + h / 2), e = motion(state + h * c, t + h);
        answers.push_back(theta(state + h * c));
        state += h / 6 * (a + 2 * b + 2 * c + e);
      }
      const Method m =
          with("heavy-ball-ode",
               {{"exact", "true"}, {"step", text(h)}, {"friction", fades ? "fading" : "constant"}});
      EXPECT_LT(difference(record(problem, topology, m, 80).outer(), answers, 20), 1e-9) << graph;
    }
}

/// Critically damped: the slowest part of the error falls by e^(-2/sqrt(kappa_f kappa_W)) a step of four dual
/// gradients, times a number that grows like the steps.
TEST(HeavyBallOde, KeepsItsRateOnQuadratics) {
  for (const auto& [graph, mixing] : three_networks) {
    const Topology topology = Topology::parse(graph, mixing);
    const Quadratics f(topology.agents(), 3, 20, 8);
    const Problem problem = f.problem();
    const auto X = record(problem, topology, with("heavy-ball-ode", {{"exact", "true"}}), 4 * 600).outer();
    const double rate = 2 / std::sqrt(problem.constants.kappa() * topology.spectrum().kappa());
    const auto error = [&](std::size_t k) { return (X[k].colwise() - f.minimiser()).norm(); };
    const double start = error(0) * (1 + rate);
    for (std::size_t k = 5; k < X.size() && error(k) > 1e-10 * start; k += 5) {
      const double t = rate * static_cast<double>(k);
      ASSERT_LT(error(k), 10 * start * (1 + t) * std::exp(-0.97 * t)) << graph << ' ' << k;
    }
    EXPECT_LT(error(X.size() - 1), 1e-6 * start) << graph << ": so that it says something";
  }
}

/// The dual gap, and with it mu |X - X*|^2/2, falls at least as fast as N^(-2 * 4/5).
TEST(HeavyBallOde, WithFadingFrictionNeedsNoSmoothness) {
  const Topology topology = Topology::parse("barbell:6", "laplacian");
  const Quadratics f(6, 3, 100, 7);
  const auto X =
      record(f.problem(), topology, with("heavy-ball-ode", {{"exact", "true"}, {"friction", "fading"}}), 8001)
          .X;
  const auto largest = [&](std::size_t from, std::size_t to) {
    double most = 0;
    for (std::size_t k = from; k < to; ++k)
      most = std::max(most, (X[k].colwise() - f.minimiser()).squaredNorm());
    return most;
  };
  EXPECT_LT(largest(7000, 8000), largest(700, 800) / std::pow(10, 1.6));
}

}  // namespace
}  // namespace ideal::test
