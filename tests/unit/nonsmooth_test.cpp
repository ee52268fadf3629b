// SPDX-License-Identifier: Apache-2.0
// The methods for losses with kinks, and which others refuse them.
#include "support/dense.hpp"
#include "support/losses.hpp"
#include "support/message.hpp"
#include "support/quadratics.hpp"
#include "support/recorder.hpp"
#include "support/sanitized.hpp"

#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace ideal::test {
namespace {

TEST(NonsmoothMethods, ApproachTheOptimumOnFiveGraphs) {
  for (const LossKind kind : all_or_first(kinds_with_kinks))
    for (const double l2 : {0.0, 0.01})
      for (const std::string& graph : all_or_first(five_graphs)) {
        const Topology topology = Topology::parse(graph, "laplacian");
        const Problem problem = problem_of({.kind = kind, .l2 = l2, .quantile = 0.3}, topology.agents());
        SolveOptions options;
        options.watch = {.computations = 4000, .every = 400};
        for (const char* name : {"mspd", "drs", "dual-averaging"}) {
          const Trace trace = simulate(problem, topology, method(name), options).trace;
          EXPECT_LT(trace.back().worst_suboptimality, 0.1 * trace.front().worst_suboptimality)
              << name << ' ' << graph << ' ' << to_string(kind) << ' ' << l2;
          EXPECT_LT(trace.back().worst_suboptimality, 0.7 * trace[1].worst_suboptimality)
              << name << ' ' << graph;
        }
      }
}

/// Those that minimise on their own, with losses that are strongly convex and no more.
TEST(LocalMinimisers, ApproachTheOptimumOfKinkedLossesOnFiveGraphs) {
  for (const LossKind kind : all_or_first(kinds_with_kinks))
    for (const std::string& graph : all_or_first(five_graphs)) {
      const Topology topology = Topology::parse(graph, "laplacian");
      const Problem problem = problem_of({.kind = kind, .l2 = 0.1, .quantile = 0.3}, topology.agents());
      for (const char* name : {"dual-fgm", "heavy-ball-ode", "spdstm"}) {
        const Trace trace = run_for(problem, topology, method(name), 40).trace;
        EXPECT_LT(trace.back().worst_suboptimality, 0.05 * trace.front().worst_suboptimality)
            << name << ' ' << graph << ' ' << to_string(kind);
      }
    }
}

/// Algorithm 2 with dense matrices, its steps and inner weights as published, for the sum of the losses; but
/// (1 + c)^2 in sigma for the (1 - c)^2 in print, which misses the condition on the two steps.
TEST(Mspd, IsThePublishedListing) {
  constexpr double R = 1.7, G = 3.1;
  constexpr int J = 2;
  for (const char* graph : {"barbell:8", "cycle:7"})
    for (const bool growing : {false, true}) {
      const Topology topology = Topology::parse(graph, "laplacian");
      const Index n = topology.agents(), d = 3;
      const Problem problem = Quadratics(n, d, 10, 4).problem();
      const Block Q = chebyshev_of(topology, J);
      const double root_gamma = 1 / std::sqrt(topology.spectrum().kappa());
      const double c = std::pow((1 - root_gamma) / (1 + root_gamma), J);
      const double eta = R / G * (1 - c) / (1 + c), sigma = (1 + c * c) / (eta * (1 + c) * (1 + c)),
                   in_print = (1 + c * c) / (eta * (1 - c) * (1 - c)),
                   largest = symmetric_eigenvalues(Q)[n - 1];
      EXPECT_LT(largest * sigma * eta, 1 + 1e-9);
      EXPECT_GT(largest * in_print * eta, 1.5);

      Block X = Block::Zero(d, n), X_prev = X, Lambda = X, sum = X;
      std::vector<Block> means;
      for (int k = 0; k < 12; ++k) {
        Lambda += sigma * product(2 * X - X_prev, Q);
        Block V = X;
        for (int m = 0; m < (growing ? k + 1 : 5); ++m)
          V = double(m) / (m + 2) * V - 2.0 / (m + 2) * (eta * gradient(problem, V) + eta * Lambda - X);
        X_prev = X;
        X = V;
        sum += X;
        means.push_back(sum / (k + 1));
      }
      Method m =
          with("mspd", {{"radius", fmt::format("{}", R)}, {"lipschitz", fmt::format("{}", G)}, {"J", "2"}});
      if (!growing) m.set("T", "5");
      EXPECT_LT(difference(record(problem, topology, m, growing ? 78 : 60).outer(), means, 12), 1e-11)
          << graph;
    }
}

/// <c, x>: displacements do not change its gradient.
class Linear final : public Loss {
 public:
  explicit Linear(Vector c) : c_(std::move(c)) {}
  Index dimension() const override { return c_.size(); }
  double value(VectorRef x) const override { return c_.dot(x); }
  void gradient(VectorRef, VectorOut g) const override { g = c_; }
  Curvature curvature() const override { return {.L = 1, .mu = 0}; }

