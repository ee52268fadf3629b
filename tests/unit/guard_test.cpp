// SPDX-License-Identifier: Apache-2.0
// The guard that agents keep over a method: it goes back where steps are too large, and nowhere else.
#include "support/quadratics.hpp"
#include "support/recorder.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace ideal::test {
namespace {

const std::vector<std::string> guarded_methods{"opapc", "apapc", "mudag", "acc-dngd", "nids",
                                               "extra", "apm-c", "ideal", "mideal",   "al"};

/// In a setting that this guard watches: loops that end by progress have one of their own.
Method guarded_method(const std::string& name) {
  return name == "ideal" || name == "mideal" ? with(name, {{"option", "2"}}) : method(name);
}

Index retreats(const Result& result) {
  const auto found = result.parameters.find("retreats");
  return found == result.parameters.end() ? 0 : std::get<Index>(found->second);
}

Result watched(const Problem& problem, const Topology& topology, const Method& m, double computations) {
  SolveOptions options;
  options.watch = {.tol = 1e-9, .computations = computations, .every = 5};
  return simulate(problem, topology, m, options);
}

class Guard : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Methods, Guard, testing::ValuesIn(guarded_methods), readable);

TEST_P(Guard, IsSilentWithRightConstants) {
  for (const std::string& graph : five_graphs)
    for (const LossKind loss : {LossKind::ridge, LossKind::logistic}) {
      const Topology topology = Topology::parse(graph, "laplacian");
      const Result result = watched(make_problem({.loss = loss}, topology.agents()), topology,
                                    guarded_method(GetParam()), 5000);
      EXPECT_EQ(result.status, Status::converged) << graph;
      EXPECT_TRUE(result.notes.empty()) << graph << ' ' << result.notes.front();
    }
  for (const char* graph : {"line:12", "star:9"}) {
    const Topology topology = Topology::parse(graph, "metropolis");
    const Result result = run_for(Quadratics(topology.agents(), 5, 3000, 2).problem(), topology,
                                  guarded_method(GetParam()), 3000);
    EXPECT_TRUE(result.notes.empty()) << graph << ' ' << result.notes.front();
  }
}

/// Steps many times smaller than needed shrink slowly, and that is no reason for smaller ones.
TEST_P(Guard, LeavesSlowRunsAlone) {
  Method m = guarded_method(GetParam());
  const auto parameters = m.parameters();
  if (std::ranges::none_of(parameters, [](const Parameter& p) { return p.key == "step-scale"; })) return;
  m.set("step-scale", "0.002");
  const Topology topology = Topology::parse("complete:5", "laplacian");
  EXPECT_TRUE(run_for(make_problem({.kappa = 20}, 5), topology, m, 3000).notes.empty());
}

TEST_P(Guard, ArrivesWithLToldTooSmall) {
  for (const double factor : {2.0, 3.0})
    for (const std::string& graph : five_graphs) {
      const Topology topology = Topology::parse(graph, "laplacian");
      Problem problem = make_problem({.loss = LossKind::ridge}, topology.agents());
      problem.constants.L /= factor;
      const Result result = watched(problem, topology, guarded_method(GetParam()), 5000);
      EXPECT_EQ(result.status, Status::converged) << graph << ' ' << factor;
      EXPECT_EQ(retreats(result), std::ssize(result.notes)) << "each is told";
    }
}

TEST_P(Guard, ArrivesWithLFortyTimesTooSmall) {
  const auto parameters = guarded_method(GetParam()).parameters();
  const bool two_loops =
      std::ranges::any_of(parameters, [](const Parameter& p) { return p.key == "solver"; });
  for (const LossKind loss : {LossKind::ridge, LossKind::logistic}) {
    const Topology topology = Topology::parse("cycle:8", "laplacian");
    Problem problem = make_problem({.loss = loss}, 8);
    problem.constants.L /= 40;
    const Result result = watched(problem, topology, guarded_method(GetParam()), 5000);
    EXPECT_TRUE(result.X.allFinite());
    // Far out, inner loops on logistic losses go round in circles of so many steps as they have, unseen.
    if (two_loops && loss == LossKind::logistic) continue;
    EXPECT_EQ(result.status, Status::converged) << to_string(loss);
    EXPECT_GT(retreats(result), 0);
  }
}

