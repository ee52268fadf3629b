// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

double median(std::vector<double> values);

/// A quarter of the values is at most this: what work takes in quiet moments.
double lower_quartile(std::vector<double> values);

/// Seconds of one call of `work`: the lower quartile of several slices, each as short as a clock can be
/// believed. Another guest of the machine who shares a core and its caches, or the way to memory, makes work
/// take half as long again, which no clock tells, for a fraction of a millisecond at a time, half of the
/// time. Work done by the calling thread alone (threads = 1) is timed by a clock that stops while other
/// programs have the core; all of a race have the same clock.
std::function<double()> timed(int threads, std::function<void()> work);

/// The same for one of several units of work that a call does.
std::function<double()> per_unit(double units, std::function<double()> seconds);

/// Different ways to the same end, run in turn, so that all of them meet the same moods of the machine:
/// the speed of memory drifts by a quarter between one second and the next. What counts is the ratio within a
/// round, and the median of the ratios over the rounds.
class Race {
 public:
  /// `seconds` does the work and tells what a unit of it took. A contestant that leaves threads of its own
  /// behind (a BLAS pool spins for some 30 ms in case more work comes) is followed by a pause.
  void enter(std::string name, std::function<double()> seconds, bool leaves_threads = false);

  /// One more round to warm up.
  void run(int rounds = 11);

  /// Median time of a unit of work.
  [[nodiscard]] double seconds(std::string_view name) const;

  /// How many times as fast `name` is as `other`.
  [[nodiscard]] double speed(std::string_view name, std::string_view other) const;

 private:
  struct Contestant {
    std::string name;
    std::function<double()> seconds;
    bool leaves_threads;
    std::vector<double> times;
  };
  [[nodiscard]] const Contestant& find(std::string_view name) const;

  std::vector<Contestant> contestants_;
};

/// For work of some microseconds that lies in a cache, done by the calling thread: how many times as fast it
/// does a unit as the `other` work, while nobody else uses the core. That tells a loop before and after each
/// slice that reads the nearest cache, and is then as fast as in the best hundredth of all moments. The two
/// take turns until both had two hundred such moments, or for ten seconds; their medians are compared.
struct UnitsOfWork {
  double units;
  std::function<void()> work;
};
double speed_undisturbed(const UnitsOfWork& own, const UnitsOfWork& other);

}  // namespace bench
