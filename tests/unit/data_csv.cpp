// SPDX-License-Identifier: Apache-2.0
#include "data/readers.hpp"
#include "support/data_bytes.hpp"

#include <gtest/gtest.h>

namespace ideal {
namespace {

using data::parse_csv;
using test::message;

const DenseRows& dense(const Dataset& data) { return std::get<DenseRows>(data.features); }

std::string refused_csv(std::string_view text, std::string_view label = "") {
  return message([&] { parse_csv(text, label, "wine.csv"); });
}

TEST(Csv, takes_the_last_column_for_labels) {
  const Dataset data = parse_csv("1,2.5,-1\n3,-4e2,1\n", "", "f");
  EXPECT_FALSE(data.sparse());
  EXPECT_EQ(dense(data), (DenseRows(2, 2) << 1, 2.5, 3, -400).finished());
  EXPECT_EQ(data.labels, (Vector(2) << -1, 1).finished());
}

TEST(Csv, takes_the_named_column_for_labels) {
  const Dataset data = parse_csv("a,\"the \"\"class\"\"\",b\n1,0,2\n3,1,4\n", "the \"class\"", "f");
  EXPECT_EQ(dense(data), (DenseRows(2, 2) << 1, 2, 3, 4).finished());
  EXPECT_EQ(data.labels, (Vector(2) << 0, 1).finished());
}

TEST(Csv, reads_every_separator_quotes_and_line_ends) {
  const DenseRows truth = (DenseRows(2, 2) << 1, 2, 3, 4).finished();
  for (const std::string_view text : {"1,2,0\n3,4,0", "1;2;0\r\n3;4;0\r\n\r\n", "1\t2\t0\n3\t4\t0\n\n\n",
                                      "\"1\" , +2,0\n3,\" 4 \",0\n", "\xEF\xBB\xBFx,y,z\n1,2,0\n\n3,4,0\n"})
    EXPECT_EQ(dense(parse_csv(text, "", "f")), truth) << text;
}

TEST(Csv, does_not_look_for_separators_in_quotes) {
  EXPECT_EQ(parse_csv("\"a;b\",\"c\td\",y\n1,2,3\n", "a;b", "f").labels[0], 1);
}

TEST(Csv, refuses_bad_cells) {
  EXPECT_EQ(refused_csv("x,y,label\n1,2,3\n1,red,3\n"),
            "wine.csv:3: 'red' in column 2 'y' (every cell is a number). "
            "Fill missing values and encode categories as numbers.");
  EXPECT_EQ(refused_csv("1,2,3\n1,,3\n"),
            "wine.csv:2: an empty cell in column 2 (every cell is a number). "
            "Fill missing values and encode categories as numbers.");
  EXPECT_EQ(refused_csv("1,,3\n"),
            "wine.csv:1: an empty cell in column 2 (every cell is a number). "
            "Fill missing values and encode categories as numbers.");
  EXPECT_EQ(refused_csv("1,2,3\n1,2,NaN\n"),
            "wine.csv:2: nan in column 3 (values must be finite). "
            "Fill missing values and encode categories as numbers.");
  EXPECT_EQ(refused_csv("a;b\n1;2,5\n"),
            "wine.csv:2: '2,5' in column 2 'b' (every cell is a number). Write a decimal point.");
  EXPECT_EQ(refused_csv("a,b\n1,\"2\n"),
            "wine.csv:2: '\"2' in column 2 'b' (a quote closes on the line where it opens). "
            "Fill missing values and encode categories as numbers.");
}

TEST(Csv, refuses_a_first_row_that_is_half_a_header) {
  EXPECT_EQ(
      refused_csv("1.5,2..0,3\n4,5,6\n"),
      "wine.csv:1: cell '2..0' among numbers (the first row holds names only or numbers only). Correct the "
      "cell, or name every column.");
}

TEST(Csv, refuses_rows_of_another_width) {
  EXPECT_EQ(refused_csv("1,2,3\n\n1,2\n"),
            "wine.csv:3: 2 columns (the first row has 3). Give every row the same columns.");
  EXPECT_EQ(refused_csv("1,2,3\n1,2,3,4\n"),
            "wine.csv:2: 4 columns (the first row has 3). Give every row the same columns.");
  EXPECT_EQ(refused_csv("1,2,3\n1,x\n"),
            "wine.csv:2: 2 columns (the first row has 3). Give every row the same columns.");
}

TEST(Csv, takes_no_memory_for_rows_that_cannot_be_there) {
  std::string wide_then_short = "a" + std::string(200'000, ',') + "\n";
  for (int row = 0; row < 200'000; ++row) wide_then_short += "1\n";
  EXPECT_EQ(refused_csv(wide_then_short),
            "wine.csv:2: 1 column (the first row has 200001). Give every row the same columns.");
  EXPECT_EQ(refused_csv("1,2,3\n4,"),
            "wine.csv:2: 2 columns (the first row has 3). Give every row the same columns.");
  EXPECT_EQ(refused_csv("a,b,c,d,e,f,g\n1\n"),
            "wine.csv:2: 1 column (the first row has 7). Give every row the same columns.");
}

TEST(Csv, refuses_unknown_labels) {
  EXPECT_EQ(refused_csv("alcohol,quality\n1,2\n", "qualty"),
            "wine.csv: no column named 'qualty' (the label is a column of the header row). Did you mean "
            "'quality'?");
  EXPECT_EQ(
      refused_csv("1,2\n", "quality"),
      "wine.csv: no header row to find the label column 'quality' in (a label column is named in the first "
      "row). Add a header, or make the labels the last column.");
  EXPECT_EQ(
      refused_csv("a,a,b\n1,2,3\n", "a"),
      "wine.csv: several columns named 'a' (the label is one column). Give the columns different names.");
}

TEST(Csv, refuses_files_without_rows_or_columns) {
  EXPECT_EQ(refused_csv("a,b\n"),
            "wine.csv: no rows of numbers (a data set has at least one row). "
            "Check that the file was written to its end.");
  EXPECT_EQ(refused_csv(" \n"),
            "wine.csv: no rows of numbers (a data set has at least one row). "
            "Check that the file was written to its end.");
  EXPECT_EQ(refused_csv("1\n2\n"),
            "wine.csv: a single column (a data set has a label and at least one feature). "
            "Separate columns by comma, semicolon or tab.");
}

}  // namespace
}  // namespace ideal
