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
