// SPDX-License-Identifier: Apache-2.0
#include "support/recorder.hpp"
#include "support/sanitized.hpp"

#include <ideal/error.hpp>

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace ideal::test {
namespace {

class EveryMethod : public testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Methods, EveryMethod, testing::ValuesIn(method_names()), readable);

TEST_P(EveryMethod, ReachesTheOptimumWithItsDefaultsOnHeterogeneousData) {
  const Method m = method(GetParam());
  for (const LossKind loss : {LossKind::logistic, LossKind::ridge})
    for (const std::string& graph : five_graphs) {
      const Topology topology = Topology::parse(graph, "laplacian");
      const Problem problem = make_problem({.loss = loss}, topology.agents());
      SolveOptions options;
      options.watch = {.tol = 1e-10, .computations = m.about().linear ? 40000.0 : 2000.0, .every = 5};
      const Result result = simulate(problem, topology, m, options);
      const TraceRow& last = result.trace.back();
      if (m.about().linear) {
        EXPECT_EQ(result.status, Status::converged) << graph << ' ' << last.worst_suboptimality;
        EXPECT_LE(last.worst_suboptimality, 1e-10);
        EXPECT_LT((result.X.colwise() - problem.reference->x).norm(), 1e-3);
      } else {
        // D-NC's ever more rounds, OPTRA's fresh starts, and D-MASG's ever smaller steps where a batch is
        // everything bring them to 1e-10 on small problems, though their theory promises less.
        constexpr std::array may_arrive{"dnc", "optra", "dmasg"};
        const bool may = std::ranges::find(may_arrive, m.about().name) != may_arrive.end();
        const Status expected = may ? result.status : Status::budget;
        EXPECT_EQ(result.status, expected) << graph;
        EXPECT_NE(result.status, Status::diverged) << graph;
        EXPECT_LT(last.worst_suboptimality, 0.2 * result.trace.front().worst_suboptimality) << graph;
      }
    }
}

TEST_P(EveryMethod, StaysStableOnIllConditionedProblemsAndPoorNetworks) {
  Method m = method(GetParam());
  if (m.about().name == "heavy-ball-ode") m.set("exact", "true");  // else the budget ends before the descent
  if (m.about().name == "dvr") m.set("parts", "3");  // else most of its steps are too cheap for the budget
  if (m.about().name == "aal")
    return;  // exact solves at this conditioning take minutes and nothing else changes
  for (const char* graph : {"line:12", "barbell:10"}) {
    const Topology topology = Topology::parse(graph, "metropolis");
    const Problem problem = make_problem({.kappa = 5000}, topology.agents());
    SolveOptions options;
    options.watch = {.tol = 1e-10, .computations = sanitized ? 1000.0 : 40000.0, .every = 200};
    const Result result = simulate(problem, topology, m, options);
    EXPECT_NE(result.status, Status::diverged) << graph;
    if (sanitized) continue;  // too early to ask for more
    EXPECT_LT(result.trace.back().worst_suboptimality, result.trace.front().worst_suboptimality) << graph;
  }
}

TEST_P(EveryMethod, WithLFortyTimesTooSmallReportsDivergenceAndAFiniteAnswer) {
  const Topology topology = Topology::parse("cycle:6", "laplacian");
  Problem problem = make_problem({.loss = LossKind::ridge}, 6);
  problem.constants.L /= 40;
  if (GetParam() == "dvr" || GetParam() == "penalty-stm")
    return;  // steps by the rows' own L, or by the penalty
  Method m = unguarded(GetParam());
  if (GetParam() == "optra") m.set("nu", "1e6");  // else its steps are so much shorter than 1/L
  const Result result = run_for(problem, topology, m, 5000);
  if (GetParam() == "auto") {
    EXPECT_LT(result.trace.back().worst_suboptimality, 1e-10) << "it finds L out by itself";
    return;
  }
  if (GetParam() == "drs") {
    EXPECT_LT(result.trace.back().worst_suboptimality, result.trace.front().worst_suboptimality)
        << "its steps shrink";
    return;
  }
  EXPECT_EQ(result.status, Status::diverged);
  EXPECT_TRUE(result.X.allFinite());
  EXPECT_LT(result.trace.size(), 1000u) << "noticed early";
}

TEST_P(EveryMethod, StartedAtTheOptimumIsNotCalledDiverging) {
  const Topology topology = Topology::parse("cycle:6", "laplacian");
  const Problem problem = make_problem({}, 6);
  SolveOptions options;
  options.start = problem.reference->x;
  options.watch = {.computations = 30};
  EXPECT_EQ(simulate(problem, topology, method(GetParam()), options).status, Status::budget);
}

/// Table 2: the cost of accuracy eps grows as sigma^2 / eps, so ten times the computations buy about a tenth
/// of the gap.
TEST(Ideal, StochasticInnerSolverFollowsItsLaw) {
  const Topology topology = Topology::parse("complete:4", "laplacian");
  const Problem problem = make_problem({.rows = 400, .kappa = 10, .partition = "shuffled"}, 4);
  const Method sgd = with("ideal", {{"solver", "sgd"}, {"batch", "20"}});
  const auto gap_after = [&](double computations) {
    SolveOptions options;
    options.watch = {.computations = computations, .every = 0};
    double sum = 0;
    for (options.seed = 0; options.seed < 5; ++options.seed)
      sum += simulate(problem, topology, sgd, options).trace.back().worst_suboptimality;
    return sum / 5;
  };
  const double early = gap_after(300), late = gap_after(3000);
  EXPECT_LT(late, early / 4);
  EXPECT_GT(late, early / 60) << "no faster than the noise allows";
  EXPECT_EQ(gap_after(300), early) << "seeded";
}

TEST(Ideal, EveryInnerSolverAndOptionReachesTheOptimum) {
  const Topology topology = Topology::parse("cycle:5", "laplacian");
  const Problem problem = make_problem({.kappa = 20}, 5);
  SolveOptions options;
  options.watch = {.tol = 1e-10, .computations = 50000};
  for (const char* name : {"ideal", "mideal", "al"})
    for (const auto& [key, value] : {std::pair{"solver", "gd"},
                                     {"solver", "exact"},
                                     {"option", "1"},
                                     {"carry", "false"},
                                     {"T", "100"}}) {
      const Result result = simulate(problem, topology, with(name, {{key, value}}), options);
      EXPECT_EQ(result.status, Status::converged) << name << ' ' << key << '=' << value;
    }
}

TEST(Ideal, SubproblemsSolvedTooPoorlyAreSolvedBetterFromThenOn) {
  const Problem problem = make_problem({.kappa = 300}, 12);
  for (const char* graph : {"line:12", "barbell:12", "cycle:12"}) {
    const Topology topology = Topology::parse(graph, "laplacian");
    SolveOptions options;
    options.watch = {.tol = 1e-10, .computations = 40000, .every = 5};
    const Result result = simulate(problem, topology, with("ideal", {{"accuracy", "1"}}), options);
    EXPECT_EQ(result.status, Status::converged) << graph;
    const std::size_t wanted = 12;  // its position in the kept state
    EXPECT_LT(std::get<double>(result.checkpoint.state[wanted]), 1) << graph;
  }
}

TEST(Nids, AStepBelowTwoOverLConvergesOnAnyGraph) {
  for (const std::string graph : {"line:8", "star:6", "complete:5"}) {
    const Topology topology = Topology::parse(graph, "laplacian");
    const Problem problem = make_problem({}, topology.agents());
    SolveOptions options;
    options.watch = {.tol = 1e-10, .computations = 20000, .every = 50};
    const Result result = simulate(problem, topology, with("nids", {{"step-scale", "1.9"}}), options);
    EXPECT_EQ(result.status, Status::converged) << graph;
  }
}

TEST(Invariants, DualVariablesSumToZeroThroughout) {
  const Topology topology = Topology::parse("barbell:8", "laplacian");
  const Problem problem = make_problem({}, 8);
  const struct {
    const char* method;
    std::size_t lambda;  // position of Lambda in the kept state; Omega follows
  } cases[] = {{"ideal", 3}, {"mideal", 3}, {"al", 3}, {"aal", 3}, {"ssda", 2}, {"msda", 2}, {"dual-fgm", 2}};
  for (const auto& [name, lambda] : cases) {
    const auto recording = record(problem, topology, method(name), name == std::string("aal") ? 9000 : 1500);
    double largest = 0;
    for (const Checkpoint& state : recording.states)
      for (const std::size_t slot : {lambda, lambda + 1})
        if (const double sum = relative_column_sum(std::get<Block>(state.state[slot])); !(sum <= largest))
          largest = sum;
    EXPECT_GT(std::get<Block>(recording.states.back().state[lambda]).norm(), 0.1);
    EXPECT_LT(largest, 1e-12) << name;
  }
}

TEST(Invariants, RelabellingAgentsPermutesTheAnswer) {
  const Graph graph = Graph::parse("barbell:8");
  const Index order[] = {3, 7, 0, 5, 1, 6, 2, 4};  // agent i is called order[i] in the other world
  std::vector<Graph::Edge> edges;
  for (const auto& [a, b, weight] : graph.edges())
    edges.push_back({std::min(order[a], order[b]), std::max(order[a], order[b]), weight});
  const Topology topology = Topology::make(graph, "laplacian"),
                 renamed = Topology::make(Graph(8, edges), "laplacian");
  const Problem problem =
      make_problem({.kappa = 3}, 8);  // so that even exact subproblems make several outer iterations
  Problem permuted = problem;
  for (Index i = 0; i < 8; ++i) permuted.losses[order[i]] = problem.losses[i];
  for (const std::string& name : method_names()) {
    if (name == "dal-gauss-seidel") continue;  // agents' turns go by their numbers
    if (method(name).stochastic()) continue;   // and so do their draws
    const Block X = run_for(problem, topology, method(name), 400).X,
                Y = run_for(permuted, renamed, method(name), 400).X;
    for (Index i = 0; i < 8; ++i) EXPECT_LT((X.col(i) - Y.col(order[i])).norm(), 1e-10) << name;
  }
}

TEST(Invariants, ScalingWAndUnscalingRhoChangesNothing) {
  const Topology topology = Topology::parse("grid:3x3", "laplacian");
  const double s = 0.37;
  const Topology scaled = Topology::from_matrix(SparseRows(topology.weights() * s));
  const Problem problem = make_problem({}, 9);
  for (const char* name : {"ideal", "mideal", "al"}) {
    // Q(W) does not see the scale of W, so there rho stays.
    const double rho = 0.8, other = name == std::string("mideal") ? rho : rho / s;
    const auto a = record(problem, topology, with(name, {{"rho", fmt::format("{}", rho)}}), 200);
    const auto b = record(problem, scaled, with(name, {{"rho", fmt::format("{}", other)}}), 200);
    EXPECT_LT(difference(a.X, b.X, 201), 1e-11) << name;
  }
  for (const char* name : {"ssda", "msda", "dual-fgm", "apm-c", "opapc", "apapc", "optra", "mudag"})
    EXPECT_LT(difference(record(problem, topology, method(name), 200).X,
                         record(problem, scaled, method(name), 200).X, 201),
              1e-11)
        << name;
}

}  // namespace
}  // namespace ideal::test
