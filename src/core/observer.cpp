// SPDX-License-Identifier: Apache-2.0
#include <ideal/observer.hpp>

#include <cmath>
#include <utility>

namespace ideal {

namespace {

// Accelerated methods overshoot before they settle; far beyond that there is no way back.
constexpr double hopeless_growth = 1e8;
constexpr double lost_at_the_end = 10;

}  // namespace

Observer::Observer(std::span<const std::shared_ptr<const Loss>> hosted,
                   const std::optional<Reference>& reference, Watch watch, Transport& transport,
                   Threads& threads)
    : losses_(hosted.begin(), hosted.end()),
      reference_(reference),
      watch_(std::move(watch)),
      transport_(transport),
      threads_(threads) {}

bool Observer::more(const Block& X, Index iteration, const Meter& meter) {
  seconds_ += std::chrono::duration<double>(Clock::now() - resumed_).count();
  // Several hosts can only agree to stop where they meet; a single one may stop at any pass.
  const bool stop_now = !transport_.has_peers() && watch_.cancelled.stop_requested();
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

/// Each host evaluates its own losses at every agent's point and at the mean; the gathered table has one
/// column per loss, so that sums run in agent order on every host.
Observer::Report Observer::measure(const Block& X, Index iteration, const Meter& meter) {
  const Block all = transport_.gather(X);
  const Index n = all.cols();
  Vector mean = all.col(0);
  for (Index j = 1; j < n; ++j) mean += all.col(j);
  mean /= static_cast<double>(n);

  Block points(all.rows(), n + 1);
  points << all, mean;
  Block table(n + 3, X.cols());  // values at the points; bytes; cancellation
  threads_.each(X.cols(), [&](Index c) { table.col(c).head(n + 1) = losses_[c]->values(points); });
  table.bottomRows(2).setZero();
  table(n + 1, 0) = static_cast<double>(meter.bytes);
  table(n + 2, 0) = watch_.cancelled.stop_requested() ? 1 : 0;
  const Block& gathered = transport_.gather(table);
  Vector total = gathered.col(0);
  for (Index j = 1; j < n; ++j) total += gathered.col(j);

  const double f_star = reference_ ? reference_->value : std::numeric_limits<double>::quiet_NaN();
  TraceRow row{.iteration = iteration, .meter = meter, .seconds = seconds_};
  row.meter.bytes = static_cast<Index>(total[n + 1]);
  row.suboptimality = total[n] - f_star;
  row.worst_suboptimality = total.head(n).maxCoeff<Eigen::PropagateNaN>() - f_star;
  row.consensus = (all.colwise() - mean).norm();
  row.distance = reference_ ? (all.colwise() - reference_->x).squaredNorm() : f_star;
  return {row, total[n + 2] > 0};
}

Status Observer::judge(const TraceRow& row, bool cancelled) const {
  const double gap = row.worst_suboptimality, first_gap = trace_.front().worst_suboptimality;
  if (!std::isfinite(row.consensus)) return Status::diverged;
  if (reference_ && (!std::isfinite(gap) || gap > hopeless_growth * std::abs(first_gap)))
    return Status::diverged;
  if (watch_.tol > 0 && gap <= watch_.tol) return Status::converged;
  if (cancelled) return Status::interrupted;
  if (row.meter.computations < watch_.computations) return Status::running;
  return gap > lost_at_the_end * std::abs(first_gap) ? Status::diverged : Status::budget;
}

}  // namespace ideal
