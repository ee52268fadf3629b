// SPDX-License-Identifier: Apache-2.0
// Groups of agents that run ahead of others: the same bits as all agents at once.
#include "core/waves.hpp"

#include "core/fiber.hpp"
#include "support/problems.hpp"

#include <ideal/error.hpp>

#include <atomic>
#include <cmath>
#include <functional>
#include <stdexcept>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace ideal::test {
namespace {

/// All that can be told of a run.
struct Seen {
  Ran ran;
  Trace trace;
  Status status;
  std::vector<std::string> notes;
};

struct Case {
  const Problem& problem;
  const Topology& topology;
  const Method& method;
  Watch watch = {};
  Run::Options run = {};
};

/// With no wave: all agents at once.
Seen run(const Case& c, const std::optional<Wave>& wave, int count = 1) {
  const auto transport = in_process(c.topology.agents());
  Threads threads(count);
  Observer observer(c.problem.losses, c.problem.reference, c.watch, *transport, threads,
                    c.problem.constants.L, c.run.resume ? c.run.resume->passes + 1 : 0,
                    c.problem.regulariser);
  const Vector start = Vector::Zero(c.problem.losses.front()->dimension());
  Seen seen;
  if (wave) {
    seen.ran =
        run_in_waves(c.problem, c.topology, c.method, *wave, start, observer, threads, 0, c.run).value();
  } else {
    Meter meter;
    const auto hosted = transport->hosted();
    Objective F(c.problem.losses, {hosted.begin(), hosted.end()}, c.problem.constants, 0, meter, threads,
                c.problem.regulariser);
    Network W(c.topology, *transport, meter, threads);
    Run at_once(observer, meter, c.run);
    seen.ran.X = c.method(F, W, at_once, start.replicate(1, F.agents()));
    seen.ran.meter = meter;
    seen.ran.parameters = at_once.parameters();
    seen.ran.checkpoint = at_once.final_checkpoint();
  }
  seen.trace = observer.trace();
  seen.status = observer.status();
  seen.notes = observer.notes();
  return seen;
}

void expect_same(const Seen& a, const Seen& b, const std::string& what) {
  EXPECT_EQ(a.ran.X, b.ran.X) << what;
  EXPECT_EQ(a.ran.meter, b.ran.meter) << what;
  EXPECT_EQ(a.ran.parameters, b.ran.parameters) << what;
  EXPECT_EQ(a.ran.checkpoint.passes, b.ran.checkpoint.passes) << what;
  EXPECT_EQ(a.ran.checkpoint.meter, b.ran.checkpoint.meter) << what;
  EXPECT_EQ(a.ran.checkpoint.state, b.ran.checkpoint.state) << what;
  EXPECT_EQ(a.status, b.status) << what;
  EXPECT_EQ(a.notes, b.notes) << what;
  ASSERT_EQ(a.trace.size(), b.trace.size()) << what;
  const auto same = [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); };
  for (std::size_t k = 0; k < a.trace.size(); ++k) {
    EXPECT_EQ(a.trace[k].meter, b.trace[k].meter) << what;
    EXPECT_EQ(a.trace[k].iteration, b.trace[k].iteration) << what;
    EXPECT_PRED2(same, a.trace[k].worst_suboptimality, b.trace[k].worst_suboptimality) << what;
    EXPECT_EQ(a.trace[k].consensus, b.trace[k].consensus) << what;
  }
}

std::vector<std::string> local_methods() {
  std::vector<std::string> names;
  for (const Method& m : methods())
    if (m.about().local) names.push_back(m.about().name);
  return names;
}

class EveryLocalMethod : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Waves, EveryLocalMethod, testing::ValuesIn(local_methods()), readable);

TEST_P(EveryLocalMethod, GivesTheSameBitsInWavesOfAnyShape) {
  const Method m = method(GetParam());
  for (const char* graph : {"cycle:20", "line:17", "grid:4x5", "star:9", "complete:7"}) {
    const Topology topology = Topology::parse(graph, "metropolis");
    const Problem problem = make_problem({.rows = 400}, topology.agents());
    const Case c{problem, topology, m, {.computations = 47, .every = 10}};
    const Seen at_once = run(c, {});
    EXPECT_EQ(at_once.trace.size(), 6) << "the start, four on the way, the end";
    for (const Wave& wave : {Wave{1, 3}, Wave{3, 8}, Wave{5, 100}, Wave{100, 4}})
      for (const int threads : {1, 2, 3})
        expect_same(at_once, run(c, wave, threads),
                    fmt::format("{} {} {} {} {}", GetParam(), graph, wave.group, wave.passes, threads));
  }
}

