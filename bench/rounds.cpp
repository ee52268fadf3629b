// SPDX-License-Identifier: Apache-2.0
#include "groups.hpp"
#include "limits.hpp"
#include "numpy.hpp"
#include "problems.hpp"
#include "race.hpp"

#include <ideal/ideal.hpp>

#include <algorithm>
#include <chrono>
#include <numeric>

#include <fmt/format.h>

namespace bench {

namespace {

using namespace ideal;

/// So many rounds, in slices of which the lower quartile counts.
struct Rounds {
  int count, slice;
};

/// Lets a method do its rounds and times them, the first few apart; nothing is recorded.
class Clocked final : public Monitor {
 public:
  explicit Clocked(Rounds rounds) : rounds_(rounds) {
    slices_.reserve(static_cast<std::size_t>(rounds.count / rounds.slice));
  }

  /// Asked in every pass, or only at the ends of slices.
  bool more(const Block&, Index, const Meter& meter) override {
    const auto now = Clock::now();
    if (!looks(0, meter)) {
      ++passes_;
      return true;
    }
    if (!measuring_)
      measuring_ = passes_ > least && now - begin_ >= awake_after;
    else
      slices_.push_back(std::chrono::duration<double>(now - start_).count());
    ++passes_;
    start_ = Clock::now();
    return std::ssize(slices_) * rounds_.slice < rounds_.count;
  }
  bool looks(Index others, const Meter&) const override { return (passes_ + others) % rounds_.slice == 0; }
  void left_out(Index passes) override { passes_ += passes; }

  [[nodiscard]] double seconds_a_round() const { return lower_quartile(slices_) / rounds_.slice; }