TEST_P(Guard, TakenAwayLeavesTheIteratesAsTheyAre) {
  const Topology topology = Topology::parse("barbell:8", "laplacian");
  const Problem problem = make_problem({}, 8);
  const auto with_guard = record(problem, topology, guarded_method(GetParam()), 120);
  Method alone = guarded_method(GetParam());
  alone.set("guard", "false");
  const auto without = record(problem, topology, alone, 120);
  ASSERT_EQ(with_guard.X.size(), without.X.size());
  for (std::size_t k = 0; k < without.X.size(); ++k) ASSERT_EQ(with_guard.X[k], without.X[k]) << k;
}

/// Where nothing finite is left in the middle of a long inner loop, agents notice it there.
TEST(GuardOfLongLoops, WhatIsNotFiniteIsNoticedWithinThem) {
  const Topology topology = Topology::parse("cycle:6", "laplacian");
  const Problem problem = make_problem({.loss = LossKind::ridge, .rows = 360}, 6);
  for (const char* solver : {"svrg", "katyusha", "gd"}) {
    const auto with_steps = [&](const char* scale, const char* T) {
      return with("ideal", {{"solver", solver}, {"batch", "4"}, {"step-scale", scale}, {"T", T}});
    };
    const Result lost = watched(problem, topology, with_steps("1e30", "3000"), 20000);
    EXPECT_EQ(lost.status, Status::diverged) << solver;
    EXPECT_LT(lost.trace.back().meter.computations, 2000) << solver;
    EXPECT_TRUE(lost.X.allFinite()) << solver;
    EXPECT_LT(lost.notes.size(), 6u) << solver << ": ever more care a retreat";
    const Result met = watched(problem, topology, with_steps("20", "400"), 60000);
    EXPECT_EQ(met.status, Status::converged) << solver;
    EXPECT_FALSE(met.notes.empty()) << solver;
  }
}

TEST(GuardOfLongLoops, GoesBackTheSameOnAnyHostsAndFromAnyCheckpoint) {
  const Topology topology = Topology::parse("cycle:6", "laplacian");
  const Problem problem = make_problem({.loss = LossKind::ridge}, 6);
  const Method m = with("ideal", {{"solver", "gd"}, {"step-scale", "20"}, {"T", "300"}});
  SolveOptions options;
  options.watch = {.computations = 900, .every = 0};
  const Result whole = simulate(problem, topology, m, options);
  EXPECT_GT(retreats(whole), 1);
  const Result on_hosts = simulate_hosts(problem, topology, m, std::vector<Index>{0, 1, 2, 2, 1, 0}, options);
  EXPECT_EQ(whole.X, on_hosts.X);
  EXPECT_EQ(whole.trace.back().meter, on_hosts.trace.back().meter);
  std::vector<Checkpoint> saved;
  SolveOptions saving = options;
  saving.run = {.resume = nullptr, .checkpoint_every = 51, .on_checkpoint = [&](const Checkpoint& c) {
                  saved.push_back(c);
                }};
  simulate(problem, topology, m, saving);
  ASSERT_GT(saved.size(), 5u);
  for (const Checkpoint& from : saved) {
    SolveOptions resuming = options;
    resuming.run.resume = &from;
    const Result resumed = simulate(problem, topology, m, resuming);
    EXPECT_EQ(whole.X, resumed.X) << from.passes;
    EXPECT_EQ(whole.trace.back().meter, resumed.trace.back().meter) << from.passes;
  }
}

