// SPDX-License-Identifier: Apache-2.0
#include "report/report.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ideal::report {
namespace {

/// Marks the rows where `error` first gets to a power of ten.
void mark_milestones(const Trace& trace, double TraceRow::*error, std::vector<bool>& kept) {
  double lowest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < trace.size(); ++i) {
    const double value = trace[i].*error;
    if (!(value > 0) || !(value < lowest)) continue;
    const auto decade = [](double v) { return std::ceil(std::log10(v)); };  // the 10^k it has got to
    if (!std::isfinite(lowest) || decade(value) < decade(lowest)) kept[i] = true;
    lowest = value;
  }
}

}  // namespace

Trace thinned(const Trace& trace, std::size_t most) {
  if (trace.size() <= most) return trace;
  std::vector<bool> kept(trace.size(), false);
  const double stride =
      static_cast<double>(trace.size() - 1) / static_cast<double>(std::max<std::size_t>(most, 2) - 1);
  for (std::size_t k = 0; k < most; ++k)
    kept[std::min(static_cast<std::size_t>(std::lround(stride * static_cast<double>(k))), trace.size() - 1)] =
        true;
  kept.front() = kept.back() = true;
  mark_milestones(trace, &TraceRow::suboptimality, kept);
  mark_milestones(trace, &TraceRow::worst_suboptimality, kept);

  Trace some;
  for (std::size_t i = 0; i < trace.size(); ++i)
    if (kept[i]) some.push_back(trace[i]);
  return some;
}

}  // namespace ideal::report
