// SPDX-License-Identifier: Apache-2.0
#include "progress.hpp"

#include <algorithm>
#include <cmath>

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
double RunProgress::share_done(const TraceRow& row) const {
  const double by_budget = row.meter.computations / budget_;
  if (tol_ <= 0 || first_gap_ <= tol_ || row.worst_suboptimality <= 0) return by_budget;
  return std::max(by_budget, std::log(first_gap_ / row.worst_suboptimality) / std::log(first_gap_ / tol_));
}

void RunProgress::operator()(const TraceRow& row) {
  const auto now = std::chrono::steady_clock::now();
  if (started_ == std::chrono::steady_clock::time_point{}) {
    started_ = now;
    first_gap_ = row.worst_suboptimality;
  }
  if (!line_.due()) return;
  const double share = share_done(row);
  const double elapsed = std::chrono::duration<double>(now - started_).count();
  const std::string left =
      share > 0.01 ? fmt::format(", about {:.0f} s left", elapsed * (1 - share) / share) : "";
  line_.show(fmt::format("{:.0f} of {:.0f} computations, gap {:.2e}{}", row.meter.computations, budget_,
                         row.worst_suboptimality, left));
}

}  // namespace ideal::cli
