// SPDX-License-Identifier: Apache-2.0
// What an iteration of each method costs, against the table of docs/methods.md.
#include "support/recorder.hpp"

#include <cmath>
#include <functional>

#include <gtest/gtest.h>

namespace ideal::test {
namespace {

struct Cost {
  double computations;
  Index communications;
};

struct Case {
  const char* method;
  std::initializer_list<std::pair<std::string_view, std::string_view>> settings;
  std::function<Cost(Index k)> cost;  // of outer iteration k = 1, 2, ...
};

TEST(Costs, EveryIterationCostsWhatTheTableSays) {
  const Topology topology = Topology::parse("cycle:12", "laplacian");
  const Problem problem = make_problem({.kappa = 30}, 12);
  const double root_kappa_W = std::sqrt(topology.spectrum().kappa()),
               theta = 1 / std::sqrt(problem.constants.kappa());
  const Index J = static_cast<Index>(root_kappa_W);
  ASSERT_GT(J, 2);
  const auto constant = [](double computations, Index communications) {
    return [=](Index) { return Cost{computations, communications}; };
  };
  const Case cases[] = {
      {"ideal", {{"T", "9"}}, constant(9, 9)},
      {"ideal", {{"T", "9"}, {"solver", "gd"}}, constant(9, 9)},
      {"ideal", {{"T", "9"}, {"solver", "sgd"}, {"batch", "5"}, {"growth", "1"}}, constant(9 * 5 / 20.0, 9)},
      {"mideal", {{"T", "9"}}, constant(9, 9 * J)},
      {"mideal", {{"T", "9"}, {"J", "5"}}, constant(9, 45)},
      {"al", {{"T", "4"}}, constant(4, 4)},
      {"aal", {{"T", "50"}}, constant(50, 50)},
      {"ssda", {{"exact", "true"}}, constant(1, 1)},
      {"ssda", {{"T", "6"}}, constant(6, 1)},
      {"msda", {{"exact", "true"}}, constant(1, J)},
      {"msda", {{"T", "6"}}, constant(6, J)},
      {"extra", {}, constant(1, 1)},
      {"dgd", {}, constant(1, 1)},
      {"apm-c",
       {},
       [&](Index k) {
         return Cost{1, static_cast<Index>(std::ceil(static_cast<double>(k) * theta * root_kappa_W))};
       }},
      {"gd", {}, constant(1, 0)},
      {"agd", {}, constant(1, 0)},
  };
  for (const Case& c : cases) {
    const auto recording = record(problem, topology, with(c.method, c.settings), 200);
    Meter last;
    Index iterations = 0;
    for (std::size_t p = 1; p < recording.X.size(); ++p) {
      if (recording.iteration[p] == recording.iteration[p - 1]) continue;
      const Cost expected = c.cost(++iterations);
      EXPECT_NEAR(recording.meter[p].computations - last.computations, expected.computations, 1e-9)
          << c.method;
      EXPECT_EQ(recording.meter[p].communications - last.communications, expected.communications)
          << c.method << ' ' << iterations;
      last = recording.meter[p];
    }
    EXPECT_GE(iterations, 4) << c.method;
    EXPECT_EQ(last.bytes, last.communications * 2 * 12 * 7 * 8) << c.method;
  }
  EXPECT_EQ(methods().size(), 11u) << "a new method belongs into this table";
}

TEST(Costs, OptionOnePaysForItsTests) {
  const Topology topology = Topology::parse("line:6", "laplacian");
  const Problem problem = make_problem({}, 6);
  const auto recording = record(problem, topology, with("ideal", {{"option", "1"}}), 100);
  EXPECT_GT(recording.meter.back().communications, 100 + 5 * 5) << "floods of diameter 5 are counted";
}

}  // namespace
}  // namespace ideal::test
