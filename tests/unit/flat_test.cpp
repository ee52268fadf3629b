// SPDX-License-Identifier: Apache-2.0
// Where curvature is flat: optima, classes of losses, and the guard without strong convexity.
#include "support/losses.hpp"
#include "support/message.hpp"

#include <array>
#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace ideal::test {
namespace {

/// Targets far beyond delta: at zero the Hessian is zero, and says nothing of where the optimum is.
TEST(Flat, TheOptimumIsFoundWithoutCurvatureAtTheStart) {
  std::vector<Index> offsets;
  Dataset data = *make_data({.loss = LossKind::huber}, 4, offsets);
  data.labels.array() = 1000 + data.labels.array();
  const auto shared = std::make_shared<const Dataset>(std::move(data));
  std::vector<std::shared_ptr<const Loss>> losses;
  for (const auto& own : store_rows(shared, offsets))
    losses.push_back(make_loss(own, {.kind = LossKind::huber, .l2 = 0}));
  Threads threads;
  Problem problem{.losses = losses, .constants = constants_of(losses, {}, {}, threads)};
  problem.reference = solve_reference(losses, threads);
  const Topology topology = Topology::parse("cycle:4", "laplacian");
  const Result result = run_for(problem, topology, method("nids"), 3000);
  EXPECT_GT(result.trace.front().worst_suboptimality, 1);
  EXPECT_GT(result.trace.back().suboptimality, -1e-9 * problem.reference->value);
}

TEST(Flat, AutoTakesTheLossesWordWhereCurvatureJumps) {
  for (const LossKind kind : {LossKind::hinge, LossKind::quantile, LossKind::huber}) {
    const Problem problem = problem_of({.kind = kind, .l2 = 1e-2, .smoothing = 0.05}, 8);
    const Topology topology = Topology::parse("cycle:8", "laplacian");
    for (const char* name : {"auto", "ideal1"}) {
      SolveOptions options;
      options.watch = {.tol = 1e-8, .computations = 5000, .every = 10};
      EXPECT_EQ(simulate(problem, topology, method(name), options).status, Status::converged)
          << name << ' ' << to_string(kind);
    }
  }
}

TEST(Flat, ClassesThatLossesContradictAreRefused) {
  const Problem flat = problem_of({.kind = LossKind::huber, .l2 = 0}, 4);
  const Topology topology = Topology::parse("cycle:4", "laplacian");
  if (flat.constants.mu == 0) {
    EXPECT_THROW(run_for(flat, topology, with("dual-fgm", {{"class", "1"}, {"exact", "true"}}), 3),
                 InputError);
  }
  const Problem kinked = problem_of({.kind = LossKind::hinge, .l2 = 0.1}, 4);
  EXPECT_THROW(run_for(kinked, topology, with("dual-fgm", {{"class", "1"}}), 3), InputError);
  EXPECT_EQ(
      message([&] {
        run_for(kinked, topology, with("dual-fgm", {{"exact", "false"}}), 3);
      }),
      "--set exact=false: the losses are not smooth (local steps are 1/L long). Leave it out, or give a "
      "positive --smoothing.");
  EXPECT_EQ(message([&] {
              run_for(kinked, topology, with("heavy-ball-ode", {{"friction", "constant"}}), 3);
            }),
            "--set friction=constant: the losses are not smooth (it is made of the losses' smoothness). Use "
            "friction=fading.");
  const Result result = run_for(kinked, topology, method("dual-fgm"), 60);
  EXPECT_LT(result.trace.back().worst_suboptimality, 0.2 * result.trace.front().worst_suboptimality);
  for (const auto& [key, value, rule] :
       {std::array{"exact", "false", "local steps are 1/L long"},
        std::array{"strong", "true", "it is made of the losses' smoothness"}})
    EXPECT_EQ(message([&] {
                run_for(kinked, topology, with("spdstm", {{key, value}}), 3);
              }),
              fmt::format("--set {}={}: the losses are not smooth ({}). Leave it out, or give a positive "
                          "--smoothing.",
                          key, value, rule));
  const Result rolled = run_for(kinked, topology, method("heavy-ball-ode"), 400);
  EXPECT_LT(rolled.trace.back().worst_suboptimality, 0.02 * rolled.trace.front().worst_suboptimality);
}

/// The mean of (0.1, 0.1, 0.1) is above 0.1.
TEST(Boxes, TheMeanOfAgentsAtABoundIsInTheBox) {
  const Problem problem = problem_of({.kind = LossKind::ridge, .l2 = 1e-2}, 3, {.low = -0.1, .high = 0.1});
  const Topology topology = Topology::parse("cycle:3", "laplacian");
  const Result result = run_for(problem, topology, method("nids"), 50);
  for (const TraceRow& row : result.trace) ASSERT_TRUE(std::isfinite(row.suboptimality));
}

/// Without strong convexity a run that goes astray is noticed as soon as with it.
TEST(Flat, TheGuardWatchesAlsoWithoutStrongConvexity) {
  const Topology topology = Topology::parse("cycle:4", "laplacian");
  const Problem ridge = problem_of({.kind = LossKind::ridge, .l2 = 0}, 4);
  for (double mu : {0.0, ridge.constants.mu}) {
    Problem told = ridge;
    told.constants.mu = mu;
    const Result result = run_for(told, topology, with("nids", {{"step-scale", "3"}}), 200);
    EXPECT_FALSE(result.notes.empty()) << mu;
  }
}

}  // namespace
}  // namespace ideal::test
