// SPDX-License-Identifier: Apache-2.0
#include "data/readers.hpp"
#include "support/data_bytes.hpp"
#include "support/dense.hpp"

#include <gtest/gtest.h>

namespace ideal {
namespace {

using data::parse_libsvm;
using test::dense_features;
using test::message;

std::string refused_libsvm(std::string_view text) {
  return message([&] { parse_libsvm(text, "heart.svm"); });
}

TEST(Libsvm, reads_labels_and_features) {
  const Dataset data = parse_libsvm("+1 1:0.5 3:-2e1\n-1 2:7\n", "f");
  ASSERT_TRUE(data.sparse());
  EXPECT_EQ(data.rows(), 2);
  EXPECT_EQ(data.columns(), 3);
  EXPECT_EQ(data.nonzeros(), 3);
  EXPECT_EQ(data.labels, (Vector(2) << 1, -1).finished());
  EXPECT_EQ(dense_features(data), (DenseRows(2, 3) << 0.5, 0, -20, 0, 7, 0).finished());
  EXPECT_TRUE(std::get<SparseRows>(data.features).isCompressed());
}

TEST(Libsvm, skips_comments_blank_lines_and_query_ids) {
  const Dataset data = parse_libsvm("# title\r\n\r\n1 qid:7 1:1 # 2:2\r\n \t\n2\t2:+3  \n3", "f");
  EXPECT_EQ(data.labels, (Vector(3) << 1, 2, 3).finished());
  EXPECT_EQ(dense_features(data), (DenseRows(3, 2) << 1, 0, 0, 3, 0, 0).finished());
  EXPECT_EQ(data.nonzeros(), 2);
}

TEST(Libsvm, rounds_what_is_too_small_to_zero) {
  EXPECT_EQ(dense_features(parse_libsvm("1 1:1e-400 2:1", "f"))(0, 0), 0);
}

TEST(Libsvm, refuses_bad_indices) {
  EXPECT_EQ(refused_libsvm("1 1:1\n\n1 0:1\n"),
            "heart.svm:3: index 0 (LIBSVM indices start at 1 and ascend). Write 1 for the first feature.");
  EXPECT_EQ(
      refused_libsvm("1 2:1 2:5"),
      "heart.svm:1: index 2 twice (LIBSVM indices start at 1 and ascend). Keep one value of a feature.");
  EXPECT_EQ(refused_libsvm("1 3:1 2:5"),
            "heart.svm:1: index 2 after 3 (LIBSVM indices start at 1 and ascend). "
            "Sort the features of the row by index.");
  EXPECT_EQ(refused_libsvm("1 2147483647:1"),
            "heart.svm:1: index 2147483647 (an index is at most 2147483646). Renumber the features.");
  EXPECT_EQ(
      refused_libsvm("1 99999999999999999999:1"),
      "heart.svm:1: index 99999999999999999999 (an index is at most 2147483646). Renumber the features.");
  EXPECT_EQ(refused_libsvm("1 -1:1"),
            "heart.svm:1: index '-1' (an index is a whole number from 1). "
            "Write a feature as index:value, for example 3:0.5.");
}

TEST(Libsvm, takes_the_largest_index) {
  EXPECT_EQ(parse_libsvm("1 2147483646:1", "f").columns(), 2147483646);
}

TEST(Libsvm, refuses_what_is_no_number) {
  EXPECT_EQ(refused_libsvm("1 1:1\n1 0.5 2\n"),
            "heart.svm:2: '0.5' (a feature is written index:value). "
            "In CSV, separate columns by comma, semicolon or tab.");
  EXPECT_EQ(refused_libsvm("yes 1:1\n"),
            "heart.svm:1: label 'yes' (a row starts with a number). Write label index:value ...");
  EXPECT_EQ(
      refused_libsvm("1 1:x\n"),
      "heart.svm:1: value 'x' (a value is a number). Write a feature as index:value, for example 3:0.5.");
  EXPECT_EQ(
      refused_libsvm("1 1:"),
      "heart.svm:1: value '' (a value is a number). Write a feature as index:value, for example 3:0.5.");
  EXPECT_EQ(
      refused_libsvm("1 1:2:3"),
      "heart.svm:1: value '2:3' (a value is a number). Write a feature as index:value, for example 3:0.5.");
}

TEST(Libsvm, refuses_what_is_not_finite) {
  EXPECT_EQ(refused_libsvm("1 1:nan"),
            "heart.svm:1: 1:nan (values must be finite). Fill or drop missing values.");
  EXPECT_EQ(refused_libsvm("1 1:1 2:1e999 3:1"),
            "heart.svm:1: 2:1e999 (values must be finite). Fill or drop missing values.");
  EXPECT_EQ(refused_libsvm("-inf 1:1"),
            "heart.svm:1: label -inf (values must be finite). Fill or drop missing values.");
}

TEST(Libsvm, refuses_files_without_rows_or_features) {
  EXPECT_EQ(
      refused_libsvm("# nothing\n"),
      "heart.svm: no rows (a data set has at least one row). Write label index:value ... on each line.");
  EXPECT_EQ(refused_libsvm("1\n2\n"),
            "heart.svm: labels without features (at least one row has a feature). "
            "Write label index:value ... on each line.");
}

}  // namespace
}  // namespace ideal
