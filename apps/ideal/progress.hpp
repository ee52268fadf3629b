// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/trace.hpp>

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace ideal::cli {

/// One line on the terminal that rewrites itself, at most ten times a second; silent where the standard
/// error is no terminal.
class ProgressLine {
 public:
  explicit ProgressLine(bool wanted);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  [[nodiscard]] bool due() const;
  void show(std::string_view text);
  void clear();

  /// A line that stays.
  void note(std::string_view text);

 private:
  using Clock = std::chrono::steady_clock;
  bool visible_;
  bool dirty_ = false;
  Clock::time_point shown_;
};

/// How much of a run is done, from 0 to 1, judged by its budget and by the gap it has to close.
class ShareDone {
 public:
  ShareDone(double tol, double budget) : tol_(tol), budget_(budget) {}
  double operator()(const TraceRow& row);

 private:
  double tol_, budget_;
  double first_gap_ = 0;
};

/// ", about 20 s left", once there is something to judge it by.
std::string time_left(double share_done, double seconds_so_far);

/// A bar for bytes on their way, with speed and time left.
class DownloadProgress {
 public:
  explicit DownloadProgress(ProgressLine& line) : line_(line) {}

  /// The next one, called `name`.
  void begin(std::string_view name) {
    name_ = name;
    first_ = -1;
  }
  void operator()(std::int64_t done, std::int64_t total);

 private:
  using Clock = std::chrono::steady_clock;
  ProgressLine& line_;
  std::string name_;
  std::int64_t first_ = -1;  ///< bytes that were there when it began
  Clock::time_point started_;
};

/// Says what part of learning or using a convolutional kernel network is being done, how far it is and how
/// long it may take.
class CknProgress {
 public:
  explicit CknProgress(ProgressLine& line) : line_(&line) {}
  void operator()(std::string_view doing, Index done, Index total);

 private:
  ProgressLine* line_;
  std::string doing_;
  std::chrono::steady_clock::time_point started_;
};

/// Says how far a run has come and when it may be over.
class RunProgress {
 public:
  RunProgress(ProgressLine& line, double tol, double budget)
      : line_(line), budget_(budget), share_done_(tol, budget) {}
  void operator()(const TraceRow& row);

 private:
  ProgressLine& line_;
  double budget_;
  ShareDone share_done_;
  std::chrono::steady_clock::time_point started_;
};

/// The same for several runs, some of them at once.
class JointProgress {
 public:
  JointProgress(ProgressLine& line, std::size_t runs) : line_(line), shares_(runs, 0) {}

  void share(std::size_t run, double share, std::string_view label);
  void done(std::size_t run) { share(run, 1, ""); }

 private:
  ProgressLine& line_;
  std::mutex mutex_;
  std::vector<double> shares_;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

}  // namespace ideal::cli
