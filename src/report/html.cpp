// SPDX-License-Identifier: Apache-2.0
#include <ideal/report.hpp>

#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>

namespace ideal {
namespace {

std::string_view entity(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return {};
  }
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const std::string_view safe = entity(c);
    if (safe.empty())
      out += c;
    else
      out += safe;
  }
  return out;
}

constexpr std::string_view head = R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{0}</title>
<style>
:root {{ color-scheme: light dark; --ink: #1b1b1b; --faint: #d5d5d5; --worst: #b3261e; --mean: #1f5fbf; }}
@media (prefers-color-scheme: dark) {{ :root {{ --ink: #e8e8e8; --faint: #444; --worst: #ff8a80; --mean: #8ab4f8; }} }}
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }}
th {{ text-align: left; font-weight: 500; padding-right: 2rem; white-space: nowrap; vertical-align: top; }}
td {{ vertical-align: top; overflow-wrap: anywhere; }}
pre {{ overflow-x: auto; }}
figure {{ margin: 1rem 0; }}
svg {{ max-width: 100%; height: auto; }}
.plot {{ overflow: visible; }}
.plot text {{ font: 12px system-ui, sans-serif; fill: var(--ink); text-anchor: start; dominant-baseline: auto; }}
.plot .end {{ text-anchor: end; }}
.plot .grid {{ stroke: var(--faint); }}
.plot polyline {{ fill: none; stroke-width: 2; }}
@media (max-width: 40rem) {{
  th {{ white-space: normal; padding-right: 1rem; }}
  .plot text {{ font-size: 20px; }}
}}
</style>
</head>
<body>
<h1>{0}</h1>
)";

/// Suboptimality on a logarithmic scale against a cost.
class Plot {
 public:
  using Cost = std::function<double(const TraceRow&)>;

  Plot(const Trace& trace, std::string label, Cost cost)
      : trace_(trace), label_(std::move(label)), cost_(std::move(cost)) {
    for (const TraceRow& row : trace) {
      widest_ = std::max(widest_, cost_(row));
      for (const double gap : {row.suboptimality, row.worst_suboptimality}) {
        if (!drawable(gap)) continue;
        low_ = std::min(low_, static_cast<int>(std::floor(std::log10(gap))));
        high_ = std::max(high_, static_cast<int>(std::ceil(std::log10(gap))));
      }
    }
    if (low_ >= high_) low_ = high_ - 1;
  }

  [[nodiscard]] std::string svg() const {
    std::string out = fmt::format(
        "<svg class=\"plot\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" width=\"{}\" "
        "role=\"img\">"
        "<title>suboptimality against {}</title>\n",
        width, height, width, label_);
    const int step = (high_ - low_) / 8 + 1;
    for (int power = low_; power <= high_; power += step) {
      out += fmt::format(
          "<line class=\"grid\" x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\"/>"
          "<text x=\"{3}\" y=\"{4:.1f}\" class=\"end\">1e{5}</text>\n",
          left, width, y(power), left - 6, y(power) + 4, power);
    }
    out += line("--mean", &TraceRow::suboptimality) + line("--worst", &TraceRow::worst_suboptimality);
    out += fmt::format(
        "<text x=\"{}\" y=\"{}\">0</text><text x=\"{}\" y=\"{}\" class=\"end\">{:g} "
        "{}</text>\n</svg>\n",
        left, height - 6, width, height - 6, widest_, label_);
    return out;
  }

 private:
  static constexpr double width = 720, height = 340, left = 56, bottom = 24, top = 8;
  static constexpr std::size_t most_points = 600;

  static bool drawable(double gap) { return std::isfinite(gap) && gap > 0; }
  [[nodiscard]] double x(double cost) const { return left + (width - left) * cost / std::max(widest_, 1.0); }
  [[nodiscard]] double y(double power) const {
    return top + (height - top - bottom) * (high_ - power) / (high_ - low_);
  }

  [[nodiscard]] std::string line(std::string_view colour, double TraceRow::*gap) const {
    std::string points;
    const std::size_t stride = trace_.size() / most_points + 1;
    for (std::size_t i = 0; i < trace_.size(); ++i) {
      const TraceRow& row = trace_[i];
      if ((i % stride == 0 || i + 1 == trace_.size()) && drawable(row.*gap))
        points += fmt::format("{:.1f},{:.1f} ", x(cost_(row)), y(std::log10(row.*gap)));
    }
    return fmt::format("<polyline style=\"stroke: var({})\" points=\"{}\"/>\n", colour, points);
  }

  const Trace& trace_;
  std::string label_;
  Cost cost_;
  double widest_ = 0;
  int low_ = 400, high_ = -400;  // powers of ten
};

}  // namespace

std::string html_report(const ReportPage& page) {
  std::string out = fmt::format(fmt::runtime(head), escaped(page.title));
  out += "<table>\n";
  for (const auto& [label, value] : page.rows)
    out += fmt::format("<tr><th>{}</th><td>{}</td></tr>\n", escaped(label), escaped(value));
  out +=
      "</table>\n<h2>Convergence</h2>\n<p>Suboptimality of <span style=\"color: var(--mean)\">the "
      "mean</span> and of "
      "<span style=\"color: var(--worst)\">the worst agent</span>.</p>\n";
  const Plot against_computations(page.trace, "computations",
                                  [](const TraceRow& row) { return row.meter.computations; });
  const Plot against_communications(page.trace, "communications", [](const TraceRow& row) {
    return static_cast<double>(row.meter.communications);
  });
  out += fmt::format("<figure>{}</figure>\n<figure>{}</figure>\n", against_computations.svg(),
                     against_communications.svg());
  if (!page.graph_svg.empty()) out += fmt::format("<h2>Network</h2>\n<figure>{}</figure>\n", page.graph_svg);
  out += fmt::format("<h2>Configuration</h2>\n<pre>{}</pre>\n</body>\n</html>\n", escaped(page.config));
  return out;
}

}  // namespace ideal
