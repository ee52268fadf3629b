// SPDX-License-Identifier: Apache-2.0
#include "race.hpp"

#include "limits.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <thread>

#include <time.h>

namespace bench {

namespace {

constexpr double long_enough = 3e-3, awake_after = 30e-3;
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

/// Another guest of the machine may share a core and its caches, which no clock tells: then reading what the
/// second cache holds takes longer than it did at best.
class Calm {
 public:
  Calm() {
    const double start = now(CLOCK_MONOTONIC);
    while (now(CLOCK_MONOTONIC) - start < 0.2) (void)seconds_to_read();
  }

  /// Waits until nobody does, but not for ever.
  void wait() {
    constexpr double tolerance = 1.12, patience = 0.3;
    const double start = now(CLOCK_MONOTONIC);
    ++waits_;
    while (seconds_to_read() > tolerance * best_)
      if (now(CLOCK_MONOTONIC) - start > patience) {
        ++given_up_;
        return;
      }
  }

  [[nodiscard]] double share_given_up() const { return waits_ > 0 ? given_up_ / waits_ : 0; }

 private:
  double seconds_to_read() {
    constexpr int calls = 50;
    const double seconds =
        seconds_of([this] { read_once(alone_, numbers_); }, calls, CLOCK_THREAD_CPUTIME_ID);
    best_ = std::min(best_, seconds);
    return seconds;
  }

  Threads alone_{1};
  std::vector<double> numbers_ = std::vector<double>(32 << 10, 1.0);  // 256 KB
  double best_ = std::numeric_limits<double>::infinity(), waits_ = 0, given_up_ = 0;
};

Calm& calm() {
  static Calm only;
  return only;
}

}  // namespace

void wait_for_calm() { calm().wait(); }
double share_not_calm() { return calm().share_given_up(); }

double median(std::vector<double> values) {
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::ranges::nth_element(values, middle);
  return *middle;
}

std::function<double()> timed(int threads, std::function<void()> work) {
  const clockid_t clock = threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
  return [clock, threads, work = std::move(work), calls = 0]() mutable {
    if (calls == 0) {
      work();
      calls = std::max(1, static_cast<int>(std::ceil(long_enough / seconds_of(work, 1, clock))));
    }
    wait_for_calm();
    // Threads that slept wake on any core, and the kernel takes its time to part two that share one.
    for (const double start = now(clock); threads > 1 && now(clock) - start < awake_after;) work();
    return seconds_of(work, calls, clock);
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

}  // namespace bench
