// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

namespace ideal {

/// Adds the seconds of its life to a total.
class Stopwatch {
 public:
  explicit Stopwatch(double& total) : total_(total) {}
  ~Stopwatch() { total_ += std::chrono::duration<double>(Clock::now() - start_).count(); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  double& total_;
  Clock::time_point start_ = Clock::now();
};

}  // namespace ideal
