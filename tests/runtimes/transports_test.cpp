// SPDX-License-Identifier: Apache-2.0
// The same method on another transport: the same bits.
#include "support/problems.hpp"

#include <ideal/error.hpp>
#include <ideal/random.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <latch>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sched.h>

namespace ideal::test {
namespace {

std::vector<Index> one_host_each(Index agents) {
  std::vector<Index> hosts(agents);
  for (Index i = 0; i < agents; ++i) hosts[i] = i;
  return hosts;
}

/// Agents dealt at random over a number of hosts; every host gets at least one.
std::vector<Index> deal(Index agents, Index hosts, std::uint64_t seed) {
  std::vector<Index> host_of = one_host_each(agents);
  for (Index& host : host_of) host %= hosts;
  Random(seed).shuffle(host_of);
  return host_of;
}

void expect_same_bits(const Result& a, const Result& b, const std::string& what) {
  EXPECT_EQ(a.X, b.X) << what;
  ASSERT_EQ(a.trace.size(), b.trace.size()) << what;
  for (std::size_t k = 0; k < a.trace.size(); ++k) {
    EXPECT_EQ(a.trace[k].meter, b.trace[k].meter) << what;
    EXPECT_EQ(a.trace[k].worst_suboptimality, b.trace[k].worst_suboptimality) << what;
    EXPECT_EQ(a.trace[k].consensus, b.trace[k].consensus) << what;
    EXPECT_EQ(a.trace[k].iteration, b.trace[k].iteration) << what;
  }
  EXPECT_EQ(a.status, b.status) << what;
}

class EveryMethodOnThreads : public testing::TestWithParam<std::string> {
 protected:
  static Method tested() {
    Method m = method(GetParam());
    if (GetParam() == "dvr") m.set("parts", "4");  // else its steps are too small to get anywhere
    return m;
  }
  /// One gradient, then ever more rounds: the last of them take all the time.
  static bool rounds_grow() { return GetParam() == "dnc" || GetParam() == "apm-c"; }
};

INSTANTIATE_TEST_SUITE_P(Methods, EveryMethodOnThreads, testing::ValuesIn(method_names()), readable);

TEST_P(EveryMethodOnThreads, GivesTheBitsOfTheSimulatorForAnyAssignmentOfAgentsToHosts) {
  const Method m = tested();
  // Exact subproblems take long inner loops: an easier problem and a larger budget make several outer
  // iterations of them.
  const bool exact = GetParam() == "aal";
  const double computations = exact ? 320 : rounds_grow() ? 15 : 45;
  const Shape shapes[] = {{.loss = LossKind::logistic},
                          {.loss = LossKind::ridge, .density = 0.4},
                          {.loss = LossKind::softmax, .classes = 3}};
  for (const char* graph : {"cycle:8", "barbell:8", "grid:2x3"})
    for (Shape shape : shapes) {
      if (exact) shape.kappa = 2;
      const Topology topology = Topology::parse(graph, "laplacian");
      const Index n = topology.agents();
      const Problem problem = make_problem(shape, n);
      SolveOptions options;
      options.watch = {.computations = computations, .every = exact ? 40 : 5};
      const Result simulated = simulate(problem, topology, m, options);
      const std::string what = fmt::format("{} {} {}", GetParam(), graph, to_string(shape.loss));
      expect_same_bits(simulated, simulate_hosts(problem, topology, m, one_host_each(n), options), what);
      for (const Index hosts : {2, 3, 5})
        expect_same_bits(simulated, simulate_hosts(problem, topology, m, deal(n, hosts, 17), options), what);
    }
}

/// Stops at a pass of a run and goes on from the checkpoint, on every combination of simulator and hosts.
void expect_seamless_resumption(const Method& m, Index pass = 170) {
  const Topology topology = Topology::parse("cycle:6", "laplacian");
  const Problem problem = make_problem({.kappa = 2}, 6);
  const auto run = [&](const SolveOptions& options, Index hosts) {
    return hosts == 0 ? simulate(problem, topology, m, options)
                      : simulate_hosts(problem, topology, m, deal(6, hosts, 3), options);
  };
  SolveOptions options;
  options.watch = {.computations = 2.0 * static_cast<double>(pass) - 10, .every = 0};
  const Result whole = run(options, 0);
  for (const Index saving_hosts : {0, 3}) {
    Checkpoint saved;
    SolveOptions saving = options;
    saving.run = {.resume = nullptr, .checkpoint_every = pass, .on_checkpoint = [&](const Checkpoint& c) {
                    if (saved.passes == 0) saved = c;
                  }};
    run(saving, saving_hosts);
    ASSERT_EQ(saved.passes, pass);
    for (const Index resuming_hosts : {0, 2, 6}) {
      SolveOptions resuming = options;
      resuming.run.resume = &saved;
      const Result resumed = run(resuming, resuming_hosts);
      EXPECT_EQ(whole.X, resumed.X);
      EXPECT_EQ(whole.trace.back().meter, resumed.trace.back().meter);
    }
  }
}

TEST_P(EveryMethodOnThreads, ContinuesBitForBitFromACheckpointOnAnyHosts) {
  expect_seamless_resumption(tested(), rounds_grow() ? 30 : 170);
}

TEST(Runtimes, CheckpointsHoldWhatInnerSolversAndOptionsNeed) {
  expect_seamless_resumption(with("ideal", {{"option", "1"}}));
  expect_seamless_resumption(with("ideal", {{"option", "2"}}));
  expect_seamless_resumption(with("ideal", {{"accuracy", "3"}}));  // goes astray
  expect_seamless_resumption(with("ideal", {{"solver", "sgd"}, {"batch", "39"}}));
  expect_seamless_resumption(with("ideal", {{"solver", "svrg"}, {"batch", "9"}}));
  expect_seamless_resumption(with("ideal", {{"solver", "katyusha"}, {"batch", "9"}}));
  expect_seamless_resumption(with("dasg", {{"batch", "9"}}));
  expect_seamless_resumption(with("penalty-stm", {{"batch", "9"}}));
  expect_seamless_resumption(with("ssda", {{"exact", "true"}}));
}

/// Vectors are so long that a survey of the network rides on the first messages, beside the numbers by which
/// agents watch the run; with the second method they go back meanwhile.
TEST(Runtimes, WhatRidesOnMessagesGivesTheSameBits) {
  for (const char* graph : {"cycle:8", "line:9", "torus:3x3", "barbell:8"})
    for (const char* tau : {"0.01", "1", "100"})
      for (const Method& m :
           {with("auto", {{"tau", tau}}), with("auto", {{"tau", tau}, {"lambda-max", "1.2"}}),
            with("auto", {{"tau", tau}, {"L", "1e-3"}})}) {
        const Topology topology = Topology::parse(graph, "laplacian");
        const Index n = topology.agents();
        const Problem problem = make_problem({.columns = 20}, n);
        SolveOptions options;
        options.watch = {.tol = 1e-7, .certified = true, .computations = 150, .every = 5};
        const Result simulated = simulate(problem, topology, m, options);
        const std::string what = fmt::format("{} {}", graph, tau);
        for (const Index hosts : {Index{2}, Index{5}, n}) {
          const auto host_of = hosts == n ? one_host_each(n) : deal(n, hosts, 17);
          const Result spread = simulate_hosts(problem, topology, m, host_of, options);
          expect_same_bits(simulated, spread, what);
          EXPECT_EQ(simulated.notes, spread.notes) << what;
        }
        for (const double until : {5.0, 8.0, 30.0}) {
          SolveOptions part = options;
          part.watch.computations = until;
          const Checkpoint saved = simulate_hosts(problem, topology, m, deal(n, 3, 5), part).checkpoint;
          SolveOptions rest = options;
          rest.run.resume = &saved;
          EXPECT_EQ(simulate_hosts(problem, topology, m, deal(n, 4, 7), rest).X, simulated.X) << what;
        }
      }
}

TEST(Runtimes, ACheckpointOfAnotherMethodOrSizeIsRefused) {
  const Topology topology = Topology::parse("cycle:6", "laplacian");
  const Problem problem = make_problem({}, 6);
  SolveOptions options;
  options.watch = {.computations = 10, .every = 0};
  const Checkpoint saved = simulate(problem, topology, method("extra"), options).checkpoint;
  options.run.resume = &saved;
  EXPECT_THROW(simulate(problem, topology, method("ideal"), options), RunError);
  EXPECT_THROW(simulate(make_problem({.columns = 4}, 6), topology, method("extra"), options), RunError);
}

TEST(Runtimes, InnerSolversAndOptionsGiveTheSameBitsToo) {
  const Topology topology = Topology::parse("cycle:6", "laplacian");
  const Problem problem = make_problem({}, 6);
  SolveOptions options;
  options.watch = {.computations = 60, .every = 10};
  for (const auto& settings : {std::pair{"solver", "sgd"},
                               {"solver", "svrg"},
                               {"solver", "katyusha"},
                               {"solver", "gd"},
                               {"option", "1"},
                               {"carry", "true"}}) {
    const Method m = with("ideal", {settings});
    expect_same_bits(simulate(problem, topology, m, options),
                     simulate_hosts(problem, topology, m, deal(6, 3, 5), options), settings.second);
  }
  for (const char* name : {"dasg", "dmasg", "penalty-stm"}) {
    const Method m = with(name, {{"batch", "9"}});
    expect_same_bits(simulate(problem, topology, m, options),
                     simulate_hosts(problem, topology, m, deal(6, 4, 9), options), name);
  }
  for (const char* name : {"ssda", "msda"}) {
    const Method m = with(name, {{"exact", "true"}});
    expect_same_bits(simulate(problem, topology, m, options),
                     simulate_hosts(problem, topology, m, deal(6, 4, 9), options), name);
  }
}

/// Works for a while, then breaks.
class Breaking final : public Loss {
 public:
  explicit Breaking(std::shared_ptr<const Loss> f) : f_(std::move(f)) {}
  Index dimension() const override { return f_->dimension(); }
  double value(VectorRef x) const override { return f_->value(x); }
  Curvature curvature() const override { return f_->curvature(); }
  void gradient(VectorRef x, VectorOut g) const override {
    if (++calls_ > 20) throw RunError("agent 3 broke");
    f_->gradient(x, g);
  }

