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

struct UnitsOfWork {
  double units;
  std::function<void()> work;
};

struct Undisturbed {
  double speed;  ///< how many times as fast the one does a unit as the other
  double share;  ///< of the slices counts, of whichever has fewer
};

/// For work of some microseconds that lies in a core's own caches, done by the calling thread: compares two
/// while nobody else seems to use the core. Before and after each slice a loop reads the nearest cache;
/// slices count between two readings that are as fast as in a contestant's best hundredth. The two take turns
/// until both had two hundred such slices, or for ten seconds, and medians of all of these are compared. If
/// `share` is small then nobody knows whether the core was ever undisturbed. Who else uses the last
/// cache is not seen.
Undisturbed compare_undisturbed(const UnitsOfWork& own, const UnitsOfWork& other);

}  // namespace bench