TEST_P(EveryLocalMethod, SavesAndResumesInWaves) {
  const Method m = method(GetParam());
  const Topology topology = Topology::parse("cycle:12", "laplacian");
  const Problem problem = make_problem({.kappa = 5}, 12);
  const Wave wave{.group = 4, .passes = 7};
  std::vector<Checkpoint> saved;
  Case c{problem, topology, m, {.computations = 90, .every = 20}};
  const Seen whole = run(c, {});
  c.run = {.resume = nullptr, .checkpoint_every = 30, .on_checkpoint = [&](const Checkpoint& s) {
             saved.push_back(s);
           }};
  expect_same(whole, run(c, wave, 2), "saving");
  ASSERT_GE(saved.size(), 2);
  EXPECT_EQ(saved[0].passes, 30);
  c.run = {.resume = &saved[0]};
  for (const auto& by : {std::optional<Wave>(), std::optional(wave)}) {
    const Seen resumed = run(c, by, 2);
    EXPECT_EQ(whole.ran.X, resumed.ran.X);
    EXPECT_EQ(whole.ran.meter, resumed.ran.meter);
    EXPECT_EQ(whole.trace.back().worst_suboptimality, resumed.trace.back().worst_suboptimality);
  }
}

TEST(Waves, GoBackTogetherWhereTheRunGoesAstray) {
  const Topology topology = Topology::parse("cycle:12", "laplacian");
  const Problem problem = make_problem({.loss = LossKind::ridge}, 12);
  for (const char* name : {"nids", "extra"}) {
    const Method m = with(name, {{"step-scale", "9"}});
    const Case c{problem, topology, m, {.computations = 300, .every = 50}};
    const Seen at_once = run(c, {});
    EXPECT_FALSE(at_once.notes.empty()) << name << " goes astray";
    expect_same(at_once, run(c, Wave{3, 16}, 2), name);
  }
}

TEST(Waves, KeepARegulariserAndEndWhereToleranceSays) {
  const Topology topology = Topology::parse("cycle:9", "laplacian");
  Problem problem = make_problem({.kappa = 5}, 9);
  const Method nids = method("nids");
  const Case by_tolerance{problem, topology, nids, {.tol = 1e-6, .computations = 5000, .every = 7}};
  const Seen reached = run(by_tolerance, Wave{2, 16}, 2);
  EXPECT_EQ(reached.status, Status::converged);
  expect_same(run(by_tolerance, {}), reached, "tolerance");
  problem.reference.reset();
  problem.regulariser = {.l1 = 0.01};
  const Case composite{problem, topology, nids, {.computations = 60, .every = 10}};
  expect_same(run(composite, {}), run(composite, Wave{2, 16}, 2), "l1");
}

/// A ball, in two dimensions, that does something at each gradient but those before a run.
class Acting final : public Loss {
 public:
  explicit Acting(std::function<void(int gradient)> act) : act_(std::move(act)) {}
  Index dimension() const override { return 2; }
  double value(VectorRef x) const override { return x.squaredNorm() / 2; }
  void gradient(VectorRef x, VectorOut g) const override {
    act_(++gradients_);
    g = x;
  }
  Curvature curvature() const override { return {1, 1}; }

 private:
  std::function<void(int)> act_;
  mutable std::atomic<int> gradients_{0};
};

/// Nine agents on a cycle, one of whom acts.
Problem one_acts(std::function<void(int gradient)> act) {
  Problem problem = make_problem({.columns = 2}, 9);
  problem.losses[5] = std::make_shared<Acting>(std::move(act));
  return problem;
}

TEST(Waves, EndSoonAfterTheyAreTold) {
  const Topology topology = Topology::parse("cycle:9", "laplacian");
  const Method nids = method("nids");
  for (const int threads : {1, 2}) {
    std::stop_source stop;
    const Problem problem = one_acts([&stop](int gradient) {
      if (gradient == 20) stop.request_stop();
    });
    const Case c{problem, topology, nids, {.every = 0, .cancelled = stop.get_token()}};
    const Seen seen = run(c, Wave{3, 16}, threads);
    EXPECT_EQ(seen.status, Status::interrupted);
    EXPECT_GE(seen.ran.meter.computations, 19);
    EXPECT_LE(seen.ran.meter.computations, 20 + 16);
  }
}