 private:
  std::shared_ptr<const Loss> f_;
  mutable int calls_ = 0;
};

TEST(Runtimes, AHostThatFailsEndsTheRunWithItsOwnErrorAndNobodyWaitsForever) {
  const Topology topology = Topology::parse("cycle:6", "laplacian");
  Problem problem = make_problem({}, 6);
  problem.losses[3] = std::make_shared<Breaking>(problem.losses[3]);
  SolveOptions options;
  options.watch = {.computations = 1000, .every = 0};
  try {
    simulate_hosts(problem, topology, method("ideal"), one_host_each(6), options);
    FAIL();
  } catch (const RunError& error) {
    EXPECT_STREQ(error.what(), "agent 3 broke");
  }
}

TEST(Runtimes, ALostPeerIsATypedError) {
  const Graph graph = Graph::parse("line:2");
  const Index host_of[] = {0, 1};
  auto transports = mailboxes(graph, host_of);
  auto waiting = std::async(std::launch::async, [&] { transports[0]->exchange(Block::Ones(2, 1)); });
  transports[1].reset();
  EXPECT_THROW(waiting.get(), PeerLost);
}

TEST(Runtimes, CancellationEndsEveryHostAtTheSameIterate) {
  const Topology topology = Topology::parse("cycle:4", "laplacian");
  const Problem problem = make_problem({}, 4);
  for (const bool threaded : {false, true}) {
    std::stop_source stop;
    SolveOptions options;
    options.watch = {.computations = 1e9, .cancelled = stop.get_token(), .on_row = [&](const TraceRow& row) {
                       if (row.iteration >= 3) stop.request_stop();
                     }};
    const Result result = threaded
                              ? simulate_hosts(problem, topology, method("extra"), one_host_each(4), options)
                              : simulate(problem, topology, method("extra"), options);
    EXPECT_EQ(result.status, Status::interrupted);
    const double reached = result.trace.back().meter.computations;
    EXPECT_GE(reached, 4);
    EXPECT_EQ(result.X, run_for(problem, topology, method("extra"), reached).X);
  }
}

/// Takes its time.
class Slow final : public Loss {
 public:
  explicit Slow(std::shared_ptr<const Loss> f) : f_(std::move(f)) {}
  Index dimension() const override { return f_->dimension(); }
  double value(VectorRef x) const override { return f_->value(x); }
  Curvature curvature() const override { return f_->curvature(); }
  void gradient(VectorRef x, VectorOut g) const override {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    f_->gradient(x, g);
  }

