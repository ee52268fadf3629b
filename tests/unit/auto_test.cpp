// SPDX-License-Identifier: Apache-2.0
// What auto believes and finds out, where it switches to nids, and that it continues where it stopped.
#include "support/dense.hpp"
#include "support/quadratics.hpp"

#include <ideal/random.hpp>

#include <algorithm>

#include <gtest/gtest.h>

namespace ideal::test {
namespace {

TEST(Auto, BearsBeliefsThatAreAFifthWrong) {
  for (const std::string& graph : five_graphs) {
    const Topology topology = Topology::parse(graph, "laplacian");
    const Problem problem = make_problem({.kappa = 1000}, topology.agents());
    const Spectrum truth = topology.spectrum();
    for (const double wrong : {0.8, 1.2})
      for (const auto& [key, value] : {std::pair{"L", problem.constants.L},
                                       {"lambda-max", truth.lambda_max},
                                       {"lambda-min", truth.lambda_min}}) {
        Method m = method("auto");
        m.set(key, std::to_string(wrong * value));
        SolveOptions options;
        options.watch = {.tol = 1e-10, .computations = 20000, .every = 5};
        const Result result = simulate(problem, topology, m, options);
        EXPECT_EQ(result.status, Status::converged) << graph << ' ' << key << ' ' << wrong;
      }
  }
}

/// Vectors are so long that the survey rides along: agents watch the run meanwhile, and what they have learnt
/// is not forgotten when it ends.
TEST(Auto, IsWatchedWhileASurveyRidesAlong) {
  for (const LossKind loss : {LossKind::ridge, LossKind::logistic})
    for (const char* graph : {"cycle:12", "line:16", "torus:4x4", "cycle:48"}) {
      const Topology topology = Topology::parse(graph, "laplacian");
      const Problem problem =
          make_problem({.loss = loss, .rows = 480, .columns = 20, .kappa = 200}, topology.agents());
      for (const auto& [key, wrong] :
           {std::pair{"L", problem.constants.L / 40}, {"lambda-max", topology.spectrum().lambda_max / 3}})
        for (const char* tau : {"0.1", "100"}) {
          const Method m = with("auto", {{key, std::to_string(wrong)}, {"tau", tau}});
          SolveOptions options;
          options.watch = {.tol = 1e-9, .certified = true, .computations = 20000, .every = 1};
          const Result result = simulate(problem, topology, m, options);
          EXPECT_EQ(result.status, Status::converged) << graph << ' ' << key << ' ' << tau;
          EXPECT_LE(result.trace.back().worst_suboptimality, 1e-9) << graph << ' ' << key << ' ' << tau;
        }
    }
}

/// A bound and a guess are not what was found out.
TEST(Auto, TellsNothingOfTheNetworkThatItHasNotFoundOut) {
  const Topology topology = Topology::parse("cycle:24", "laplacian");
  const Problem problem = make_problem({.columns = 20, .kappa = 200}, 24);
  const Result early = run_for(problem, topology, method("auto"), 6);
  EXPECT_FALSE(early.parameters.contains("lambda-max"));
  EXPECT_FALSE(early.parameters.contains("lambda-min"));
  ASSERT_FALSE(early.notes.empty());
  EXPECT_NE(early.notes.back().find("before its survey"), std::string::npos) << early.notes.back();
  const Result late = run_for(problem, topology, method("auto"), 200);
  const Spectrum truth = topology.spectrum();
  EXPECT_NEAR(std::get<double>(late.parameters.at("lambda-max")), truth.lambda_max, 0.05 * truth.lambda_max);
  EXPECT_NEAR(std::get<double>(late.parameters.at("lambda-min")), truth.lambda_min, 0.2 * truth.lambda_min);
}

/// Agents whose Hessians have rank one beside mu differ as much as they can, and together are much better
/// conditioned than each.
Problem rank_one_problem(Index agents, double kappa) {
  Random random(5);
  std::vector<std::shared_ptr<const Loss>> losses;
  Block sum = Block::Zero(4, 4);
  Vector right = Vector::Zero(4);
  for (Index i = 0; i < agents; ++i) {
    Vector a(4), h(4);
    for (double& x : a) x = random.normal();
    for (double& x : h) x = random.normal();
    a.normalize();
    const Block H = a * a.transpose() + Block::Identity(4, 4) / kappa;
    losses.push_back(std::make_shared<Quadratic>(H, h));
    sum += H;
    right += h;
  }
  Problem problem{.losses = losses, .constants = {}};
  Threads threads(1);
  problem.constants = constants_of(losses, {}, {}, threads);
  const Vector x = solve_symmetric(sum, right);
  problem.reference = Reference{.x = x, .value = -right.dot(x) / 2, .gradient_norm = 0};
  return problem;
}

bool has_note(const Result& result, std::string_view text) {
  return std::ranges::any_of(result.notes,
                             [&](const std::string& note) { return note.find(text) != std::string::npos; });
}

/// What is predicted of it is wrong, and it is faster by the way it shows itself: all agents go on with nids,
/// which does not know that these problems are easy, but feels it.
TEST(Auto, SwitchesWhereTheRunShowsThatAnotherIsFaster) {
  for (const char* graph : {"star:6", "cycle:16"})
    for (const char* tau : {"0.1", "100"}) {
      const Topology topology = Topology::parse(graph, "laplacian");
      const Problem problem = rank_one_problem(topology.agents(), 3e4);
      SolveOptions options;
      options.watch = {.tol = 1e-8, .certified = true, .computations = 30000, .every = 1};
      const Method m = with("auto", {{"tau", tau}});
      const Result switched = simulate(problem, topology, m, options);
      ASSERT_EQ(switched.status, Status::converged) << graph << ' ' << tau;
      EXPECT_TRUE(has_note(switched, "on nids, while")) << graph << ' ' << tau;
      EXPECT_FALSE(has_note(switched, "ideal1 again")) << graph << ' ' << tau;
      EXPECT_LE(switched.trace.back().worst_suboptimality, 1e-8);
      const Result safe =
          simulate(problem, topology, with("ideal1", {{"tau", tau}, {"sigma", "1"}}), options);
      const double t = std::stod(tau);
      EXPECT_LT(switched.trace.back().meter.time(t), 0.8 * safe.trace.back().meter.time(t))
          << graph << ' ' << tau;

      std::vector<Index> host_of(static_cast<std::size_t>(topology.agents()));
      for (std::size_t i = 0; i < host_of.size(); ++i) host_of[i] = static_cast<Index>(i * i % 3);
      host_of[2] = 2;
      EXPECT_EQ(simulate_hosts(problem, topology, m, host_of, options).X, switched.X);
      SolveOptions part = options;
      part.watch.computations = switched.trace.back().meter.computations - 40;
      const Result begun = simulate(problem, topology, m, part);
      options.run.resume = &begun.checkpoint;
      EXPECT_EQ(simulate(problem, topology, m, options).X, switched.X);
    }
}

/// Where it is no faster than ideal1 should be, that goes on.
TEST(Auto, SwitchesBackFromWhatIsSlower) {
  const Topology topology = Topology::parse("line:32", "laplacian");
  const Problem problem = make_problem({.rows = 640}, 32);
  const std::string wrong = std::to_string(topology.spectrum().lambda_max);
  const Result result = certified_run(problem, topology, with("auto", {{"lambda-min", wrong}}), 1e-8);
  EXPECT_EQ(result.status, Status::converged);
  EXPECT_TRUE(has_note(result, "on nids, while"));
  EXPECT_TRUE(has_note(result, "ideal1 again"));
}

/// Trust in their likeness is misplaced, and with sigma = 0.25 alone the iteration grows.
TEST(Auto, FindsOutThatAgentsDiffer) {
  for (const char* graph : {"cycle:6", "line:8", "star:6"}) {
    const Topology topology = Topology::parse(graph, "laplacian");
    const Problem problem = rank_one_problem(topology.agents(), 3000);
    const Vector& x = problem.reference->x;
    SolveOptions options;
    options.watch = {.computations = 30000, .every = 0};
    for (const char* tau : {"0.1", "100"}) {
      Method m = method("auto");
      m.set("tau", tau);
      const Result result = simulate(problem, topology, m, options);
      EXPECT_LT((result.X.colwise() - x).norm(), 1e-6 * x.norm()) << graph << ' ' << tau;
    }
  }
}

/// What was told of the network is so wrong that going back does not help: all agents go on with a method
/// that needs none of it, and certify what they reach.
TEST(Auto, HandsOverWhereNothingElseHelps) {
  for (const Index columns : {7, 20}) {
    const Topology line = Topology::parse("line:32", "laplacian");
    const Problem problem = make_problem({.rows = 640, .columns = columns}, 32);
    const Spectrum truth = line.spectrum();
    const Method m = with("auto", {{"lambda-max", std::to_string(truth.lambda_max / 8)}});
    SolveOptions options;
    options.watch = {.tol = 1e-6, .certified = true, .computations = 20000, .every = 1};
    const Result result = simulate(problem, line, m, options);
    EXPECT_EQ(result.status, Status::converged) << columns;
    EXPECT_TRUE(has_note(result, "handed over to nids")) << columns;
    EXPECT_LE(result.trace.back().worst_suboptimality, *result.trace.back().certified) << columns;
    const std::vector<Index> host_of{0, 1, 1, 2, 2, 2, 0, 0, 1, 0, 1, 2, 0, 1, 2, 2,
                                     2, 1, 0, 0, 1, 2, 1, 0, 0, 2, 1, 1, 0, 2, 1, 0};
    EXPECT_EQ(simulate_hosts(problem, line, m, host_of, options).X, result.X) << columns;
  }
}

/// A run that never stops, after others that stop at these numbers of computations and continue have ended in
/// the same.
Result run_with_stops(const Problem& problem, const Topology& topology, const Method& m, double computations,
                      std::initializer_list<double> stops) {
  Result whole = run_for(problem, topology, m, computations);
  for (const double stop : stops) {
    const Result part = run_for(problem, topology, m, stop);
    SolveOptions options;
    options.watch.computations = computations;
    options.run.resume = &part.checkpoint;
    const Result rest = simulate(problem, topology, m, options);
    EXPECT_EQ(rest.X, whole.X) << stop;
    EXPECT_EQ(rest.trace.back().meter, whole.trace.back().meter) << stop;
  }
  return whole;
}

/// What it has learnt by going back is part of what it continues with.
TEST(Auto, ContinuesBitForBitAfterItWentBack) {
  const Topology topology = Topology::parse("cycle:8", "laplacian");
  const Problem problem = make_problem({.loss = LossKind::logistic, .kappa = 200}, 8);
  const Method m = with("auto", {{"lambda-max", "2.5"}});
  const Result whole = run_with_stops(problem, topology, m, 300, {40, 90, 150});
  EXPECT_GT(std::get<Index>(whole.parameters.at("retreats")), 0);
}

TEST(Auto, ContinuesBitForBitAfterItWasHandedOver) {
  const Topology topology = Topology::parse("line:12", "laplacian");
  const Problem problem = make_problem({.columns = 20}, 12);
  const Method m = with("auto", {{"lambda-max", "0.4"}});
  const Result whole = run_with_stops(problem, topology, m, 600, {20, 100, 200, 300, 500});
  EXPECT_TRUE(has_note(whole, "handed over to nids"));
}

/// A survey of the network that was under way goes on.
TEST(Auto, ContinuesBitForBitInTheMiddleOfASurvey) {
  const Topology topology = Topology::parse("cycle:12", "laplacian");
  const Problem problem = make_problem({.columns = 20, .kappa = 200}, 12);
  for (const Method& m : {method("auto"), with("auto", {{"lambda-max", "1.4"}})})
    run_with_stops(problem, topology, m, 80, {4, 5, 6, 7, 8, 9, 12, 40});
}

}  // namespace
}  // namespace ideal::test
