// SPDX-License-Identifier: Apache-2.0
#include "support/problems.hpp"

#include <gtest/gtest.h>

namespace ideal::test {
namespace {

class EveryMethodInATeam : public testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Methods, EveryMethodInATeam, testing::ValuesIn(method_names()), readable);

TEST_P(EveryMethodInATeam, GivesTheSameBitsForAnyNumberOfThreads) {
  const Topology topology = Topology::parse("cycle:8", "laplacian");
  const bool exact = GetParam() == "aal";  // a whole inner solve is needed to see anything
  const Problem problem =
      make_problem({.loss = LossKind::softmax, .classes = 3, .kappa = exact ? 2.0 : 100.0}, 8);
  SolveOptions options;
  options.watch = {.computations = exact ? 320.0 : 60.0, .every = 20};
  const Result one = simulate(problem, topology, method(GetParam()), options);
  for (const int threads : {2, 3, 8}) {
    options.threads = threads;
    const Result many = simulate(problem, topology, method(GetParam()), options);
    EXPECT_EQ(one.X, many.X) << threads;
    EXPECT_EQ(one.trace.back().worst_suboptimality, many.trace.back().worst_suboptimality) << threads;
  }
}

/// Updates of blocks that are large enough for threads to share them.
TEST(LargeBlocks, AreUpdatedToTheSameBitsByAnyNumberOfThreads) {
  const Topology topology = Topology::parse("cycle:8", "laplacian");
  const Problem problem = make_problem({.rows = 160, .columns = 2 * Threads::worth_waking_others / 8}, 8);
  for (const std::string name : {"ideal", "mideal", "ideal1", "auto", "nids", "extra", "opapc"}) {
    SolveOptions options;
    options.watch = {.computations = 30, .every = 10};
    const Result one = simulate(problem, topology, method(name), options);
    for (const int threads : {2, 3}) {
      options.threads = threads;
      EXPECT_EQ(one.X, simulate(problem, topology, method(name), options).X) << name << ' ' << threads;
    }
  }
}

}  // namespace
}  // namespace ideal::test