 private:
  std::shared_ptr<const Loss> f_;
};

TEST(Runtimes, SlowHostsHearARequestToStopAfterAFewPasses) {
  const Topology topology = Topology::parse("line:2", "laplacian");
  Problem problem = make_problem({}, 2);
  for (auto& loss : problem.losses) loss = std::make_shared<Slow>(loss);
  std::stop_source stop;
  SolveOptions options;
  options.watch = {.computations = 300, .every = 0, .cancelled = stop.get_token()};
  stop.request_stop();
  const Result result = simulate_hosts(problem, topology, method("extra"), one_host_each(2), options);
  EXPECT_EQ(result.status, Status::interrupted);
  EXPECT_LE(result.trace.back().meter.computations, 8);
}

TEST(Runtimes, BadAssignmentsStartsAndLossesAreRefused) {
  const Topology topology = Topology::parse("cycle:4", "laplacian");
  Problem problem = make_problem({}, 4);
  for (const std::vector<Index>& hosts :
       {std::vector<Index>{}, {0, 1, 2}, {0, 0, 2, 2}, {-1, 0, 1, 2}, {1, 1, 1, 1}})
    EXPECT_THROW(simulate_hosts(problem, topology, method("extra"), hosts), InputError);
  SolveOptions options;
  options.start = Vector::Zero(3);
  EXPECT_THROW(simulate(problem, topology, method("extra"), options), InputError);
  problem.losses[2] = make_problem({.columns = 5}, 4).losses[2];
  EXPECT_THROW(simulate(problem, topology, method("extra")), InputError);
}

TEST(Threads, RunEveryItemOnceAndPassExceptionsOn) {
  for (const int count : {1, 2, 5}) {
    Threads threads(count);
    for (const Index items : {0, 1, 3, 4, 7, 9, 1000}) {
      std::vector<int> hits(items, 0);
      threads.each(items, [&](Index i) { ++hits[i]; });
      EXPECT_TRUE(std::ranges::all_of(hits, [](int h) { return h == 1; })) << count << ' ' << items;
    }
    EXPECT_THROW(threads.each(50,
                              [](Index i) {
                                if (i == 33) throw RunError("x");
                              }),
                 RunError);
    threads.each(10, [](Index) {});  // still usable
  }
}

TEST(Threads, TakeFewItemsAsOneRange) {
  Threads threads(3);
  for (const Index items : {3, 4, 9}) {
    std::atomic<Index> ranges = 0, covered = 0;
    const auto count = [&](Index first, Index end) {
      ++ranges;
      covered += end - first;
    };
    threads.ranges(items, count, 4);
    EXPECT_EQ(covered, items);
    EXPECT_EQ(ranges, items < 4 ? 1 : 3);
  }
}

TEST(Threads, HelpOutWhoIsSlow) {
  constexpr int items = 2 * Threads::several;
  Threads threads(2);
  std::atomic<int> done = 0;
  bool alone = true;
  threads.each(items, [&](Index i) {  // the first item takes as long as all others together
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (i == 0 && done < items - 1 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    if (i == 0) alone = done < items - 1;
    ++done;
  });
  EXPECT_FALSE(alone) << "nobody took what its thread had not begun";
}

TEST(Threads, DoNothingTwiceInManyShortRegions) {
  Threads threads(3);
  std::vector<int> hits(50, 0);
  constexpr int regions = 5000;
  for (int k = 0; k < regions; ++k) {  // in one range a thread, in several, and in the caller's own
    const auto count = [&](Index first, Index end) {
      for (Index i = first; i < end; ++i) ++hits[i];
      if (first == 0 && k % 7 == 0) throw RunError("a range fails, and the others are done all the same");
    };
    const auto region = [&] {
      threads.ranges(std::ssize(hits), count, k % 3 == 2 ? 100 : 2, k % 3 == 0 ? 1 : Threads::several,
                     k % 2 == 0 ? Way::there : Way::back);
    };
    if (k % 7 == 0)
      EXPECT_THROW(region(), RunError);
    else
      region();
  }
  EXPECT_EQ(hits, std::vector<int>(50, regions));
}

/// A team is spread over the cores when it starts, and may go wherever the system wants it to afterwards.
TEST(Threads, MayRunOnEveryCoreOfTheProcess) {
  cpu_set_t all;
  ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
  constexpr int count = 3;
  Threads threads(count);
  std::latch met(count);  // each on a thread of its own
  std::atomic<int> free = 0;
  threads.each(count, [&](Index) {
    met.arrive_and_wait();
    cpu_set_t own;
    if (sched_getaffinity(0, sizeof own, &own) == 0 && CPU_EQUAL(&own, &all)) ++free;
  });
  EXPECT_EQ(free, count);
}

}  // namespace
}  // namespace ideal::test
