// SPDX-License-Identifier: Apache-2.0
#include <ideal/cluster.hpp>
#include <ideal/error.hpp>

#include <algorithm>

#include <gtest/gtest.h>

namespace ideal {
namespace {

TEST(Placement, SharesAreEqualAndAgentZeroIsOnRankZero) {
  for (const char* spec :
       {"cycle:8", "barbell:9", "torus:4x5", "hypercube:5", "tree:23", "star:12", "regular:40,3"})
    for (const Index ranks : {1, 2, 3, 5, 7, 8}) {
      const Graph graph = Graph::parse(spec);
      const auto host_of = place(graph, ranks);
      std::vector<Index> sizes(ranks, 0);
      for (const Index host : host_of) ++sizes.at(host);
      EXPECT_LE(std::ranges::max(sizes) - std::ranges::min(sizes), 1) << spec << ' ' << ranks;
      EXPECT_GE(std::ranges::min(sizes), 1);
      EXPECT_EQ(host_of.front(), 0);
    }
}

TEST(Placement, CutsAsFewEdgesAsTheGraphAllows) {
  const auto cut = [](const char* spec, Index ranks) {
    const Graph graph = Graph::parse(spec);
    return cut_edges(graph, place(graph, ranks));
  };
  EXPECT_EQ(cut("cycle:12", 1), 0);
  EXPECT_EQ(cut("cycle:12", 4), 4);
  EXPECT_EQ(cut("line:12", 4), 3);
  EXPECT_EQ(cut("barbell:12", 2), 1);
  EXPECT_EQ(cut("hypercube:4", 2), 8);
  EXPECT_EQ(cut("grid:4x8", 2), 4);  // the short side, although rows are numbered first
}

TEST(Placement, SwapsHelpWhereNumbersAreScrambled) {
  // a cycle that visits the agents in steps of five
  std::vector<Graph::Edge> edges;
  for (Index k = 0; k < 12; ++k) {
    const Index a = 5 * k % 12, b = 5 * (k + 1) % 12;
    edges.push_back({std::min(a, b), std::max(a, b)});
  }
  const Graph graph(12, edges);
  std::vector<Index> in_order(12);
  for (Index i = 0; i < 12; ++i) in_order[i] = i / 6;
  EXPECT_LT(cut_edges(graph, place(graph, 2)), cut_edges(graph, in_order));
  EXPECT_LE(cut_edges(graph, place(graph, 2)), 4);
}

TEST(Placement, EveryRankNeedsAnAgent) {
  EXPECT_THROW(place(Graph::parse("cycle:4"), 5), InputError);
  EXPECT_THROW(place(Graph::parse("cycle:4"), 0), InputError);
}

TEST(Cluster, AloneSaysWhatItHears) {
  const auto cluster = alone();
  EXPECT_EQ(cluster->share("a"), std::vector<std::string>{"a"});
  EXPECT_EQ(told_by_first(*cluster, "b"), "b");
  EXPECT_NO_THROW(require_same(*cluster, "anything", "c"));
}

}  // namespace
}  // namespace ideal
