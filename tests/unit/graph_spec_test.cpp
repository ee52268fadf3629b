// SPDX-License-Identifier: Apache-2.0
#include "support/message.hpp"

#include <ideal/graph.hpp>

#include <cmath>

#include <gtest/gtest.h>

namespace ideal {
namespace {

std::string complaint_about(std::string_view spec, std::uint64_t seed = 0) {
  return test::message([&] { Graph::parse(spec, seed); });
}

struct Counted {
  std::string spec;
  Index agents;
  std::size_t edges;
};

class GraphFamily : public ::testing::TestWithParam<Counted> {};

TEST_P(GraphFamily, HasItsAgentsAndEdges) {
  const auto& [spec, agents, edges] = GetParam();
  const Graph graph = Graph::parse(spec, 1);
  EXPECT_EQ(graph.agents(), agents);
  EXPECT_EQ(graph.edges().size(), edges);
  EXPECT_EQ(graph.components().size(), 1u);
}

INSTANTIATE_TEST_SUITE_P(All, GraphFamily,
                         ::testing::Values(Counted{"cycle:2", 2, 1}, Counted{"cycle:7", 7, 7},
                                           Counted{"line:7", 7, 6}, Counted{"complete:6", 6, 15},
                                           Counted{"star:5", 5, 4}, Counted{"grid:3x4", 12, 17},
                                           Counted{"grid:1x4", 4, 3}, Counted{"torus:3x4", 12, 24},
                                           Counted{"torus:2x2", 4, 4}, Counted{"torus:2x5", 10, 15},
                                           Counted{"hypercube:1", 2, 1}, Counted{"hypercube:4", 16, 32},
                                           Counted{"barbell:2", 2, 1}, Counted{"barbell:7", 7, 3 + 6 + 1},
                                           Counted{"er:9,1", 9, 36}, Counted{"regular:10,3", 10, 15},
                                           Counted{"regular:9,2", 9, 9}, Counted{"regular:8,7", 8, 28},
                                           Counted{"regular:9,6", 9, 27}, Counted{"geometric:6,1.41", 6, 15},
                                           Counted{"smallworld:12,4,0.2", 12, 24},
                                           Counted{"smallworld:5,4,1", 5, 10}, Counted{"tree:2", 2, 1},
                                           Counted{"tree:30", 30, 29}));

TEST(GraphSpec, BarbellJoinsItsHalvesByOneBridge) {
  const Graph graph = Graph::parse("barbell:8");
  EXPECT_TRUE(graph.adjacent(3, 4));
  EXPECT_EQ(graph.degree(3), 4);
  EXPECT_EQ(graph.degree(4), 4);
  EXPECT_FALSE(graph.adjacent(2, 4));
}

TEST(GraphSpec, GridCountsAlongRows) {
  const Graph graph = Graph::parse("grid:3x4");
  EXPECT_TRUE(graph.adjacent(1 * 4 + 2, 2 * 4 + 2));
  EXPECT_FALSE(graph.adjacent(3, 4));
}

TEST(GraphSpec, SeedDecidesTheRandomFamilies) {
  for (const char* spec :
       {"er:30,0.3", "regular:30,4", "geometric:30,0.6", "smallworld:30,4,0.3", "tree:30"}) {
    const auto pairs = [&](std::uint64_t seed) {
      const Graph graph = Graph::parse(spec, seed);
      std::vector<std::pair<Index, Index>> all;
      for (const auto& edge : graph.edges()) all.emplace_back(edge.a, edge.b);
      return all;
    };
    EXPECT_EQ(pairs(5), pairs(5)) << spec;
    EXPECT_NE(pairs(5), pairs(6)) << spec;
  }
}

TEST(GraphSpec, ErdosRenyiHasTheRightDensity) {
  const double pairs = 1000 * 999 / 2.0;
  const double edges = static_cast<double>(Graph::parse("er:1000,0.05", 3).edges().size());
  EXPECT_NEAR(edges / pairs, 0.05, 5 * std::sqrt(0.05 * 0.95 / pairs));
}

TEST(GraphSpec, NamesUnknownFamilies) {
  EXPECT_EQ(
      complaint_about("cicle:8"),
      "--graph: unknown family 'cicle' in 'cicle:8' (a graph is FAMILY:ARGUMENTS). Did you mean 'cycle'?");
  EXPECT_EQ(complaint_about(""),
            "--graph: unknown family '' in '' (a graph is FAMILY:ARGUMENTS). One of: cycle, line, complete, "
            "star, grid, "
            "torus, hypercube, barbell, er, regular, geometric, smallworld, tree, file.");
}

TEST(GraphSpec, NamesMalformedArguments) {
  EXPECT_EQ(complaint_about("cycle"), "--graph: 'cycle' (the form is cycle:n). Write for example cycle:8.");
  EXPECT_EQ(
      complaint_about("cycle:abc"),
      "--graph: n = 'abc' in 'cycle:abc' (n is a whole number, 2 ... 10000000). Write for example cycle:8.");
  EXPECT_EQ(
      complaint_about("cycle:8x"),
      "--graph: n = '8x' in 'cycle:8x' (n is a whole number, 2 ... 10000000). Write for example cycle:8.");
  EXPECT_EQ(complaint_about("line:1"),
            "--graph: n = '1' in 'line:1' (n is a whole number, 2 ... 10000000). Write for example line:8.");
  EXPECT_EQ(complaint_about("star:99999999999999999999"),
            "--graph: n = '99999999999999999999' in 'star:99999999999999999999' (n is a whole number, 2 ... "
            "10000000). "
            "Write for example star:8.");
  EXPECT_EQ(complaint_about("grid:3,4"),
            "--graph: 'grid:3,4' (the form is grid:RxC). Write for example grid:3x4.");
  EXPECT_EQ(
      complaint_about("grid:3x"),
      "--graph: C = '' in 'grid:3x' (C is a whole number, 1 ... 10000000). Write for example grid:3x4.");
  EXPECT_EQ(complaint_about("torus:1x1"),
            "--graph: 'torus:1x1' (R x C = 1 agents, 2 ... 10000000 allowed). Write for example torus:3x4.");
  EXPECT_EQ(
      complaint_about("hypercube:21"),
      "--graph: k = '21' in 'hypercube:21' (k is a whole number, 1 ... 20). Write for example hypercube:4.");
  EXPECT_EQ(complaint_about("er:10"), "--graph: 'er:10' (the form is er:n,p). Write for example er:20,0.3.");
  EXPECT_EQ(complaint_about("er:10,0"),
            "--graph: p = '0' in 'er:10,0' (p lies in (0, 1]). Write for example er:20,0.3.");
  EXPECT_EQ(complaint_about("er:10,nan"),
            "--graph: p = 'nan' in 'er:10,nan' (p lies in (0, 1]). Write for example er:20,0.3.");
  EXPECT_EQ(
      complaint_about("geometric:10,1.5"),
      "--graph: r = '1.5' in 'geometric:10,1.5' (r lies in (0, 1.414]). Write for example geometric:20,0.5.");
}

TEST(GraphSpec, NamesImpossibleArguments) {
  EXPECT_EQ(complaint_about("regular:9,3"),
            "--graph: 'regular:9,3' (n k is twice the number of edges, hence even). Write for example "
            "regular:20,4.");
  EXPECT_EQ(
      complaint_about("regular:8,1"),
      "--graph: 'regular:8,1' (with k = 1 only two agents are connected). Write for example regular:20,4.");
  EXPECT_EQ(
      complaint_about("regular:8,8"),
      "--graph: k = '8' in 'regular:8,8' (k is a whole number, 1 ... 7). Write for example regular:20,4.");
  EXPECT_EQ(complaint_about("smallworld:9,3,0.1"),
            "--graph: 'smallworld:9,3,0.1' (k neighbours, k/2 on each side, hence even). Write for example "
            "smallworld:20,4,0.1.");
  EXPECT_EQ(complaint_about("complete:1000000"),
            "--graph: 'complete:1000000' (about 5e+11 edges, at most 1e+08 allowed). Write for example "
            "complete:8.");
}

TEST(GraphSpec, SaysHowADisconnectedDrawFallsApart) {
  EXPECT_EQ(complaint_about("geometric:3,0.000001"),
            "--graph geometric:3,0.000001: 3 components: {0}, {1}, {2} (every agent must reach every other). "
            "Use another "
            "--seed or a larger r.");
  const auto er = complaint_about("er:100,0.0001");
  EXPECT_NE(er.find("components: {0}"), std::string::npos) << er;
  EXPECT_NE(er.find(" more (every agent must reach every other). Use another --seed or a larger p."),
            std::string::npos)
      << er;
}

TEST(GraphSpec, ListsItsFamilies) {
  EXPECT_EQ(graph_families().size(), 14u);
  EXPECT_EQ(graph_families().front(), "cycle:n");
  EXPECT_EQ(graph_families().back(), "file:PATH");
}

}  // namespace
}  // namespace ideal
