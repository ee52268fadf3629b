// SPDX-License-Identifier: Apache-2.0
// SVRG and Katyusha for inner loops.
#include "support/recorder.hpp"

#include <gtest/gtest.h>

namespace ideal::test {
namespace {

TEST(Svrg, WithASnapshotEveryStepOrWholeBatchesIsGradientDescent) {
  const Topology topology = Topology::parse("barbell:8", "laplacian");
  const Problem problem = make_problem({}, 8);
  for (const char* name : {"ideal", "mideal"}) {
    const auto gd =
        record(problem, topology, with(name, {{"solver", "gd"}, {"T", "20"}, {"step", "0.1"}}), 200);
    const auto often = record(
        problem, topology,
        with(name, {{"solver", "svrg"}, {"T", "20"}, {"step", "0.1"}, {"epoch", "1"}, {"batch", "3"}}), 200);
    const auto whole = record(
        problem, topology,
        with(name, {{"solver", "svrg"}, {"T", "20"}, {"step", "0.1"}, {"epoch", "6"}, {"batch", everything}}),
        200);
    EXPECT_LT(difference(gd.X, often.X, 201), 1e-12) << name;
    EXPECT_LT(difference(gd.X, whole.X, 201), 1e-12) << name;
    EXPECT_EQ(gd.meter.back(), often.meter.back()) << "at the same cost";
    EXPECT_EQ(gd.meter.back(), whole.meter.back());
  }
}

TEST(VarianceReduction, ReachesTheOptimumWhereSgdDoesNot) {
  const Topology topology = Topology::parse("cycle:5", "laplacian");
  for (const LossKind loss : {LossKind::logistic, LossKind::ridge}) {
    const Problem problem = make_problem({.loss = loss, .rows = 300, .kappa = 20}, 5);
    SolveOptions options;
    options.watch = {.tol = 1e-10, .computations = 4000, .every = 20};
    for (const char* name : {"ideal", "mideal"})
      for (const char* solver : {"svrg", "katyusha"}) {
        const Method m = with(name, {{"solver", solver}, {"batch", "6"}});
        const Result result = simulate(problem, topology, m, options);
        EXPECT_EQ(result.status, Status::converged) << name << ' ' << solver;
        EXPECT_TRUE(result.notes.empty()) << "without going back";
      }
    const Method sgd = with("ideal", {{"solver", "sgd"}, {"batch", "6"}});
    EXPECT_NE(simulate(problem, topology, sgd, options).status, Status::converged);
  }
}

TEST(VarianceReduction, MomentumPaysOnIllConditionedProblems) {
  const Topology topology = Topology::parse("complete:4", "laplacian");
  const Problem problem = make_problem({.rows = 200, .kappa = 2000, .partition = "shuffled"}, 4);
  SolveOptions options;
  options.watch = {.tol = 1e-8, .computations = 60000, .every = 50};
  const auto spent = [&](const char* solver) {
    return simulate(problem, topology, with("mideal", {{"solver", solver}, {"batch", "10"}}), options)
        .trace.back()
        .meter.computations;
  };
  EXPECT_LT(spent("katyusha"), spent("svrg") / 2);
}

}  // namespace
}  // namespace ideal::test
