// SPDX-License-Identifier: Apache-2.0
// What an iteration of each method costs, against the table of docs/methods.md.
#include "support/recorder.hpp"

#include <ideal/random.hpp>

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
  Index still_to_come = 0;            // rounds of an iteration that are made together with the next gradient
  Index steps = 300;                  // enough for a few iterations
};

TEST(Costs, EveryIterationCostsWhatTheTableSays) {
  const Topology topology = Topology::parse("cycle:12", "laplacian");
  const Problem problem = make_problem({.kappa = 30}, 12);
  const double root_kappa_W = std::sqrt(topology.spectrum().kappa()),
               theta = 1 / std::sqrt(problem.constants.kappa());
  const Index J = static_cast<Index>(root_kappa_W);
  ASSERT_GT(J, 2);
  const Index exact_steps = static_cast<Index>(std::ceil(75 * std::sqrt(2 * problem.constants.kappa())));
  const auto constant = [](double computations, Index communications) {
    return [=](Index) { return Cost{computations, communications}; };
  };
  const Case cases[] = {
      {"ideal", {{"T", "9"}}, constant(9, 9), 1},
      {"ideal", {{"T", "9"}, {"solver", "gd"}}, constant(9, 9), 1},
      {"ideal",
       {{"T", "9"}, {"solver", "sgd"}, {"batch", "5"}, {"growth", "1"}},
       constant(9 * 5 / 20.0, 9),
       1},
      // Whole gradients at steps 0, 4 and 8, and else the change from there on two batches; Katyusha's point
      // is its snapshot at step 0 only.
      {"ideal",
       {{"T", "9"}, {"solver", "svrg"}, {"batch", "5"}, {"epoch", "4"}},
       constant(3 + 6 * 2 * 5 / 20.0, 9),
       1},
      {"ideal",
       {{"T", "9"}, {"solver", "katyusha"}, {"batch", "5"}, {"epoch", "4"}},
       constant(3 + 8 * 2 * 5 / 20.0, 9),
       1},
      {"mideal", {{"T", "9"}}, constant(9, 9 * J), J},
      {"mideal", {{"T", "9"}, {"J", "5"}}, constant(9, 45), 5},
      {"ideal", {{"solver", "jacobi"}, {"T", "3"}, {"local-steps", "4"}}, constant(12, 3)},
      {"ideal", {{"solver", "jacobi"}, {"T", "3"}, {"exact", "true"}}, constant(3, 3)},
      {"ideal", {{"solver", "gauss-seidel"}, {"T", "3"}, {"exact", "true"}}, constant(6, 6)},  // two colours
      {"ideal", {{"solver", "admm"}, {"T", "3"}, {"exact", "true"}}, constant(3, 3)},
      {"mideal", {{"solver", "jacobi"}, {"T", "3"}, {"exact", "true"}}, constant(3, 3 * J)},
      {"al", {{"T", "4"}}, constant(4, 4), 1},
      {"aal", {}, constant(static_cast<double>(exact_steps), exact_steps), 1, 5 * exact_steps},
      {"dal-jacobi", {{"T", "3"}, {"passes", "2"}}, constant(6, 2)},
      {"dal-jacobi", {{"exact", "true"}}, constant(1, 1)},
      {"dal-gauss-seidel", {{"T", "3"}, {"passes", "2"}}, constant(12, 4)},  // two colours
      {"dadmm", {{"T", "5"}}, constant(5, 1)},
      {"dadmm", {{"exact", "true"}}, constant(1, 1)},
      {"ssda", {{"exact", "true"}}, constant(1, 1)},
      {"ssda", {{"T", "6"}}, constant(6, 1)},
      {"msda", {{"exact", "true"}}, constant(1, J)},
      {"msda", {{"T", "6"}}, constant(6, J)},
      {"dual-fgm", {{"exact", "true"}}, constant(1, 1)},
      {"dual-fgm", {{"T", "6"}}, constant(6, 1)},
      {"heavy-ball-ode", {{"exact", "true"}}, constant(4, 4)},
      {"heavy-ball-ode", {{"T", "6"}}, constant(24, 4)},
      {"spdstm", {{"exact", "true"}}, constant(1, 1)},
      {"spdstm", {{"T", "6"}}, constant(6, 1)},
      {"extra", {}, constant(1, 1), 1},
      {"nids",
       {},
       [](Index k) {
         return Cost{1, k == 1 ? 0 : 1};
       }},
      {"dgd", {}, constant(1, 1), 1},
      {"dng", {}, constant(1, 1), 1},
      {"dnc",
       {},
       [&](Index k) {
         const double forgetting = -std::log(1 - 1 / topology.spectrum().kappa()), log_k = std::log(k);
         return Cost{1, static_cast<Index>(std::ceil(2 * log_k / forgetting)) +
                            static_cast<Index>(std::ceil((std::log(3.0) + 2 * log_k) / forgetting))};
       }},
      {"dual-averaging", {}, constant(1, 1), 1},
      {"apm-c",
       {},
       [&](Index k) {
         return Cost{1, static_cast<Index>(std::ceil(static_cast<double>(k) * theta * root_kappa_W))};
       }},
      {"opapc", {}, constant(1, J)},
      {"opapc", {{"J", "5"}}, constant(1, 5)},
      {"apapc", {}, constant(1, 1)},
      {"optra", {}, constant(1, 2 * J)},
      {"diging", {}, constant(1, 2), 2},
      {"push-diging", {}, constant(1, 2), 1},
      {"atc-diging", {}, constant(1, 2), 1},
      {"sonata", {{"T", "4"}}, constant(4, 2), 1},
      {"sonata", {{"exact", "true"}}, constant(2, 2), 1},
      {"mudag", {}, constant(1, static_cast<Index>(std::ceil(root_kappa_W * std::log(30.0))))},
      {"mudag", {{"K", "7"}}, constant(1, 7)},
      {"acc-dngd", {}, constant(1, 3), 3},
      {"ideal1", {{"J", "3"}, {"follow", "false"}}, constant(1, 3)},
      {"mspd", {{"T", "4"}, {"lipschitz", "1"}, {"radius", "1"}}, constant(4, J), J},
      {"mspd",
       {{"J", "2"}, {"lipschitz", "1"}, {"radius", "1"}},
       [](Index k) {
         return Cost{static_cast<double>(k), 2};
       },
       2},
      {"drs", {{"K", "4"}, {"lipschitz", "1"}, {"radius", "1"}}, constant(4, 12)},
      {"drs",
       {{"lipschitz", "1"}, {"radius", "1"}},
       [](Index k) {
         return Cost{std::ceil(static_cast<double>(k) / (4 * std::sqrt(7.0))), 12};
       }},
      {"fedavg", {{"T", "4"}}, constant(4, 12)},  // the radius of the cycle is six
      {"dasg", {{"batch", "5"}}, constant(5 / 20.0, 1), 1},
      {"dmasg", {{"batch", "5"}}, constant(5 / 20.0, 1), 1},
      {"penalty-stm",
       {{"batch", "5"}, {"J", "3"}},
       [](Index k) {
         return k == 1 ? Cost{2 + 5 / 20.0, 6} : Cost{5 / 20.0, 3};  // first a look at the rows, told to all
       }},
      {"dvr",
       {{"p", "0.5"}, {"J", "3"}, {"parts", "10"}},
       [](Index k) {
         if (k == 1) return Cost{1, 0};
         const bool talks = Random(0, 1ULL << 63 | static_cast<std::uint64_t>(k - 1)).uniform() < 0.5;
         return talks ? Cost{0, 3} : Cost{1 / 10.0, 0};
       }},
      {"gd", {}, constant(1, 0)},
      {"agd", {}, constant(1, 0)},
  };
  for (const Case& c : cases) {
    Method m = unguarded(c.method);
    for (const auto& [key, value] : c.settings) m.set(key, value);
    const auto recording = record(problem, topology, m, c.steps);
    Meter last;
    Index iterations = 0;
    for (std::size_t p = 1; p < recording.X.size(); ++p) {
      if (recording.iteration[p] == recording.iteration[p - 1]) continue;
      const Cost expected = c.cost(++iterations);
      EXPECT_NEAR(recording.meter[p].computations - last.computations, expected.computations, 1e-9)
          << c.method;
      const Index to_come = iterations == 1 ? c.still_to_come : 0;
      EXPECT_EQ(recording.meter[p].communications - last.communications, expected.communications - to_come)
          << c.method << ' ' << iterations;
      last = recording.meter[p];
    }
    EXPECT_GE(iterations, 4) << c.method;
    if (method(c.method).about().certifies) continue;      // numbers ride on its messages
    if (c.method == std::string("penalty-stm")) continue;  // its first messages are shorter
    // The push-sum weight travels with every other message, the first of all included.
    const Index weights = c.method == std::string("push-diging") ? (last.communications + 1) / 2 : 0;
    EXPECT_EQ(last.bytes, (last.communications * 7 + weights) * 2 * 12 * 8) << c.method;
  }
  EXPECT_EQ(methods().size(), 39u) << "a new method belongs into this table";
}

