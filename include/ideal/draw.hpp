// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/graph.hpp>

#include <string>

namespace ideal {

struct Drawing {
  std::string title;  ///< above the picture; none if empty
  double side = 720;  ///< of the square picture, in pixels
  Index most_agents = 20'000;
};

/// The graph as a standalone SVG that follows the reader's light or dark scheme. The same graph gives the
/// same picture: the layout draws no random numbers. Agents are numbered where there is room; thicker edges
/// weigh more.
std::string draw_svg(const Graph& graph, const Drawing& drawing = {});

}  // namespace ideal
