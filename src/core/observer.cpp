// SPDX-License-Identifier: Apache-2.0
#include <ideal/observer.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace ideal {

namespace {

// Accelerated methods overshoot before they settle; far beyond that there is no way back.
constexpr double hopeless_growth = 1e8;
constexpr double lost_at_the_end = 10;

/// What a gap is compared with to tell growth: the first gap, or the size of f where the start was (nearly)
/// optimal.
double yardstick(double first_gap, double f_star) { return std::max(first_gap, std::abs(f_star)); }

constexpr Index slice = 256;  // points evaluated at once

// How long a request to stop may go unheard while hosts compute.
constexpr double deaf_seconds = 0.1;
constexpr double most_deaf_passes = 1024;

}  // namespace

Observer::Observer(std::span<const std::shared_ptr<const Loss>> hosted,
                   const std::optional<Reference>& reference, Watch watch, Transport& transport,
                   Threads& threads, Index passes)
    : losses_(hosted.begin(), hosted.end()),
      reference_(reference),
      watch_(std::move(watch)),
      transport_(transport),
      threads_(threads),
      passes_(passes),
      next_question_(passes),
      trace_(std::move(watch_.so_far)) {
  if (!trace_.empty()) seconds_ = trace_.back().seconds;
}

bool Observer::more(const Block& X, Index iteration, const Meter& meter) {
  seconds_ += std::chrono::duration<double>(Clock::now() - resumed_).count();
  const bool stop_now = asked_to_stop();
  const bool due = passes_ == 0 || (watch_.every > 0 && passes_ % watch_.every == 0);
  ++passes_;
  if (due || meter.computations >= watch_.computations || stop_now) {
    const auto [row, cancelled] = measure(X, iteration, meter);
    trace_.push_back(row);
    status_ = judge(row, cancelled);
    if (std::isfinite(row.consensus)) last_finite_ = X;
    if (watch_.on_row) watch_.on_row(row);
  }
  resumed_ = Clock::now();
  return status_ == Status::running;
}

/// A single host may stop at any pass; several must stop at the same one. They ask each other, and agent 0's
/// host says by its clock how many passes later they ask again.
bool Observer::asked_to_stop() {
  if (!transport_.has_peers()) return watch_.cancelled.stop_requested();
  if (passes_ != next_question_) return false;
  const double waited = std::chrono::duration<double>(Clock::now() - last_question_).count();
  last_question_ = Clock::now();
  Block told(2, std::ssize(losses_));
  told.row(0).setConstant(watch_.cancelled.stop_requested() ? 1 : 0);
  told.row(1).setConstant(waited);
  const Block& all = transport_.gather(told);
  const double passes = static_cast<double>(question_interval_) * deaf_seconds / std::max(all(1, 0), 1e-6);
  // Twice as far at most: the first answer comes before anything was computed, and says nothing.
  const double most = std::min(most_deaf_passes, 2 * static_cast<double>(question_interval_));
  question_interval_ = static_cast<Index>(std::clamp(passes, 1.0, most));
  next_question_ += question_interval_;
  return all.row(0).maxCoeff() > 0;
}

/// One number per hosted agent, added up over all agents in agent order, so that every host gets the same
/// bits; row by row.
Vector Observer::sum_over_agents(const Block& per_agent) {
  const Block& all = transport_.gather(per_agent);
  Vector sum = all.col(0);
  for (Index j = 1; j < all.cols(); ++j) sum += all.col(j);
  return sum;
}

/// f at every column of `points`. Each host evaluates its own losses; slices bound the table of losses x
/// points.
Vector Observer::values(const Block& points) {
  Vector f(points.cols());
  for (Index first = 0; first < points.cols(); first += slice) {
    const Index count = std::min(slice, points.cols() - first);
    const Block some = points.middleCols(first, count);
    Block table(count, std::ssize(losses_));
    threads_.each(table.cols(), [&](Index c) { table.col(c) = losses_[c]->values(some); });
    f.segment(first, count) = sum_over_agents(table);
  }
  return f;
}

Observer::Report Observer::measure(const Block& X, Index iteration, const Meter& meter) {
  const Block all = transport_.gather(X);
  const Index n = all.cols();
  Vector mean = all.col(0);
  for (Index j = 1; j < n; ++j) mean += all.col(j);
  mean /= static_cast<double>(n);
  Block points(X.rows(), n + 1);
  points << all, mean;
  const Vector f = values(points);

  Block flags = Block::Zero(2, X.cols());
  flags(0, 0) = static_cast<double>(meter.bytes);
  flags(1, 0) = watch_.cancelled.stop_requested() ? 1 : 0;
  const Vector told = sum_over_agents(flags);

  const double f_star = reference_ ? reference_->value : std::numeric_limits<double>::quiet_NaN();
  TraceRow row{.iteration = iteration, .meter = meter, .seconds = seconds_};
  row.meter.bytes = static_cast<Index>(told[0]);
  gaps_ = f.head(n).array() - f_star;
  row.suboptimality = f[n] - f_star;
  row.worst_suboptimality = gaps_.maxCoeff<Eigen::PropagateNaN>();
  row.consensus = (all.colwise() - mean).norm();
  row.distance = reference_ ? (all.colwise() - reference_->x).squaredNorm() : f_star;
  return {row, told[1] > 0};
}

Status Observer::judge(const TraceRow& row, bool cancelled) const {
  const double gap = row.worst_suboptimality;
  const double first = reference_ ? yardstick(trace_.front().worst_suboptimality, reference_->value) : 0;
  if (!std::isfinite(row.consensus)) return Status::diverged;
  if (reference_ && (!std::isfinite(gap) || gap > hopeless_growth * first)) return Status::diverged;
  if (watch_.tol > 0 && gap <= watch_.tol) return Status::converged;
  if (cancelled) return Status::interrupted;
  if (row.meter.computations < watch_.computations) return Status::running;
  return gap > lost_at_the_end * first ? Status::diverged : Status::budget;
}

}  // namespace ideal
