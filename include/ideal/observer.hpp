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
  double tol = 0;          ///< worst-agent suboptimality to reach; 0: none
  bool certified = false;  ///< as the method certifies it, not as the observer sees it
  double computations = std::numeric_limits<double>::infinity();  ///< budget
  Index every = 1;                                     ///< record every K-th pass; 0: first and last only
  std::stop_token cancelled = {};                      ///< ends the run at the next pass
  std::function<void(const TraceRow&)> on_row = {};    ///< called after each recorded row
  std::function<void(std::string_view)> on_note = {};  ///< called with what a method has to say
  Trace so_far = {};  ///< of a resumed run: the rows before its checkpoint; later ones are left out
};

/// Sees all agents at once, which no agent of a real network does: it measures a run and decides when it is
/// over. Hosts meet in Transport::gather and all reach the same verdict from the same numbers.
class Observer final : public Monitor {
 public:
  /// So many agents are all evaluated for a row; of more, those that may be the worst.
  static constexpr Index looks_at_all = 512;

  /// `L`: smoothness of every agent's loss, which bounds f where it is not evaluated. `passes`: how many were
  /// looked at before, in a resumed run.
  Observer(std::span<const std::shared_ptr<const Loss>> hosted, const std::optional<Reference>& reference,
           Watch watch, Transport& transport, Threads& threads, double L, Index passes = 0,
           const Regulariser& regulariser = {});

  bool more(const Block& X, Index iteration, const Meter& meter) override;
  [[nodiscard]] bool looks(Index others, const Meter& meter) const override;
  void left_out(Index passes) override { passes_ += passes; }
  [[nodiscard]] bool cancelled() const override { return watch_.cancelled.stop_requested(); }
  [[nodiscard]] double wanted() const override { return watch_.certified ? watch_.tol : 0; }
  void bounded(double bound) override { certified_ = bound; }
  bool settled(const Block& X, double bound, const Meter& meter) override;
  void note(std::string_view text) override;
  void be_patient(bool patient) override { patient_ = patient; }

  /// What was made of the last iterate after the run had ended: a row of its own.
  void conclude(const Block& X, const Meter& meter);

  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }
  [[nodiscard]] Status status() const { return status_; }
  [[nodiscard]] const Trace& trace() const { return trace_; }
  /// f(x_i) - f* of every agent, at the last row; NaN where f was not evaluated.
  [[nodiscard]] const Vector& gaps() const { return gaps_; }
  /// No agent's is larger; where the worst one is known, it is that.
  [[nodiscard]] double worst_bound() const { return worst_bound_; }
  [[nodiscard]] const Block& last_finite() const {
    return last_finite_;
  }  ///< hosted columns of the last good row

 private:
  using Clock = std::chrono::steady_clock;
  struct Report {
    TraceRow row;
    bool cancelled;
  };
  bool asked_to_stop();
  void record(const Block& X, Index iteration, const Meter& meter);
  Vector sum_over_agents(const Block& per_agent);
  Vector values(const Block& points);
  Vector gradient_at(const Vector& x);
  [[nodiscard]] double f_star() const;
  Report measure(const Block& X, Index iteration, const Meter& meter);
  [[nodiscard]] Vector feasible(Vector mean) const;
  void measure_every_agent(const Block& all, TraceRow& row);
  void measure_some_agents(const Block& X, const Vector& mean, TraceRow& row);
  Index find_worst(const Block& X, const Vector& bounds);
  [[nodiscard]] Status judge(const TraceRow& row, bool cancelled) const;

  std::vector<std::shared_ptr<const Loss>> losses_;
  const std::optional<Reference>& reference_;
  Watch watch_;
  Transport& transport_;
  Threads& threads_;
  double L_;
  Regulariser regulariser_;
  Index passes_;
  Index next_question_;  ///< the pass at which hosts ask each other whether one was told to stop
  Index question_interval_ = 1;
  double seconds_ = 0;
  Clock::time_point resumed_ = Clock::now(), last_question_ = resumed_;
  Status status_ = Status::running;
  Trace trace_;
  Vector gaps_;
  double worst_bound_ = std::numeric_limits<double>::quiet_NaN();
  Block last_finite_;
  std::optional<double> certified_;
  Index last_iteration_;
  bool patient_ = false;
  std::vector<std::string> notes_;
};

}  // namespace ideal
