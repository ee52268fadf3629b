// SPDX-License-Identifier: Apache-2.0
#include "network/parse.hpp"
#include "support/message.hpp"

#include <ideal/topology.hpp>

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

namespace ideal {
namespace {

using Eigen::MatrixXd;

MatrixXd dense(std::string_view text) { return parse_matrix(text, "W.mtx").toDense(); }

std::string matrix_complaint(std::string_view text) {
  return test::message([&] { parse_matrix(text, "W.mtx"); });
}

TEST(MatrixFile, ReadsCsv) {
  EXPECT_EQ(dense("# W\n1, -1\r\n-1 ,+1\n"), (MatrixXd{{1, -1}, {-1, 1}}));
  EXPECT_EQ(dense("1,2,3"), (MatrixXd{{1, 2, 3}}));
}

TEST(MatrixFile, ReadsMatrixMarket) {
  EXPECT_EQ(dense("%%MatrixMarket matrix coordinate real symmetric\n% note\n2 2 3\n1 1 1\n2 1 -1\n2 2 1\n"),
            (MatrixXd{{1, -1}, {-1, 1}}));
  EXPECT_EQ(dense("%%MatrixMarket matrix coordinate integer general\n2 3 2\n1 3 7\n2 1 4\n"),
            (MatrixXd{{0, 0, 7}, {4, 0, 0}}));
  EXPECT_EQ(dense("%%MatrixMarket MATRIX coordinate pattern symmetric\n2 2 1\n2 1\n"),
            (MatrixXd{{0, 1}, {1, 0}}));
  EXPECT_EQ(dense("%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n"), (MatrixXd{{1, 3}, {2, 4}}));
  EXPECT_EQ(dense("%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n4\n"), (MatrixXd{{1, 2}, {2, 4}}));
}

TEST(MatrixFile, NamesTheLineOfACsv) {
  EXPECT_EQ(matrix_complaint(""), "W.mtx: no entries (a matrix has rows). Give W, one row a line.");
  EXPECT_EQ(matrix_complaint("1,2\n3\n"),
            "W.mtx:2: 1 entries (the first row has 2). Give every row the same number of entries.");
  EXPECT_EQ(matrix_complaint("1,x\n"), "W.mtx:1: 'x' (entries are numbers). Correct the entry.");
  EXPECT_EQ(matrix_complaint("1,\n"), "W.mtx:1: '' (entries are numbers). Correct the entry.");
}

TEST(MatrixFile, NamesTheLineOfAMatrixMarketFile) {
  const std::string coordinate = "%%MatrixMarket matrix coordinate real general\n";
  const std::string symmetric = "%%MatrixMarket matrix coordinate real symmetric\n";
  EXPECT_EQ(
      matrix_complaint("%%MatrixMarket matrix\n"),
      "W.mtx:1: '%%MatrixMarket matrix' (the banner is '%%MatrixMarket matrix FORMAT FIELD SYMMETRY'). Write "
      "%%MatrixMarket matrix coordinate real symmetric.");
  EXPECT_EQ(matrix_complaint("%%MatrixMarket matrix coordinate complex general\n"),
            "W.mtx:1: 'complex' (not supported in the banner). One of: real, integer, pattern.");
  EXPECT_EQ(matrix_complaint("%%MatrixMarket matrix array pattern general\n"),
            "W.mtx:1: array pattern (a pattern has coordinates). Write coordinate for array.");
  EXPECT_EQ(matrix_complaint(coordinate + "2 2\n"),
            "W.mtx:2: 2 fields (the line is 'rows columns entries'). Correct the line.");
  EXPECT_EQ(matrix_complaint(coordinate + "2 2 1\n3 1 5\n"),
            "W.mtx:3: '3' (a whole number, 1 ... 2). Correct the line.");
  EXPECT_EQ(matrix_complaint(coordinate + "2 2 2\n1 1 5\n"),
            "W.mtx:3: the file ends here ('row column value' is missing). Correct the size line.");
  EXPECT_EQ(matrix_complaint(coordinate + "2 2 1\n1 1 5\n2 2 5\n"),
            "W.mtx:4: '2 2 5' (more entries than announced). Correct the size line.");
  EXPECT_EQ(matrix_complaint(coordinate + "2 2 2\n1 1 5\n1 1 6\n"),
            "W.mtx: entry (1, 1) twice (an entry is given once). Delete one of the two lines.");
  EXPECT_EQ(matrix_complaint(symmetric + "2 3 0\n"),
            "W.mtx:2: 2 x 3 (a symmetric matrix is square). Correct the size line.");
  EXPECT_EQ(matrix_complaint(symmetric + "2 2 1\n1 2 5\n"),
            "W.mtx:3: entry (1, 2) (a symmetric file holds the lower triangle). Give row >= column.");
}

TEST(MatrixFile, ServesAsMixing) {
  const auto file = std::filesystem::temp_directory_path() / "ideal_matrix_file_test.csv";
  std::ofstream(file) << "1,-1,0\n-1,2,-1\n0,-1,1\n";
  const std::string mixing = "file:" + file.string();
  EXPECT_NEAR(Topology::parse("line:3", mixing).spectrum().lambda_max, 3, 1e-13);
  EXPECT_EQ(
      test::message([&] { Topology::parse("star:3", mixing); }),
      file.string() +
          ": W(1, 2) = -1 (W must be zero where the graph has no edge). Set it to 0, or add the edge to "
          "the graph.");
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace ideal