 private:
  Vector c_;
};

/// Of linear losses, z_{t+1} = -eta_{t+1} (mean gradient)/alpha_t^2, because 1/alpha_0 + ... + 1/alpha_t =
/// 1/alpha_t^2.
TEST(Drs, OnLinearLossesStepsAsFarAsPublished) {
  constexpr double R = 0.9, G = 2.3;
  constexpr Index n = 5, d = 4;
  Problem problem{.losses = {}, .constants = {.L = 1, .mu = 0}, .reference = {}};
  Vector mean = Vector::Zero(d);
  for (Index i = 0; i < n; ++i) {
    const Vector c = Vector::LinSpaced(d, -1, static_cast<double>(i));
    problem.losses.push_back(std::make_shared<Linear>(c));
    mean += c / double{n};
  }
  const Method m =
      with("drs", {{"radius", fmt::format("{}", R)}, {"lipschitz", fmt::format("{}", G)}, {"K", "1"}});
  const auto recording = record(problem, Topology::parse("star:5", "laplacian"), m, 41);
  const double fourth_root = std::pow(double{d}, 0.25);
  double alpha = 1;
  for (std::size_t t = 0; t < 40; ++t) {
    const double next = (std::sqrt(alpha * alpha + 4) - alpha) * alpha / 2;  // next^2 = (1 - next) alpha^2
    const double eta = R * next / (2 * G * (fourth_root + std::sqrt(static_cast<double>(t + 2))));
    const Vector z = -eta / (alpha * alpha) * mean;
    const Block& ours = std::get<Block>(recording.states.at(t).state[1]);
    ASSERT_LT((ours.colwise() - z).norm(), 1e-12 * z.norm()) << t;
    alpha = next;
  }
}

TEST(Demands, LossesThatAreNotSmoothAreForFewMethods) {
  const Topology topology = Topology::parse("cycle:6", "laplacian");
  const Problem problem = problem_of({.kind = LossKind::hinge, .l2 = 0.1}, 6);
  for (const Method& m : methods()) {
    const std::string complaint = message([&] { run_for(problem, topology, m, 3); });
    const bool able = m.about().meets.has(Demand::nonsmooth);
    EXPECT_EQ(complaint == "no error", able) << m.about().name << ": " << complaint;
    if (able) continue;
    EXPECT_NE(complaint.find("mspd, drs"), std::string::npos) << complaint;
  }
}

/// |x - b| + |x|^2/20, of which nobody knows a smooth loss near it, nor how to minimise it tilted.
class Kink final : public Loss {
 public:
  explicit Kink(double b) : b_(b) {}
  Index dimension() const override { return 1; }
  double value(VectorRef x) const override { return std::abs(x[0] - b_) + x[0] * x[0] / 20; }
  void gradient(VectorRef x, VectorOut g) const override { g[0] = (x[0] > b_ ? 1 : -1) + x[0] / 10; }
  Curvature curvature() const override { return {.L = std::numeric_limits<double>::infinity(), .mu = 0.1}; }
  bool smooth() const override { return false; }

 private:
  double b_;
};

TEST(Demands, WithoutADualOracleLocalMinimisersAreRefused) {
  const Topology topology = Topology::parse("star:4", "laplacian");
  Problem problem{.losses = {}, .constants = {}, .reference = {}};
  for (const double b : {0.3, -1.0, 0.9, 0.1}) problem.losses.push_back(std::make_shared<Kink>(b));
  Threads threads;
  problem.constants = constants_of(problem.losses, {}, {}, threads);
  EXPECT_EQ(
      message([&] { run_for(problem, topology, method("heavy-ball-ode"), 3); }),
      "--method heavy-ball-ode: the losses have no exact dual oracle (its theory asks for: f_i strongly "
      "convex; local minimisers, exact ones where f_i is not smooth). One of: dual-averaging, mspd, drs.");
  for (const Method& m : methods()) {
    Method told = m;
    if (m.about().meets.has(Demand::nonsmooth) && m.about().meets.has(Demand::no_dual_oracle))
      told.set("radius", "1").set("lipschitz", "2");
    const std::string complaint = message([&] { run_for(problem, topology, told, 3); });
    EXPECT_EQ(complaint == "no error", m.about().meets.includes({Demand::nonsmooth, Demand::no_dual_oracle}))
        << complaint;
  }
}

}  // namespace
}  // namespace ideal::test