/// Looks whenever it likes, which differs from question to question.
class Moody final : public Monitor {
 public:
  bool more(const Block&, Index iteration, const Meter&) override {
    ++looked;
    return iteration < 100;
  }
  bool looks(Index, const Meter&) const override { return ++asked_ % 3 == 0; }
  int looked = 0;

 private:
  mutable int asked_ = 0;
};

TEST(Waves, StayTogetherWhateverTheMonitorSays) {
  const Topology topology = Topology::parse("cycle:9", "laplacian");
  const Problem problem = make_problem({}, 9);
  const Method nids = method("nids");
  for (const int count : {1, 2, 3}) {
    Threads threads(count);
    Moody moody;
    const auto ran = run_in_waves(problem, topology, nids, {2, 8},
                                  Vector::Zero(problem.losses[0]->dimension()), moody, threads, 0, {});
    ASSERT_TRUE(ran);
    EXPECT_GE(ran->meter.computations, 100);
    EXPECT_GT(moody.looked, 10);
  }
}

TEST(Waves, HaveRoomForWhatALossNeeds) {
  const Topology topology = Topology::parse("cycle:9", "laplacian");
  const Method nids = method("nids");
  std::atomic<double> sum = 0;
  const Problem problem = one_acts([&sum](int) {
    const Block A = Block::Ones(128, 128);
    const Block AA = A * A;  // Eigen takes 256 KB of the stack for this
    sum += AA(3, 4);
  });
  const Case c{problem, topology, nids, {.computations = 20, .every = 0}};
  const Seen in_waves = run(c, Wave{2, 16}, 2);
  EXPECT_EQ(sum, 20 * 128);
  EXPECT_EQ(in_waves.ran.X, run(c, {}).ran.X);
}

TEST(Waves, ThrowWhatOneAgentThrowsAndLeaveAllOthers) {
  const Topology topology = Topology::parse("cycle:9", "laplacian");
  const Method nids = method("nids");
  for (const int threads : {1, 2, 3}) {
    const Problem problem = one_acts([](int gradient) {
      if (gradient == 3) throw RunError("no more gradients");
    });
    const Case c{problem, topology, nids, {.computations = 20, .every = 0}};
    try {
      run(c, Wave{2, 16}, threads);
      ADD_FAILURE() << "nothing was thrown";
    } catch (const RunError& error) {
      EXPECT_STREQ(error.what(), "no more gradients");
    }
  }
}

/// Of `n` agents with `rows` rows of `columns` numbers.
Problem large_problem(Index n, Index rows, Index columns) {
  return make_problem({.rows = n * rows, .columns = columns, .partition = "contiguous"}, n);
}

TEST(Waves, AreForMoreRowsThanACacheHoldsWhoseAgentsHaveNeighboursNearby) {
  const Problem large = large_problem(1200, 20, 50), small = large_problem(100, 20, 50);
  const Topology cycle = Topology::parse("cycle:1200", "laplacian"),
                 few = Topology::parse("cycle:100", "laplacian");
  const Method nids = method("nids");
  const auto transport = in_process(1);
  Threads threads;
  const auto watched_every = [&](Index every) {
    return Observer(large.losses, large.reference, {.every = every}, *transport, threads, 1);
  };
  const Observer now_and_then = watched_every(100), always = watched_every(1);
  const auto wave = wave_for(large, cycle, nids, now_and_then, 1);
  ASSERT_TRUE(wave);
  EXPECT_GT(wave->group, 1);
  EXPECT_GT(wave->passes, 2);
  EXPECT_FALSE(wave_for(large, cycle, nids, always, 1)) << "somebody wants to see every iterate";
  EXPECT_FALSE(wave_for(small, few, nids, now_and_then, 1)) << "a cache holds it";
  EXPECT_FALSE(wave_for(large, cycle, nids, now_and_then, 64)) << "a thread's part of the cache is too small";
  EXPECT_FALSE(wave_for(large, cycle, method("gd"), now_and_then, 1)) << "needs all agents at once";
  EXPECT_FALSE(wave_for(large, Topology::parse("regular:1200,4", "laplacian"), nids, now_and_then, 1))
      << "neighbours are anywhere";
  EXPECT_FALSE(wave_for(large, Topology::parse("awake:0.5:cycle:1200", "laplacian"), nids, now_and_then, 1))
      << "the network changes";
}

