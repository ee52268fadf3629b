// SPDX-License-Identifier: Apache-2.0
#include "network/layout.hpp"
#include "support/message.hpp"

#include <ideal/draw.hpp>

#include <gtest/gtest.h>

namespace ideal {
namespace {

std::size_t count(std::string_view text, std::string_view word) {
  std::size_t found = 0;
  for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) ++found;
  return found;
}

TEST(Draw, ShowsEveryAgentAndEdge) {
  const auto svg = draw_svg(Graph::parse("grid:3x4"), {.title = "3 < 4 & more"});
  EXPECT_EQ(count(svg, "<circle"), 12u);
  EXPECT_EQ(count(svg, "<line"), 17u);
  EXPECT_EQ(count(svg, "3 &lt; 4 &amp; more"), 2u);
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
}

TEST(Draw, IsTheSameEachTime) {
  const auto graph = Graph::parse("smallworld:80,4,0.1", 2);
  EXPECT_EQ(draw_svg(graph), draw_svg(graph));
}

TEST(Draw, ThickensHeavyEdges) {
  const auto svg = draw_svg(Graph(3, {{0, 1, 1}, {1, 2, 4}}));
  EXPECT_EQ(count(svg, "stroke-width"), 3u);
}

TEST(Draw, RefusesWhatNobodyCouldSee) {
  EXPECT_EQ(test::message([] { draw_svg(Graph::parse("line:20001")); }),
            "--svg: 20001 agents (at most 20000 can be drawn). Draw a smaller graph of the family.");
}

TEST(Layout, KeepsAgentsApartAndInTheSquare) {
  for (const char* spec :
       {"star:30", "line:2", "cycle:12", "complete:9", "tree:200", "barbell:12", "torus:50x50"}) {
    const Eigen::Matrix2Xd places = layout(Graph::parse(spec));
    EXPECT_TRUE(places.allFinite()) << spec;
    EXPECT_LE(places.cwiseAbs().maxCoeff(), 1 + 1e-9) << spec;
    for (Index i = 0; i < std::min<Index>(places.cols(), 60); ++i)
      for (Index j = 0; j < i; ++j)
        EXPECT_GT((places.col(i) - places.col(j)).norm(), 1e-4) << spec << i << ' ' << j;
  }
}

TEST(Layout, DrawsACycleRound) {
  const Eigen::Matrix2Xd places = layout(Graph::parse("cycle:20"));
  const Eigen::VectorXd radii = (places.colwise() - places.rowwise().mean()).colwise().norm();
  EXPECT_LT(radii.maxCoeff() / radii.minCoeff(), 1.05);
}

}  // namespace
}  // namespace ideal
