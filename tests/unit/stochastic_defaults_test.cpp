// SPDX-License-Identifier: Apache-2.0
// Methods that sample rows, with nothing set but what they are called.
#include "support/problems.hpp"
#include "support/sanitized.hpp"

#include <gtest/gtest.h>

namespace ideal::test {
namespace {

/// Where a batch is a part of the rows: to the optimum where that is promised, else to a neighbourhood that
/// is small beside the start.
TEST(StochasticDefaults, ReachTheOptimumOrItsNeighbourhoodOnFiveGraphs) {
  const struct {
    Method method;
    double of_first;  // the gap that is left, as a share of the first; 0: 1e-9
  } cases[] = {{with("ideal", {{"solver", "svrg"}}), 0},
               {with("ideal", {{"solver", "katyusha"}}), 0},
               {with("mideal", {{"solver", "svrg"}}), 0},
               {with("mideal", {{"solver", "katyusha"}}), 0},
               {method("dvr"), 0},
               {with("ideal", {{"solver", "sgd"}}), 0.02},
               {with("mideal", {{"solver", "sgd"}}), 0.02},
               {method("dasg"), 0.2},
               {method("dmasg"), 0.002},
               {method("penalty-stm"), 0.002},
               {with("fedavg", {{"batch", "32"}}), 0.05}};
  for (const std::string& graph : all_or_first(five_graphs)) {
    const Topology topology = Topology::parse(graph, "laplacian");
    const Problem problem = make_problem(
        {.rows = 100 * topology.agents(), .kappa = 10, .partition = "shuffled"}, topology.agents());
    for (const auto& [m, of_first] : cases) {
      SolveOptions options;
      options.watch = {
          .tol = of_first > 0 ? 0 : 1e-9, .computations = of_first > 0 ? 300.0 : 4000.0, .every = 20};
      std::vector<Result> runs;
      for (options.seed = 0; options.seed < 2; ++options.seed)
        runs.push_back(simulate(problem, topology, m, options));
      double gap = 0;
      for (const Result& result : runs) {
        EXPECT_EQ(result.status, of_first > 0 ? Status::budget : Status::converged)
            << m.about().name << ' ' << graph;
        gap += result.trace.back().worst_suboptimality / 2;
      }
      if (of_first > 0) {
        EXPECT_LT(gap, of_first * runs[0].trace.front().worst_suboptimality)
            << m.about().name << ' ' << graph;
      }
      EXPECT_NE(runs[0].X, runs[1].X) << m.about().name << ": it does draw";
    }
  }
}

}  // namespace
}  // namespace ideal::test
