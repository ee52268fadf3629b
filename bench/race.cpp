// SPDX-License-Identifier: Apache-2.0
#include "race.hpp"

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
    if (calls == 0) {
      work();
      calls = std::max(1, static_cast<int>(std::ceil(slice / seconds_of(work, 1, clock))));
    }
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

}  // namespace bench
