// SPDX-License-Identifier: Apache-2.0
#include "race.hpp"

#include "limits.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <thread>
#include <utility>

#include <time.h>

namespace bench {

namespace {

constexpr double slice = 0.1e-3, long_enough = 10e-3, awake_after = 30e-3;
constexpr auto pool_falls_asleep = std::chrono::milliseconds(60);

double now(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double seconds_of(const std::function<void()>& work, int calls, clockid_t clock) {
  const double start = now(clock);
  for (int k = 0; k < calls; ++k) work();
  return (now(clock) - start) / calls;
}

int calls_of_a_slice(const std::function<void()>& work, clockid_t clock) {
  work();
  const double seconds =
      std::min({seconds_of(work, 1, clock), seconds_of(work, 1, clock), seconds_of(work, 1, clock)});
  return std::max(1, static_cast<int>(std::ceil(slice / seconds)));
}

double at_share(std::vector<double> values, double share) {
  const auto place = values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size()));
  std::ranges::nth_element(values, place);
  return *place;
}

}  // namespace

double median(std::vector<double> values) { return at_share(std::move(values), 0.5); }
double lower_quartile(std::vector<double> values) { return at_share(std::move(values), 0.25); }

std::function<double()> timed(int threads, std::function<void()> work) {
  const clockid_t clock = threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
  return [clock, threads, work = std::move(work), calls = 0]() mutable {
    if (calls == 0) calls = calls_of_a_slice(work, clock);
    // Threads that slept wake on any core, and the kernel takes its time to part two that share one.
    for (const double start = now(clock); threads > 1 && now(clock) - start < awake_after;) work();
    std::vector<double> slices;
    for (const double start = now(clock); slices.empty() || now(clock) - start < long_enough;)
      slices.push_back(seconds_of(work, calls, clock));
    return lower_quartile(std::move(slices));
  };
}

std::function<double()> per_unit(double units, std::function<double()> seconds) {
  return [units, seconds = std::move(seconds)] { return seconds() / units; };
}

void Race::enter(std::string name, std::function<double()> seconds, bool leaves_threads) {
  contestants_.push_back({std::move(name), std::move(seconds), leaves_threads, {}});
}

void Race::run(int rounds) {
  for (int round = -1; round < rounds; ++round)
    for (auto& contestant : contestants_) {
      const double seconds = contestant.seconds();
      if (round >= 0) contestant.times.push_back(seconds);
      if (contestant.leaves_threads) std::this_thread::sleep_for(pool_falls_asleep);
    }
}

double Race::seconds(std::string_view name) const { return median(find(name).times); }

double Race::speed(std::string_view name, std::string_view other) const {
  const auto &own = find(name).times, &others = find(other).times;
  std::vector<double> ratios(own.size());
  std::ranges::transform(others, own, ratios.begin(), std::divides<>{});
  return median(std::move(ratios));
}

const Race::Contestant& Race::find(std::string_view name) const {
  const auto found = std::ranges::find(contestants_, name, &Contestant::name);
  if (found == contestants_.end()) throw std::out_of_range("no contestant " + std::string(name));
  return *found;
}

namespace {

/// Slices of work, each with the time that reading the nearest cache took before or after it, whichever was
/// longer.
class Watched {
 public:
  explicit Watched(const UnitsOfWork& work) : work_(work), calls_(calls_of_a_slice(work.work, clock)) {}

  void take_turn() {
    double before = reading();
    for (const double start = now(clock); now(clock) - start < turn;) {
      const double seconds = seconds_of(work_.work, calls_, clock), after = reading();
      slices_.push_back({std::max(before, after), seconds});
      before = after;
    }
    std::ranges::sort(slices_, {}, &Slice::reading);
  }

  /// How many slices were undisturbed. Not the very fastest reading tells: a clock may jump.
  [[nodiscard]] std::size_t undisturbed() const {
    const double fast = 1.02 * slices_[slices_.size() / 100].reading;
    return static_cast<std::size_t>(std::ranges::upper_bound(slices_, fast, {}, &Slice::reading) -
                                    slices_.begin());
  }
  [[nodiscard]] double share() const {
    return static_cast<double>(undisturbed()) / static_cast<double>(slices_.size());
  }

  /// Of a unit of work, in undisturbed slices.
  [[nodiscard]] double seconds() const {
    std::vector<double> seconds(undisturbed());
    std::transform(slices_.begin(), slices_.begin() + std::ssize(seconds), seconds.begin(),
                   [](const Slice& s) { return s.seconds; });
    return median(std::move(seconds)) / work_.units;
  }

 private:
  struct Slice {
    double reading, seconds;
  };
  static constexpr clockid_t clock = CLOCK_MONOTONIC;  // a thread's own clock takes too long to be asked
  static constexpr double turn = 20e-3;
  static double reading() {
    read_nearest_cache(1);  // what the work has pushed out
    return seconds_of([] { read_nearest_cache(200); }, 1, clock);
  }

  const UnitsOfWork& work_;
  int calls_;
  std::vector<Slice> slices_;  ///< those with the fastest reading first
};

}  // namespace

Undisturbed compare_undisturbed(const UnitsOfWork& own, const UnitsOfWork& other) {
  constexpr std::size_t enough = 200;
  constexpr double least = 1, most = 10;
  Watched a(own), b(other);
  const double start = now(CLOCK_MONOTONIC);
  for (double passed = 0;
       passed < least || (passed < most && std::min(a.undisturbed(), b.undisturbed()) < enough);
       passed = now(CLOCK_MONOTONIC) - start) {
    a.take_turn();
    b.take_turn();
  }
  return {b.seconds() / a.seconds(), std::min(a.share(), b.share())};
}

}  // namespace bench
