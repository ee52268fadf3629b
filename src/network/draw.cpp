// SPDX-License-Identifier: Apache-2.0
#include "network/layout.hpp"

#include <ideal/draw.hpp>
#include <ideal/error.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

namespace ideal {
namespace {

// Every rule names the picture, so that a page may hold it inline.
constexpr std::string_view style = R"(<style>
  .network .edge { stroke: #7a8aa0; stroke-opacity: .65; stroke-linecap: round }
  .network .agent { fill: #2563a8; stroke: #ffffff }
  .network .number { fill: #ffffff; font-weight: 600 }
  .network .title { fill: #1f2937; font-size: 17px; font-weight: 600 }
  .network text { font-family: system-ui, sans-serif; text-anchor: middle; dominant-baseline: central }
  @media (prefers-color-scheme: dark) {
    .network .edge { stroke: #8fa3bd }
    .network .agent { fill: #6aa9ee; stroke: #10151d }
    .network .number { fill: #10151d }
    .network .title { fill: #e5e9f0 }
  }
</style>
)";

std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == '&')
      safe += "&amp;";
    else if (c == '<')
      safe += "&lt;";
    else if (c == '>')
      safe += "&gt;";
    else
      safe += c;
  }
  return safe;
}

class Picture {
 public:
  Picture(const Graph& graph, const Drawing& drawing)
      : graph_(graph), drawing_(drawing), places_(layout(graph)) {
    radius_ = std::clamp(drawing.side / (7 * std::sqrt(static_cast<double>(graph.agents()))), 1.2, 15.0);
    const double margin = radius_ + 12;
    const double half = drawing.side / 2 - margin;
    places_ = (half * places_).array() + drawing.side / 2;
    places_.row(1).array() += title_height();
  }

  std::string svg() {
    open();
    edges();
    agents();
    if (radius_ >= smallest_numbered) numbers();
    put("</svg>\n");
    return std::move(text_);
  }

 private:
  static constexpr double smallest_numbered = 9;

  [[nodiscard]] double title_height() const { return drawing_.title.empty() ? 0 : 36; }

  template <class... Args>
  void put(fmt::format_string<Args...> line, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), line, std::forward<Args>(args)...);
  }

  void open() {
    const double height = drawing_.side + title_height();
    put(R"(<svg class="network" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0:g} {1:g}" width="{0:g}" height="{1:g}" role="img">)"
        "\n",
        drawing_.side, height);
    put("{}", style);
    if (drawing_.title.empty()) return;
    const auto title = escaped(drawing_.title);
    put("<title>{0}</title>\n<text class=\"title\" x=\"{1:g}\" y=\"24\">{0}</text>\n", title,
        drawing_.side / 2);
  }

  void edges() {
    double heaviest = 0;
    for (const auto& edge : graph_.edges()) heaviest = std::max(heaviest, edge.weight);
    const double full = std::clamp(radius_ / 5, 0.4, 2.5);
    put("<g class=\"edge\" stroke-width=\"{:.2f}\">\n", full);
    for (const auto& [a, b, weight] : graph_.edges()) {
      put(R"(<line x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}")", places_(0, a), places_(1, a),
          places_(0, b), places_(1, b));
      if (weight < heaviest) put(R"( stroke-width="{:.2f}")", full * (0.25 + 0.75 * weight / heaviest));
      put("/>\n");
    }
    put("</g>\n");
  }

  void agents() {
    put("<g class=\"agent\" stroke-width=\"{:.2f}\">\n", std::min(1.5, radius_ / 5));
    for (Index i = 0; i < graph_.agents(); ++i)
      put("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\"><title>agent {}, {} "
          "neighbours</title></circle>\n",
          places_(0, i), places_(1, i), radius_, i, graph_.degree(i));
    put("</g>\n");
  }

  void numbers() {
    put("<g class=\"number\" font-size=\"{:.1f}\" pointer-events=\"none\">\n", 0.85 * radius_);
    for (Index i = 0; i < graph_.agents(); ++i)
      put("<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", places_(0, i), places_(1, i), i);
    put("</g>\n");
  }

  const Graph& graph_;
  const Drawing& drawing_;
  Eigen::Matrix2Xd places_;
  double radius_;
  std::string text_;
};

}  // namespace

std::string draw_svg(const Graph& graph, const Drawing& drawing) {
  if (graph.agents() > drawing.most_agents)
    throw InputError("--svg", fmt::format("{} agents", graph.agents()),
                     fmt::format("at most {} can be drawn", drawing.most_agents),
                     "Draw a smaller graph of the family.");
  return Picture(graph, drawing).svg();
}

}  // namespace ideal
