// SPDX-License-Identifier: Apache-2.0
#include "support/message.hpp"

#include <ideal/graph.hpp>

#include <gtest/gtest.h>

namespace ideal {
namespace {

using test::message;

std::vector<Index> listed(std::span<const Index> agents) { return {agents.begin(), agents.end()}; }

TEST(Graph, OrdersEdgesAndNeighbours) {
  const Graph graph(4, {{3, 1}, {2, 1}, {0, 1}, {3, 0}});
  EXPECT_EQ(listed(graph.neighbours(1)), (std::vector<Index>{0, 2, 3}));
  EXPECT_EQ(listed(graph.neighbours(3)), (std::vector<Index>{0, 1}));
  EXPECT_EQ(graph.edges()[1].a, 0);
  EXPECT_EQ(graph.edges()[1].b, 3);
  EXPECT_TRUE(graph.adjacent(3, 0));
  EXPECT_FALSE(graph.adjacent(2, 3));
}

TEST(Graph, RefusesEdgesThatAreNoneOfASimpleGraph) {
  EXPECT_EQ(message([] {
              Graph(3, {{0, 3}});
            }),
            "graph: edge (0, 3) of weight 1 (agents are 0 ... 2). Correct the edge.");
  EXPECT_EQ(message([] {
              Graph(3, {{1, 1}});
            }),
            "graph: edge (1, 1) of weight 1 (an agent is not its own neighbour). Leave self-loops out.");
  EXPECT_EQ(message([] {
              Graph(3, {{0, 1}, {1, 0}});
            }),
            "graph: edge (0, 1) twice (the graph is simple). Give each edge once.");
  EXPECT_EQ(message([] {
              Graph(3, {{0, 1, -2}});
            }),
            "graph: edge (0, 1) of weight -2 (weights are positive). Leave absent edges out.");
  EXPECT_EQ(message([] { Graph(0, {}); }), "graph: 0 agents (at least 1). Add agents.");
}

TEST(Graph, FindsComponents) {
  const Graph graph(6, {{0, 4}, {1, 2}, {2, 5}});
  const std::vector<std::vector<Index>> expected{{0, 4}, {1, 2, 5}, {3}};
  EXPECT_EQ(graph.components(), expected);
}

TEST(Graph, MeasuresDiameters) {
  EXPECT_EQ(Graph::parse("line:7").diameter().hops, 6);
  EXPECT_EQ(Graph::parse("cycle:9").diameter().hops, 4);
  EXPECT_EQ(Graph::parse("complete:5").diameter().hops, 1);
  EXPECT_EQ(Graph::parse("grid:3x4").diameter().hops, 5);
  EXPECT_EQ(Graph::parse("hypercube:6").diameter().hops, 6);
  EXPECT_TRUE(Graph::parse("grid:3x4").diameter().exact);
  const auto swept = Graph::parse("grid:30x40").diameter(100);
  EXPECT_FALSE(swept.exact);
  EXPECT_EQ(swept.hops, 68);
}

}  // namespace
}  // namespace ideal