TEST(Costs, OptionOnePaysForItsTests) {
  const Topology topology = Topology::parse("line:6", "laplacian");
  const Problem problem = make_problem({.kappa = 50}, 6);
  const auto recording = record(problem, topology, with("ideal", {{"option", "1"}}), 300);
  const Index diameter = 5, check_every = 3;  // ceil(sqrt(kappa_in) / 4), kappa_in = 2 * 50
  Index floods = 1, t = 0;                    // the first finds the dual gap
  for (std::size_t p = 1; p < recording.X.size(); ++p) {
    if (++t % check_every == 0) ++floods;
    if (recording.iteration[p] > recording.iteration[p - 1]) t = 0;
  }
  EXPECT_GT(recording.iteration.back(), 3);
  EXPECT_EQ(recording.meter.back().communications, 299 + floods * diameter)
      << "the last iterate stays at home";
}

TEST(Costs, OptionThreePaysInBytesOnly) {
  const Topology topology = Topology::parse("line:6", "laplacian");
  const Problem problem = make_problem({.kappa = 50}, 6);
  const Index diameter = 5, links = 10, rows = 7, numbers = 2;
  for (const Index J : {Index{1}, Index{2}, Index{7}}) {
    const Method m = J == 1 ? method("ideal") : with("mideal", {{"J", std::to_string(J)}});
    const auto recording = record(problem, topology, m, 400);
    Index laden = 0, t = 0;
    for (std::size_t p = 1; p < recording.X.size(); ++p) {
      ++t;
      const bool ended = recording.iteration[p] > recording.iteration[p - 1];
      if (ended) {
        // Told with the first step, and anew as soon as all know.
        EXPECT_EQ((t - 1) % ((diameter + J - 1) / J), 0) << "outer iteration " << recording.iteration[p];
        t = 0;
      } else if (p + 1 < recording.X.size()) {
        laden += J;
      }
    }
    const Meter& spent = recording.meter.back();
    EXPECT_GT(recording.iteration.back(), 3);
    EXPECT_EQ(spent.communications, 399 * J) << "the last iterate stays at home";
    EXPECT_EQ(spent.bytes, links * 8 * (rows * spent.communications + numbers * laden));
  }
}

TEST(Costs, ABatchCountsAsItsShareOfTheRows) {
  const Problem problem = make_problem({}, 4);  // 60 rows each
  Meter meter;
  Threads threads;
  Objective F(problem.losses, {0, 1, 2, 3}, problem.constants, 0, meter, threads);
  const Block X = Block::Ones(7, 4);
  F.gradient(X, 15, 0);
  EXPECT_DOUBLE_EQ(meter.computations, 0.25);
  const Block batched = F.gradient(X, 1000, 1);
  EXPECT_DOUBLE_EQ(meter.computations, 1.25);
  EXPECT_EQ(batched, F.gradient(X)) << "a batch as large as the data is the data";
}

}  // namespace
}  // namespace ideal::test