/// Every host goes back at the same pass, and a checkpoint from before, between or after goes on the same.
TEST_P(Guard, GoesBackTheSameOnAnyHostsAndFromAnyCheckpoint) {
  const Topology topology = Topology::parse("cycle:6", "laplacian");
  Problem problem = make_problem({.loss = LossKind::ridge}, 6);
  problem.constants.L /= 8;
  SolveOptions options;
  options.watch = {.computations = 200, .every = 0};
  const Method m = guarded_method(GetParam());
  const Result whole = simulate(problem, topology, m, options);
  EXPECT_GT(retreats(whole), 1);

  const std::vector<Index> hosts{0, 1, 2, 2, 1, 0};
  const Result on_hosts = simulate_hosts(problem, topology, m, hosts, options);
  EXPECT_EQ(whole.X, on_hosts.X);
  EXPECT_EQ(whole.trace.back().meter, on_hosts.trace.back().meter);

  std::vector<Checkpoint> saved;
  SolveOptions saving = options;
  saving.run = {.resume = nullptr, .checkpoint_every = 7, .on_checkpoint = [&](const Checkpoint& c) {
                  saved.push_back(c);
                }};
  simulate(problem, topology, m, saving);
  ASSERT_GT(saved.size(), 20u);
  for (std::size_t c = 0; c < saved.size(); c += 2) {
    SolveOptions resuming = options;
    resuming.run.resume = &saved[c];
    const Result resumed = simulate(problem, topology, m, resuming);
    EXPECT_EQ(whole.X, resumed.X) << saved[c].passes;
    EXPECT_EQ(whole.trace.back().meter, resumed.trace.back().meter) << saved[c].passes;
    EXPECT_EQ(retreats(whole), retreats(resumed));
  }
}

/// Steps that make an inner loop grow for long without ever being infinite.
TEST(GuardedLoops, AreLeftWhereNoOptimumIs) {
  const Topology topology = Topology::parse("cycle:8", "laplacian");
  const Problem problem =
      make_problem({.rows = 1000, .columns = 21, .kappa = 100, .partition = "contiguous"}, 8);
  const Method m = with("mideal", {{"solver", "sgd"}, {"step", fmt::format("{}", 70 / problem.constants.L)}});
  const Result result = run_for(problem, topology, m, 2000);
  EXPECT_NE(result.status, Status::diverged);
  EXPECT_GT(retreats(result), 0);
  EXPECT_LT(result.trace.back().worst_suboptimality, result.trace.front().worst_suboptimality);
}

/// Three numbers ride on the rounds that a word takes, a diameter of them, and on no other.
TEST(GuardCosts, ThreeNumbersWhileAWordIsUnderWay) {
  const Topology topology = Topology::parse("cycle:12", "laplacian");  // diameter 6
  const Problem problem = make_problem({.kappa = 30}, 12);
  const auto recording = record(problem, topology, method("apapc"), 100);
  // A word leaves at iteration 1, is heard at 7, and the next leaves five iterations later.
  for (std::size_t p = 1; p <= 100; ++p) {
    const bool laden = p > 1 && (p - 2) % 11 < 6;
    EXPECT_EQ(recording.meter[p].bytes - recording.meter[p - 1].bytes, 2 * 12 * (laden ? 7 + 3 : 7) * 8) << p;
    EXPECT_EQ(recording.meter[p].communications, static_cast<Index>(p)) << "and no round more";
  }
}

/// With momentum and very short steps, they grow evenly for a long time before they shrink.
TEST(Guard, LeavesSlowBeginningsAlone) {
  const Topology topology = Topology::parse("line:3", "metropolis");
  const Problem problem = make_problem({}, 3);
  for (const char* step : {"1e-6", "1e-8", "1e-10"}) {
    const Result result = run_for(problem, topology, with("acc-dngd", {{"step", step}}), 4000);
    EXPECT_FALSE(result.parameters.contains("retreats")) << step;
    EXPECT_LT(result.trace.back().suboptimality, result.trace.front().suboptimality) << step;
  }
}

}  // namespace
}  // namespace ideal::test
