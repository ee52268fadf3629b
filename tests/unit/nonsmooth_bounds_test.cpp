// SPDX-License-Identifier: Apache-2.0
// What the methods for losses with kinks promise: their published bounds, and the radius these are made of.
#include "support/losses.hpp"
#include "support/message.hpp"
#include "support/sanitized.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace ideal::test {
namespace {

/// How far the optimum really is, and how steep the losses are: what theorems ask for.
struct Extremes {
  explicit Extremes(const Problem& problem) : R(problem.reference->x.norm()) {
    for (const auto& f : problem.losses) G = std::max(G, f->lipschitz());
  }
  [[nodiscard]] Method told_to(std::string_view name) const {
    return with(name, {{"radius", fmt::format("{}", R)}, {"lipschitz", fmt::format("{}", G)}});
  }
  double R, G = 0;
};

/// Of the mean loss, at the agents' mean and at the worst agent.
struct MeanGaps {
  double of_mean, of_worst, at_first;
};
MeanGaps mean_gaps(const Problem& problem, const Topology& topology, const Method& m, double computations) {
  SolveOptions options;
  options.watch = {.computations = computations, .every = 0};
  const Trace trace = simulate(problem, topology, m, options).trace;
  const auto n = static_cast<double>(topology.agents());
  return {trace.back().suboptimality / n, trace.back().worst_suboptimality / n,
          trace.front().suboptimality / n};
}

/// The optimum is no further than they take it to be, whatever the loss and wherever they start.
TEST(Radius, BoundsHowFarTheOptimumIs) {
  const Topology topology = Topology::parse("cycle:6", "laplacian");
  for (const LossKind kind :
       {LossKind::hinge, LossKind::quantile, LossKind::huber, LossKind::logistic, LossKind::ridge})
    for (const double l2 : {1e-3, 0.1, 3.0})
      for (const double from : {0.0, 5.0})
        for (const char* name : {"mspd", "drs"}) {
          const Problem problem = problem_of({.kind = kind, .l2 = l2, .quantile = 0.3}, 6);
          SolveOptions options;
          options.start = from * some_point(8);
          options.watch = {.computations = 3};
          const Result result = simulate(problem, topology, method(name), options);
          const double R = std::get<double>(result.parameters.at("radius"));
          EXPECT_GE(R, (problem.reference->x - options.start).norm()) << name << ' ' << to_string(kind);
          EXPECT_TRUE(result.notes.empty()) << "known, not guessed";
          if (kind != LossKind::hinge || from > 0) continue;
          double G = 0;
          for (const auto& f : problem.losses) G = std::max(G, f->lipschitz());
          EXPECT_NEAR(R, std::min(1 / std::sqrt(l2), G / l2), 1e-12 * R) << "all margins are one at zero";
          EXPECT_NEAR(std::get<double>(result.parameters.at("lipschitz")), G + l2 * R, 1e-12 * G);
        }
}

TEST(Radius, IsAGuessWithoutStrongConvexityAndTheRunSaysSo) {
  const Topology topology = Topology::parse("cycle:6", "laplacian");
  const Problem problem = problem_of({.kind = LossKind::hinge, .l2 = 0}, 6);
  for (const char* name : {"mspd", "drs", "dual-averaging"}) {
    const Result guessed = run_for(problem, topology, method(name), 3),
                 told = run_for(problem, topology, with(name, {{"radius", "7"}}), 3);
    ASSERT_EQ(guessed.notes.size(), 1u) << name;
    EXPECT_NE(guessed.notes[0].find("a guess"), std::string::npos) << guessed.notes[0];
    EXPECT_TRUE(told.notes.empty()) << name;
  }
}

/// R takes a value of every loss, G none where they know it and a gradient where they do not; each is
/// flooded.
TEST(Radius, IsFoundOnceAndPaidFor) {
  const Topology topology = Topology::parse("cycle:8", "laplacian");
  const Index diameter = 4;
  const struct {
    LossOptions losses;
    double computations;
    Index floods;
  } cases[] = {{{.kind = LossKind::hinge, .l2 = 0.1}, 1, 1},
               {{.kind = LossKind::hinge, .l2 = 0}, 0, 1},
               {{.kind = LossKind::ridge, .l2 = 0.1}, 2, 2}};
  for (const auto& [losses, computations, floods] : cases) {
    const Problem problem = problem_of(losses, 8);
    for (const char* name : {"mspd", "drs", "dual-averaging"}) {
      const bool by_theory = name != std::string("dual-averaging") || losses.kind == LossKind::hinge;
      const Meter found = run_for(problem, topology, method(name), 3).trace.front().meter;
      EXPECT_EQ(found.computations, by_theory ? computations : 0) << name << ' ' << to_string(losses.kind);
      EXPECT_EQ(found.communications, by_theory ? floods * diameter : 0) << name;
      const Method told = with(name, {{"radius", "1"}, {"lipschitz", "2"}});
      EXPECT_EQ(run_for(problem, topology, told, 3).trace.front().meter, Meter{}) << name;
    }
  }
}

/// T iterations of T subgradients leave 4 R G/T of the mean loss at the mean of agents and iterations.
TEST(Mspd, KeepsItsPublishedBound) {
  for (const LossKind kind : all_or_first(kinds_with_kinks))
    for (const char* graph : {"cycle:8", "barbell:6", "star:5"}) {
      const Topology topology = Topology::parse(graph, "laplacian");
      const Problem problem = problem_of({.kind = kind, .l2 = 0, .quantile = 0.3}, topology.agents());
      const Extremes known(problem);
      for (const int T : {5, 15, 45}) {
        const MeanGaps gaps =
            mean_gaps(problem, topology, known.told_to("mspd").set("T", std::to_string(T)), double(T) * T);
        EXPECT_LT(gaps.of_mean, 4 * known.R * known.G / T) << graph << ' ' << to_string(kind) << ' ' << T;
        if (T == 45) {
          EXPECT_LT(4 * known.R * known.G / T, gaps.at_first) << "so that it says something";
        }
      }
    }
}

/// T iterations of T/(4 sqrt(d)) subgradients leave 20 R G d^(1/4)/T on average.
TEST(Drs, KeepsItsPublishedBound) {
  for (const LossKind kind : all_or_first(kinds_with_kinks))
    for (const char* graph : {"cycle:8", "star:5"}) {
      const Topology topology = Topology::parse(graph, "laplacian");
      const Problem problem = problem_of({.kind = kind, .l2 = 0, .quantile = 0.3}, topology.agents());
      const Extremes known(problem);
      for (const int T : {60, 240}) {
        const int K = static_cast<int>(std::ceil(T / (4 * std::sqrt(7.0))));
        const MeanGaps gaps =
            mean_gaps(problem, topology, known.told_to("drs").set("K", std::to_string(K)), double(T) * K);
        const double bound = 20 * known.R * known.G * std::pow(7, 0.25) / T;
        EXPECT_LT(gaps.of_worst, bound) << graph << ' ' << to_string(kind) << ' ' << T;
        if (T == 240) {
          EXPECT_LT(bound, gaps.at_first) << "so that it says something";
        }
      }
    }
}

/// T iterations with the step R sqrt(1 - sigma)/(4 G sqrt(k)) leave at most 8 R G log(T sqrt(n))/sqrt(T (1 -
/// sigma)) at every agent; and far less where losses are not made to be hard.
TEST(DualAveraging, KeepsItsPublishedBoundWithoutSmoothness) {
  for (const LossKind kind : all_or_first(kinds_with_kinks))
    for (const char* graph : {"complete:6", "cycle:6", "star:5"}) {
      const Topology topology = Topology::parse(graph, "metropolis");
      const Problem problem = problem_of({.kind = kind, .l2 = 0, .quantile = 0.3}, topology.agents());
      const Extremes known(problem);
      const double gap = topology.spectrum().lambda_min, n = static_cast<double>(topology.agents());
      for (const double T : {100.0, 4000.0}) {
        const MeanGaps gaps = mean_gaps(problem, topology, known.told_to("dual-averaging"), T);
        const double bound =
            8 * known.R * known.G * std::log(T * std::sqrt(n)) / std::sqrt(T * std::min(1.0, gap));
        EXPECT_LT(gaps.of_worst, bound / 4) << graph << ' ' << to_string(kind) << ' ' << T;
        if (T > 1000) {
          EXPECT_LT(gaps.of_worst, 0.15 * gaps.at_first) << graph << ' ' << to_string(kind);
        }
      }
    }
}

TEST(DualAveraging, AStepIsTheUsersOrMadeOfItsParts) {
  EXPECT_EQ(message([] {
              with("dual-averaging", {{"step", "1"}, {"radius", "2"}}).check();
            }),
            "--set radius: given with step (it is what the default step is made of). Leave one of the two "
            "out.");
  const Topology topology = Topology::parse("cycle:6", "metropolis");
  const Problem problem = problem_of({.kind = LossKind::huber, .l2 = 0.1}, 6);
  const Result result =
      run_for(problem, topology, with("dual-averaging", {{"radius", "2"}, {"lipschitz", "3"}}), 3);
  const double sigma = 1 - topology.spectrum().lambda_min;
  EXPECT_NEAR(std::get<double>(result.parameters.at("step")), 2 * std::sqrt(1 - sigma) / (4 * 3), 1e-12);
}

/// Without l2 the radius is 10/G for the G that was told; with it, no subgradient longer than G lets the
/// optimum be further than G/l2 from 0.
TEST(DualAveraging, MakesARadiusOfTheLipschitzConstantItWasTold) {
  const Topology topology = Topology::parse("cycle:6", "metropolis");
  const double sigma = 1 - topology.spectrum().lambda_min;
  for (const LossKind kind : {LossKind::hinge, LossKind::huber})
    for (const double l2 : {0.0, 0.1}) {
      const Problem problem = problem_of({.kind = kind, .l2 = l2}, 6);
      const double G = 0.01, R = l2 > 0 ? G / l2 : 10 / G;
      const Result result = run_for(problem, topology, with("dual-averaging", {{"lipschitz", "0.01"}}), 3);
      EXPECT_NEAR(std::get<double>(result.parameters.at("step")), R * std::sqrt(1 - sigma) / (4 * G), 1e-9)
          << to_string(kind) << ' ' << l2;
      for (const char* name : {"mspd", "drs"})
        EXPECT_NEAR(
            std::get<double>(
                run_for(problem, topology, with(name, {{"lipschitz", "0.01"}}), 3).parameters.at("radius")),
            R, 1e-12 * R)
            << name;
    }
}

/// (R G / eps)^2 computations: a hundred times as many buy a tenth of the gap.
TEST(Mspd, FollowsItsLaw) {
  const Topology topology = Topology::parse("cycle:6", "laplacian");
  const Problem problem = problem_of({.kind = LossKind::hinge, .l2 = 0}, 6);
  SolveOptions options;
  options.watch.every = 0;
  const auto gap_after = [&](double computations) {
    options.watch.computations = computations;
    return simulate(problem, topology, method("mspd"), options).trace.back().worst_suboptimality;
  };
  const double early = gap_after(300), late = gap_after(30000);
  EXPECT_LT(late, early / 5);
}

}  // namespace
}  // namespace ideal::test
