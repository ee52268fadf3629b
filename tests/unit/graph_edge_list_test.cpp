// SPDX-License-Identifier: Apache-2.0
#include "network/parse.hpp"
#include "support/message.hpp"

#include <ideal/graph.hpp>

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

namespace ideal {
namespace {

std::string list_complaint(std::string_view text) {
  return test::message([&] { parse_edge_list(text, "edges.txt"); });
}

TEST(EdgeList, ReadsEdgesWeightsAndComments) {
  const Graph graph = parse_edge_list("# a triangle\r\n0 1\r\n\n 2\t1  0.5 # light\n2 0 +2", "edges.txt");
  EXPECT_EQ(graph.agents(), 3);
  ASSERT_EQ(graph.edges().size(), 3u);
  EXPECT_EQ(graph.edges()[0].weight, 1);
  EXPECT_EQ(graph.edges()[1].weight, 2);
  EXPECT_EQ(graph.edges()[2].weight, 0.5);
}

TEST(EdgeList, NamesTheLine) {
  EXPECT_EQ(list_complaint("0 1\n1\n"),
            "edges.txt:2: 1 fields (a line is 'a b' or 'a b weight'). Separate them by spaces.");
  EXPECT_EQ(list_complaint("0 1 2 3"),
            "edges.txt:1: 4 fields (a line is 'a b' or 'a b weight'). Separate them by spaces.");
  EXPECT_EQ(list_complaint("0 -1"),
            "edges.txt:1: agent '-1' (agents are whole numbers, 0 ... 9999999). Number the agents from 0.");
  EXPECT_EQ(list_complaint("0 1\n\n0 two"),
            "edges.txt:3: agent 'two' (agents are whole numbers, 0 ... 9999999). Number the agents from 0.");
  EXPECT_EQ(list_complaint("3 3"),
            "edges.txt:1: edge 3 3 (an agent is not its own neighbour). Delete the line.");
  EXPECT_EQ(list_complaint("0 1 0"),
            "edges.txt:1: weight '0' (weights are positive numbers). Delete the line if there is no edge.");
  EXPECT_EQ(list_complaint("0 1 inf"),
            "edges.txt:1: weight 'inf' (weights are positive numbers). Delete the line if there is no edge.");
  EXPECT_EQ(list_complaint("0 1\n1 2\n1 0"),
            "edges.txt:3: edge 0 1, already on line 1 (an undirected edge is given once). Delete one of the "
            "two lines.");
  EXPECT_EQ(list_complaint("# nothing\n"),
            "edges.txt: no edges (a line is 'a b' or 'a b weight'). List at least one edge.");
}

TEST(EdgeList, IsReadFromAFile) {
  const auto file = std::filesystem::temp_directory_path() / "ideal_edge_list_test.txt";
  std::ofstream(file) << "0 1\n1 2\n";
  EXPECT_EQ(Graph::parse("file:" + file.string()).agents(), 3);
  std::filesystem::remove(file);
  EXPECT_EQ(test::message([&] { Graph::parse("file:/no/such/edges"); }),
            "/no/such/edges: cannot be read: No such file or directory (a readable text file). Check the "
            "path and its "
            "permissions.");
}

}  // namespace
}  // namespace ideal
