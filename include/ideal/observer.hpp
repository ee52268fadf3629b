// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/loss.hpp>
#include <ideal/parallel.hpp>
#include <ideal/reference.hpp>
#include <ideal/run.hpp>
#include <ideal/trace.hpp>
#include <ideal/transport.hpp>

#include <chrono>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

namespace ideal {

/// When a run ends and what it records.
struct Watch {
  double tol = 0;  ///< worst-agent suboptimality to reach; 0: none
  double computations = std::numeric_limits<double>::infinity();  ///< budget
  Index every = 1;                                   ///< record every K-th pass; 0: first and last only
  std::stop_token cancelled = {};                    ///< ends the run at the next pass
  std::function<void(const TraceRow&)> on_row = {};  ///< called after each recorded row
};

/// Sees all agents at once, which no agent of a real network does: it measures a run and decides when it is
/// over. Hosts meet in Transport::gather and all reach the same verdict from the same numbers.
class Observer final : public Monitor {
 public:
  Observer(std::span<const std::shared_ptr<const Loss>> hosted, const std::optional<Reference>& reference,
           Watch watch, Transport& transport, Threads& threads);

  bool more(const Block& X, Index iteration, const Meter& meter) override;

  [[nodiscard]] Status status() const { return status_; }
  [[nodiscard]] const Trace& trace() const { return trace_; }
  [[nodiscard]] const Vector& gaps() const { return gaps_; }  ///< f(x_i) - f* of every agent, at the last row
  [[nodiscard]] const Block& last_finite() const {
    return last_finite_;
  }  ///< hosted columns of the last good row

 private:
  using Clock = std::chrono::steady_clock;
  struct Report {
    TraceRow row;
    bool cancelled;
  };
  Vector sum_over_agents(const Block& per_agent);
  Vector values(const Block& points);
  Report measure(const Block& X, Index iteration, const Meter& meter);
  [[nodiscard]] Status judge(const TraceRow& row, bool cancelled) const;

  std::vector<std::shared_ptr<const Loss>> losses_;
  const std::optional<Reference>& reference_;
  Watch watch_;
  Transport& transport_;
  Threads& threads_;
  Index passes_ = 0;
  double seconds_ = 0;
  Clock::time_point resumed_ = Clock::now();
  Status status_ = Status::running;
  Trace trace_;
  Vector gaps_;
  Block last_finite_;
};

}  // namespace ideal
