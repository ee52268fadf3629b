// SPDX-License-Identifier: Apache-2.0
// IDEAL whose subproblems are solved by passes of Jacobi, Gauss-Seidel and ADMM, against the methods they
// become in special cases.
#include "support/message.hpp"
#include "support/recorder.hpp"
#include "support/sanitized.hpp"

#include <array>

#include <gtest/gtest.h>

namespace ideal::test {
namespace {

TEST(Passes, WithoutAccelerationAreThoseOfTheDistributedAugmentedLagrangian) {
  for (const auto& [graph, mixing] : three_networks)
    for (const char* T : {"1", "3"})
      for (const auto& [solver, method] :
           {std::pair{"jacobi", "dal-jacobi"}, {"gauss-seidel", "dal-gauss-seidel"}}) {
        const Topology topology = Topology::parse(graph, mixing);
        const Problem problem = make_problem({}, topology.agents());
        const auto ours = record(problem, topology,
                                 with("ideal", {{"solver", solver},
                                                {"T", T},
                                                {"exact", "true"},
                                                {"rho", "0.3"},
                                                {"eta", "rho"},
                                                {"beta", "0"}}),
                                 40);
        const auto theirs =
            record(problem, topology, with(method, {{"exact", "true"}, {"passes", T}, {"rho", "0.3"}}), 40);
        EXPECT_LT(difference(ours.X, theirs.X, 41), 1e-12) << solver << ' ' << graph;
        EXPECT_EQ(ours.meter.back().communications, theirs.meter.back().communications);
      }
}

/// The exact subproblems of `exact` are solved by accelerated gradient steps, which know nothing of passes.
TEST(Passes, ManyOfThemAreExactSubproblems) {
  const std::array both{"ideal", "mideal"};
  for (const auto& [graph, mixing] : all_or_first(three_networks)) {
    const Topology topology = Topology::parse(graph, mixing);
    const Problem problem = make_problem({.kappa = 10}, topology.agents());
    const double lambda_max = topology.spectrum().lambda_max, mu = problem.constants.mu;
    const std::string rho = text(2 * mu / lambda_max);
    for (const char* method : all_or_first(both)) {
      const bool multi_stage = method == std::string("mideal");
      const std::string penalty = multi_stage ? text(2 * mu) : rho;
      const auto exact =
          record(problem, topology, with(method, {{"solver", "exact"}, {"rho", penalty}}), 3000).outer();
      for (const char* solver : {"jacobi", "gauss-seidel", "admm"}) {
        if (multi_stage && solver == std::string("gauss-seidel")) continue;
        const auto passes =
            record(problem, topology,
                   with(method, {{"solver", solver}, {"T", "100"}, {"exact", "true"}, {"rho", penalty}}),
                   4000)
                .outer();
        EXPECT_LT(difference(passes, exact, 7), 1e-9) << method << ' ' << solver << ' ' << graph;
      }
    }
  }
}

TEST(Passes, WithoutPenaltyAreExactDualAscent) {
  for (const auto& [graph, mixing] : three_networks) {
    const Topology topology = Topology::parse(graph, mixing);
    const Problem problem = make_problem({}, topology.agents());
    for (const auto& [ours, theirs] : {std::pair{"ideal", "ssda"}, {"mideal", "msda"}}) {
      const auto passes =
          record(problem, topology,
                 with(ours, {{"solver", "jacobi"}, {"T", "1"}, {"exact", "true"}, {"rho", "0"}}), 30);
      const auto dual = record(problem, topology, with(theirs, {{"exact", "true"}}), 30);
      EXPECT_LT(difference(passes.X, dual.X, 31), 1e-12) << ours << ' ' << graph;
    }
  }
}

/// An infinite penalty makes the subproblem the whole problem, and ADMM on it is decentralized ADMM.
TEST(Passes, OfAdmmOnAnInfinitePenaltyAreDecentralizedAdmm) {
  for (const auto& [graph, mixing] : three_networks) {
    const Topology topology = Topology::parse(graph, mixing);
    const Problem problem = make_problem({}, topology.agents());
    const auto ours = record(
        problem, topology,
        with("ideal",
             {{"solver", "admm"}, {"T", "1000"}, {"exact", "true"}, {"rho", "1e13"}, {"rho-in", "0.2"}}),
        60);
    const auto theirs = record(problem, topology, with("dadmm", {{"exact", "true"}, {"rho", "0.2"}}), 60);
    EXPECT_LT(difference(ours.X, theirs.X, 61), 1e-10) << graph;
  }
}

TEST(Passes, OfAdmmWithThePenaltyOfTheSubproblemAreThoseOfJacobi) {
  const Topology topology = Topology::parse("barbell:8", "laplacian");
  const Problem problem = make_problem({}, 8);
  const auto run = [&](const char* solver) {
    return record(
               problem, topology,
               with("mideal",
                    {{"solver", solver}, {"T", "4"}, {"exact", "true"}, {"rho", "0.25"}, {"rho-in", "0.25"}}),
               60)
        .X;
  };
  EXPECT_LT(difference(run("admm"), run("jacobi"), 61), 1e-12);
}

TEST(Passes, ReachTheOptimumWithTheirDefaults) {
  for (const std::string& graph : all_or_first(five_graphs))
    for (const LossKind loss : {LossKind::logistic, LossKind::ridge}) {
      const Topology topology = Topology::parse(graph, "laplacian");
      const Problem problem = make_problem({.loss = loss}, topology.agents());
      for (const char* name : {"ideal", "mideal"})
        for (const char* solver : {"jacobi", "gauss-seidel", "admm"}) {
          if (name == std::string("mideal") && solver == std::string("gauss-seidel")) continue;
          SolveOptions options;
          options.watch = {.tol = 1e-10, .computations = 40000, .every = 5};
          const Result result = simulate(problem, topology, with(name, {{"solver", solver}}), options);
          EXPECT_EQ(result.status, Status::converged)
              << name << ' ' << solver << ' ' << graph << ' ' << result.trace.back().worst_suboptimality;
          EXPECT_TRUE(result.notes.empty()) << name << ' ' << solver << ' ' << graph;
        }
    }
}

/// Dual steps without acceleration take kappa_f kappa_W passes, with it the root of that.
TEST(Passes, AreFewerWithAcceleration) {
  const Topology topology = Topology::parse("cycle:8", "laplacian");
  const Problem problem = make_problem({.kappa = 100}, 8);
  SolveOptions options;
  options.watch = {.tol = 1e-8, .computations = 4000, .every = 5};
  const auto rounds = [&](Method m) {
    return simulate(problem, topology, m.set("exact", "true"), options).trace.back().meter.communications;
  };
  const std::array solvers{"jacobi", "gauss-seidel"};
  for (const char* solver : all_or_first(solvers))
    EXPECT_LT(3 * rounds(with("ideal", {{"solver", solver}})),
              rounds(with("ideal", {{"solver", solver}, {"beta", "0"}, {"eta", "rho"}})))
        << solver;
}

TEST(Passes, AreRefusedWhereTheyMakeNoSense) {
  EXPECT_EQ(
      message([] {
        with("mideal", {{"solver", "gauss-seidel"}}).check();
      }),
      "--set solver: gauss-seidel (Q(W) joins agents that are no neighbours, so that no colours tell who "
      "may move at once). Use solver=jacobi or solver=admm, or method ideal.");
  EXPECT_EQ(
      message([] {
        with("ideal", {{"solver", "admm"}, {"option", "1"}}).check();
      }),
      "--set option: 1 with solver=admm (passes compute no gradient of the subproblem to judge it by). Use "
      "option=2.");
  EXPECT_NE(message([] { with("ideal", {{"solver", "admm"}, {"rho", "0"}}).check(); }), "no error");
}

}  // namespace
}  // namespace ideal::test