/// As many rows in all, of which agent 0 has a hundredth.
TEST(Waves, AreForAgentsOfAboutOneSize) {
  constexpr Index n = 1200, rows = 24000;
  const auto data = std::make_shared<const Dataset>(synthesize({.rows = rows, .columns = 50}));
  const auto waves_with = [&](Index first_agents_rows) {
    std::vector<Index> offsets{0};
    for (Index i = 0; i < n; ++i)
      offsets.push_back(first_agents_rows + i * (rows - first_agents_rows) / (n - 1));
    Problem problem;
    problem.losses = make_losses(data, offsets, LossKind::logistic, 1e-3);
    problem.constants = {.L = 1, .mu = 1e-3};
    const auto transport = in_process(1);
    Threads threads;
    const Observer rarely(problem.losses, {}, {.every = 100}, *transport, threads, 1);
    return wave_for(problem, Topology::parse("cycle:1200", "laplacian"), method("nids"), rarely, 1);
  };
  EXPECT_TRUE(waves_with(20));
  EXPECT_FALSE(waves_with(240));
}

TEST(Waves, ASimulationHasTheBitsOfOneThatIsLookedAtAllTheTime) {
  const Problem problem = large_problem(1200, 20, 50);
  const Topology cycle = Topology::parse("cycle:1200", "laplacian");
  SolveOptions options;
  options.watch = {.computations = 12, .every = 1};
  const Result at_once = simulate(problem, cycle, method("nids"), options);
  options.watch.every = 6;
  for (const int threads : {1, 2}) {
    options.threads = threads;
    const auto transport = in_process(1);
    Threads one;
    const Observer watching(problem.losses, {}, options.watch, *transport, one, 1);
    ASSERT_TRUE(wave_for(problem, cycle, method("nids"), watching, threads));
    const Result in_waves = simulate(problem, cycle, method("nids"), options);
    EXPECT_EQ(at_once.X, in_waves.X);
    EXPECT_EQ(at_once.trace.back().meter, in_waves.trace.back().meter);
    EXPECT_EQ(at_once.trace.back().worst_suboptimality, in_waves.trace.back().worst_suboptimality);
    EXPECT_EQ(at_once.checkpoint.state, in_waves.checkpoint.state);
    EXPECT_GT(in_waves.computing, 0);
    EXPECT_GT(in_waves.mixing, 0);
    EXPECT_LT(in_waves.computing + in_waves.mixing, 1.01 * in_waves.trace.back().seconds);
  }
}

TEST(Fibers, TakeTurns) {
  std::string said;
  const auto speaker = [&](char word) {
    return [&said, word] {
      for (int k = 0; k < 3; ++k) {
        said += word;
        Fiber::pause();
      }
    };
  };
  Fiber a(speaker('a')), b(speaker('b'));
  while (!a.ended()) {
    a.resume();
    b.resume();
  }
  EXPECT_EQ(said, "ababab");
  EXPECT_TRUE(b.ended());
}

TEST(Fibers, ThrowToWhoResumesThem) {
  Fiber fiber([] {
    Fiber::pause();
    throw std::runtime_error("enough");
  });
  fiber.resume();
  EXPECT_THROW(fiber.resume(), std::runtime_error);
  EXPECT_TRUE(fiber.ended());
}

TEST(Fibers, LeaveTheirFunctionsWhereTheyAreAbandoned) {
  struct Guest {
    explicit Guest(int& count) : count_(count) { ++count_; }
    ~Guest() { --count_; }
    int& count_;
  };
  int guests = 0;
  {
    Fiber started([&] {
      const Guest guest(guests);
      Fiber::pause();
      ADD_FAILURE() << "nobody resumed it";
    });
    const Fiber never_started([&] { ADD_FAILURE() << "nobody resumed it"; });
    started.resume();
    EXPECT_EQ(guests, 1);
  }
  EXPECT_EQ(guests, 0);
}

}  // namespace
}  // namespace ideal::test