 private:
  using Clock = std::chrono::steady_clock;
  // New threads begin on any core; it takes the kernel a while to part two that share one.
  static constexpr int least = 3;
  static constexpr std::chrono::milliseconds awake_after{30};
  Rounds rounds_;
  bool measuring_ = false;
  Index passes_ = 0;
  Clock::time_point begin_ = Clock::now(), start_;
  std::vector<double> slices_;
};

double seconds_a_round(const Problem& problem, const Topology& cycle, const Method& method, int threads,
                       Rounds rounds) {
  Clocked clock(rounds);
  SolveOptions options;
  options.threads = threads;
  simulate(problem, cycle, method, clock, options);
  return clock.seconds_a_round();
}

double seconds_a_round(Numpy& numpy, Rounds rounds) {
  return numpy.seconds_a_round(rounds.count, rounds.slice);
}

Topology cycle_of(Index agents) { return Topology::parse(fmt::format("cycle:{}", agents), "laplacian"); }

/// One gradient and one round of the network an iteration: NIDS where it is registered.
Method single_loop_method() {
  const auto is_nids = [](const Method& m) { return m.about().name == "nids"; };
  return method(std::ranges::any_of(methods(), is_nids) ? "nids" : "extra");
}

void inner_ideal_round(Report& report) {
  constexpr Index rows = 12000, columns = 784, agents = 8;
  constexpr int threads = 2;
  constexpr Rounds rounds{.count = 20, .slice = 1};
  const auto doubles = random_rows(rows, columns), floats = random_rows(rows, columns, Values::floats);
  const Problem wide = shared_by(agents, doubles), narrow = shared_by(agents, floats);
  const Topology cycle = cycle_of(agents);
  const Method ideal = method("ideal");
  Threads team(threads);
  Numpy numpy({.method = "ideal", .rows = rows, .columns = columns, .agents = agents}, threads);
  Numpy numpy_floats(
      {.method = "ideal", .rows = rows, .columns = columns, .agents = agents, .type = "float32"}, threads);
  report.note("NumPy", numpy.version());

  Race race;
  race.enter("float64", [&] { return seconds_a_round(wide, cycle, ideal, threads, rounds); });
  race.enter("read", timed(threads, [&] { read_once(team, values_of(*doubles)); }));
  race.enter("float32", [&] { return seconds_a_round(narrow, cycle, ideal, threads, rounds); });
  race.enter(
      "NumPy", [&] { return seconds_a_round(numpy, rounds); }, true);
  race.enter(
      "NumPy float32", [&] { return seconds_a_round(numpy_floats, rounds); }, true);
  race.run();

  const std::string item = fmt::format("IDEAL, inner, {} x {}, n = {}", rows, columns, agents);
  report.add({item, threads, race.speed("read", "float64"), "x the time to read the data", at_most(1.12)});
  report.add({item, threads, race.speed("float64", "NumPy"), "x NumPy", at_least(2)});
  report.add(
      {item + ", float32", threads, race.speed("float32", "NumPy"), "x NumPy in float64", at_least(3.5)});
  report.add(
      {item + ", float32", threads, race.speed("float32", "NumPy float32"), "x NumPy, all in float32"});
}

void single_loop_round(Report& report) {
  constexpr Index rows = 4000, columns = 100, agents = 8;
  constexpr int threads = 2;
  constexpr Rounds rounds{.count = 300, .slice = 10};
  const auto data = random_rows(rows, columns);
  const Problem problem = shared_by(agents, data);
  const Topology cycle = cycle_of(agents);
  const Method method = single_loop_method();
  const Numpy::Work work{.method = method.about().name,
                         .rows = rows,
                         .columns = columns,
                         .agents = agents,
                         .gradients = "batch"};
  Numpy numpy(work, 1), numpy_pool(work, threads);

  Race race;
  race.enter("ideal", [&] { return seconds_a_round(problem, cycle, method, threads, rounds); });
  race.enter("NumPy", [&] { return seconds_a_round(numpy, rounds); });
  race.enter(
      "NumPy, two threads", [&] { return seconds_a_round(numpy_pool, rounds); }, true);
  race.run();
  // Two threads do not always help NumPy; it is compared with as it is faster.
  report.add({fmt::format("{}, {} x {}, n = {}", method.about().name, rows, columns, agents), threads,
              std::min(race.speed("ideal", "NumPy"), race.speed("ideal", "NumPy, two threads")),
              "x NumPy, the better of 1 and 2 threads", at_least(4)});
}

/// Cost of an agent and iteration, whatever the number of agents: 20 rows of 100 numbers each. Nobody looks
/// for sixteen iterations, so that agents may run ahead where rows are more than a cache holds.
void many_agents(Report& report) {
  constexpr Index columns = 100, rows_each = 20;
  struct Size {
    Index agents;
    Rounds rounds;
    std::shared_ptr<const Dataset> data;
    Problem problem;
    Topology cycle;
  };
  std::vector<Size> sizes;
  for (const auto& [agents, rounds] :
       {std::pair<Index, Rounds>{1000, {160, 16}}, {200, {480, 16}}, {100000, {48, 16}}}) {
    const auto data = random_rows(agents * rows_each, columns);
    sizes.push_back({agents, rounds, data, shared_by(agents, data), cycle_of(agents)});
  }
  const Method method = single_loop_method();
  const std::string& name = method.about().name;
  Numpy numpy({.method = name, .rows = 200 * rows_each, .columns = columns, .agents = 200}, 1);

  for (const int threads : {1, 2}) {
    Race race;
    Threads team(threads);
    for (const Size& s : sizes) {
      const auto agents = static_cast<double>(s.agents);
      race.enter(std::to_string(s.agents), per_unit(agents, [&s, &method, threads] {
                   return seconds_a_round(s.problem, s.cycle, method, threads, s.rounds);
                 }));
      race.enter(fmt::format("reading {}", s.agents),
                 per_unit(agents, timed(threads, [&s, &team] { read_once(team, values_of(*s.data)); })));
    }
    race.enter("Python", per_unit(200, [&] { return seconds_a_round(numpy, {10, 1}); }));
    race.run(9);
    for (const std::string agents : {"200", "100000"}) {
      report.add({fmt::format("{}, n = {}, per agent", name, agents), threads, race.speed("1000", agents),
                  "x the time with n = 1000", within(0.2)});
      report.add({fmt::format("reading their rows once, n = {}, per agent", agents), threads,
                  race.speed("reading 1000", "reading " + agents), "x the time with n = 1000"});
    }
    report.add({name + ", n = 200", threads, race.speed("200", "Python"), "x a Python loop over agents",
                at_least(20)});
  }
}

}  // namespace

void measure_rounds(Report& report) {
  report.begin("Whole rounds");
  inner_ideal_round(report);
  single_loop_round(report);
  many_agents(report);
}

}  // namespace bench
