// SPDX-License-Identifier: Apache-2.0
// With more agents than are all looked at, the worst one is found through bounds.
#include "support/quadratics.hpp"

#include <cmath>
#include <sstream>

#include <gtest/gtest.h>

namespace ideal::test {
namespace {

constexpr Index many = 600;

struct Crowd {
  explicit Crowd(const char* graph = "regular:600,6")
      : topology(Topology::parse(graph, "metropolis", 1)), problem(Quadratics(many, 3, 5, 4).problem()) {}

  /// max_i f(x_i) - f*, by evaluating every loss at every agent.
  [[nodiscard]] double worst(const Block& X) const {
    double largest = -INFINITY;
    for (Index i = 0; i < X.cols(); ++i) {
      double f = 0;
      for (const auto& loss : problem.losses) f += loss->value(X.col(i));
      largest = std::max(largest, f - problem.reference->value);
    }
    return largest;
  }

  Topology topology;
  Problem problem;
};

TEST(ManyAgents, TheWorstIsBetweenWhatIsRecordedAndItsBound) {
  const Crowd crowd;
  for (const double computations : {0.0, 1.0, 5.0, 40.0}) {
    const Result result = run_for(crowd.problem, crowd.topology, method("extra"), computations);
    const TraceRow& last = result.trace.back();
    const double worst = crowd.worst(result.X), rounding = 1e-12 * std::abs(crowd.problem.reference->value);
    EXPECT_LE(last.worst_suboptimality, worst + rounding) << computations;
    EXPECT_GE(result.worst_bound, worst - rounding) << computations;
    ASSERT_TRUE(last.evaluated);
    EXPECT_GT(*last.evaluated, 0);
    EXPECT_LE(*last.evaluated, 64);
    EXPECT_EQ((result.gaps.array() == result.gaps.array()).count(), *last.evaluated) << "NaN elsewhere";
    if (result.worst_bound == last.worst_suboptimality) {
      EXPECT_NEAR(last.worst_suboptimality, worst, rounding) << computations;
    }
  }
}

TEST(ManyAgents, AnOutlierIsFoundExactly) {
  Crowd crowd;
  SolveOptions options;
  options.watch.computations = 1;
  // One agent whose loss is steeper than all: after one step it is the farthest away, and no other comes
  // near.
  crowd.problem.losses[417] =
      std::make_shared<Quadratic>(5 * Block::Identity(3, 3), Vector::Constant(3, 2e3));
  Threads threads;
  crowd.problem.reference = solve_reference(crowd.problem.losses, threads);
  const Result result = simulate(crowd.problem, crowd.topology, method("dgd"), options);
  EXPECT_EQ(result.worst_bound, result.trace.back().worst_suboptimality);
  EXPECT_NEAR(result.worst_bound, crowd.worst(result.X), 1e-12 * result.worst_bound);
  EXPECT_EQ(result.gaps[417], result.worst_bound);
}

TEST(ManyAgents, ARunThatSaysConvergedHasConvergedAtEveryAgent) {
  const Crowd crowd;
  SolveOptions options;
  options.watch = {.tol = 1e-3, .computations = 2000};
  const Result result = simulate(crowd.problem, crowd.topology, method("extra"), options);
  EXPECT_EQ(result.status, Status::converged);
  EXPECT_LE(crowd.worst(result.X), 1e-3);
  EXPECT_LE(result.worst_bound, 1e-3);
}

TEST(ManyAgents, DivergenceIsSeen) {
  const Crowd crowd;
  const Result result =
      run_for(crowd.problem, crowd.topology, with("extra", {{"step-scale", "50"}, {"guard", "false"}}), 3000);
  EXPECT_EQ(result.status, Status::diverged);
  EXPECT_TRUE(result.X.allFinite());
}

TEST(ManyAgents, HostsAndThreadsSeeTheSame) {
  const Crowd crowd;
  SolveOptions options;
  options.watch = {.computations = 12, .every = 4};
  const Result one = simulate(crowd.problem, crowd.topology, method("extra"), options);
  std::vector<Index> host_of(many);
  for (Index i = 0; i < many; ++i) host_of[i] = i % 3;
  options.threads = 2;
  for (const Result& other :
       {simulate(crowd.problem, crowd.topology, method("extra"), options),
        simulate_hosts(crowd.problem, crowd.topology, method("extra"), host_of, options)}) {
    ASSERT_EQ(one.trace.size(), other.trace.size());
    for (std::size_t k = 0; k < one.trace.size(); ++k) {
      EXPECT_EQ(one.trace[k].worst_suboptimality, other.trace[k].worst_suboptimality);
      EXPECT_EQ(one.trace[k].suboptimality, other.trace[k].suboptimality);
      EXPECT_EQ(one.trace[k].consensus, other.trace[k].consensus);
      EXPECT_EQ(one.trace[k].distance, other.trace[k].distance);
      EXPECT_EQ(one.trace[k].evaluated, other.trace[k].evaluated);
    }
    EXPECT_EQ(one.worst_bound, other.worst_bound);
    EXPECT_EQ(one.X, other.X);
  }
}

TEST(ManyAgents, TheirTraceSaysHowManyWereLookedAt) {
  Trace trace(2);
  trace[0].evaluated = 4;
  trace[1].worst_suboptimality = 0.25;
  trace[1].evaluated = 64;
  std::ostringstream text;
  write_csv(trace, text);
  EXPECT_NE(text.str().find(",distance,evaluated\n"), std::string::npos);
  const Trace again = parse_trace(text.str(), "trace.csv");
  ASSERT_EQ(again.size(), 2u);
  EXPECT_EQ(again[0].evaluated, 4);
  EXPECT_EQ(again[1].evaluated, 64);
  EXPECT_EQ(again[1].worst_suboptimality, 0.25);
}

TEST(FewAgents, AreAllLookedAt) {
  const Topology topology = Topology::parse("cycle:8", "metropolis");
  const Problem problem = Quadratics(8, 3, 5, 4).problem();
  const Result result = run_for(problem, topology, method("extra"), 3);
  EXPECT_FALSE(result.trace.back().evaluated);
  EXPECT_TRUE(result.gaps.allFinite());
  EXPECT_EQ(result.worst_bound, result.trace.back().worst_suboptimality);
  std::ostringstream text;
  write_csv(result.trace, text);
  EXPECT_EQ(text.str().find("evaluated"), std::string::npos);
}

}  // namespace
}  // namespace ideal::test
