// SPDX-License-Identifier: Apache-2.0
#include "progress.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <unistd.h>

namespace ideal::cli {

using namespace std::chrono_literals;

ProgressLine::ProgressLine(bool wanted) : visible_(wanted && ::isatty(STDERR_FILENO) == 1) {}

ProgressLine::~ProgressLine() { clear(); }

bool ProgressLine::due() const { return visible_ && Clock::now() - shown_ >= 100ms; }

void ProgressLine::show(std::string_view text) {
  if (!due()) return;
  fmt::print(stderr, "\r{}\x1b[K", text);
  shown_ = Clock::now();
  dirty_ = true;
}

void ProgressLine::clear() {
  if (dirty_) fmt::print(stderr, "\r\x1b[K");
  dirty_ = false;
}

void ProgressLine::note(std::string_view text) {
  if (!visible_) return;
  clear();
  fmt::print(stderr, "{}\n", text);
}

void DownloadProgress::operator()(std::int64_t done, std::int64_t total) {
  if (!line_.due()) return;
  if (first_ < 0 || done < first_) {
    first_ = done;
    started_ = Clock::now();
  }
  constexpr int width = 30;
  const auto megabytes = [](std::int64_t bytes) { return static_cast<double>(bytes) / 1e6; };
  const double elapsed = std::chrono::duration<double>(Clock::now() - started_).count();
  const double speed = elapsed > 0 ? megabytes(done - first_) / elapsed : 0;
  std::string text = fmt::format("{}: ", name_);
  if (total > 0) {
    const auto filled = static_cast<int>(width * done / std::max(done, total));
    text += fmt::format("[{:#<{}}{:.<{}}] {:.1f} of {:.1f} MB", "", filled, "", width - filled,
                        megabytes(done), megabytes(total));
  } else {
    text += fmt::format("{:.1f} MB", megabytes(done));
  }
  if (speed > 0) text += fmt::format(", {:.1f} MB/s", speed);
  if (speed > 0 && total > done) text += fmt::format(", {:.0f} s left", megabytes(total - done) / speed);
  line_.show(text);
}

void CknProgress::operator()(std::string_view doing, Index done, Index total) {
  const auto now = std::chrono::steady_clock::now();
  if (doing != doing_) {
    doing_ = doing;
    started_ = now;
  }
  if (!line_->due() || total == 0) return;
  const double share = static_cast<double>(done) / static_cast<double>(total);
  const double elapsed = std::chrono::duration<double>(now - started_).count();
  const std::string left =
      share > 0.01 && share < 1 ? fmt::format(", about {:.0f} s left", elapsed * (1 - share) / share) : "";
  line_->show(fmt::format("{}: {} of {}{}", doing, done, total, left));
}

/// Gaps shrink geometrically, so progress towards `tol` is linear in their logarithm.
double ShareDone::operator()(const TraceRow& row) {
  const double gap = row.worst_suboptimality, by_budget = row.meter.computations / budget_;
  if (first_gap_ == 0) first_gap_ = gap;
  if (tol_ <= 0 || first_gap_ <= tol_ || !(gap > 0)) return std::min(1.0, by_budget);
  return std::clamp(std::max(by_budget, std::log(first_gap_ / gap) / std::log(first_gap_ / tol_)), 0.0, 1.0);
}

std::string time_left(double share_done, double seconds_so_far) {
  if (!(share_done > 0.01)) return "";
  return fmt::format(", about {:.0f} s left", seconds_so_far * (1 - share_done) / share_done);
}

void RunProgress::operator()(const TraceRow& row) {
  const auto now = std::chrono::steady_clock::now();
  if (started_ == std::chrono::steady_clock::time_point{}) started_ = now;
  const double share = share_done_(row);
  if (!line_.due()) return;
  line_.show(fmt::format("{:.0f} of {:.0f} computations, gap {:.2e}{}", row.meter.computations, budget_,
                         row.worst_suboptimality,
                         time_left(share, std::chrono::duration<double>(now - started_).count())));
}

void JointProgress::share(std::size_t run, double share, std::string_view label) {
  const std::lock_guard lock(mutex_);
  shares_[run] = share;
  if (!line_.due()) return;
  const double all =
      std::accumulate(shares_.begin(), shares_.end(), 0.0) / static_cast<double>(shares_.size());
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
  line_.show(fmt::format("{} of {} runs, {:.0f} %{}{}{}", std::ranges::count(shares_, 1.0), shares_.size(),
                         100 * all, time_left(all, seconds), label.empty() ? "" : ": ", label));
}

}  // namespace ideal::cli
