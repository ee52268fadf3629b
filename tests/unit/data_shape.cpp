// SPDX-License-Identifier: Apache-2.0
#include "support/data_bytes.hpp"
#include "support/dense.hpp"

#include <ideal/data.hpp>

#include <cmath>
#include <set>

#include <gtest/gtest.h>

namespace ideal {
namespace {

using test::dense_features;
using test::message;

Dataset digits(bool sparse) {
  const DenseRows rows = (DenseRows(5, 2) << 1, 0, 2, 2, 0, 3, 3, 4, 0, 0).finished();
  Dataset data{"digits", rows, (Vector(5) << 7, 1, 9, 7, 1).finished()};
  if (sparse) data.features = SparseRows(rows.sparseView());
  return data;
}

TEST(KeepClasses, keeps_two_and_relabels_them) {
  for (const bool sparse : {false, true}) {
    Dataset data = digits(sparse);
    keep_classes(data, 7, 1);
    EXPECT_EQ(data.sparse(), sparse);
    EXPECT_EQ(dense_features(data), (DenseRows(4, 2) << 1, 0, 2, 2, 3, 4, 0, 0).finished());
    EXPECT_EQ(data.labels, (Vector(4) << -1, 1, -1, 1).finished());
  }
}

TEST(KeepClasses, refuses_absent_or_equal_classes) {
  Dataset data = digits(false);
  EXPECT_EQ(message([&] { keep_classes(data, 7, 3); }),
            "--classes: no row labelled 3 (both classes occur in the data). The data have 1, 7, 9.");
  EXPECT_EQ(message([&] { keep_classes(data, 7, 7); }),
            "--classes: 7 twice (two different classes are told apart). The data have 1, 7, 9.");
  EXPECT_EQ(data.rows(), 5);
}

TEST(NormalizeRows, gives_unit_rows_and_leaves_zeros) {
  for (const bool sparse : {false, true}) {
    Dataset data = digits(sparse);
    normalize_rows(data);
    EXPECT_EQ(dense_features(data).row(3), (Eigen::RowVectorXd(2) << 0.6, 0.8).finished());
    EXPECT_EQ(dense_features(data).row(4), Eigen::RowVectorXd::Zero(2));
  }
  Dataset huge{"", (DenseRows(1, 2) << 3e200, 4e200).finished(), Vector::Ones(1)};
  normalize_rows(huge);
  EXPECT_NEAR(dense_features(huge)(0, 0), 0.6, 1e-15);
}

TEST(Synthesize, is_the_same_everywhere) {
  const Dataset data = synthesize({.rows = 3, .columns = 2, .seed = 1});
  EXPECT_EQ(dense_features(data)(0, 0), -0x1.35565cc58fde3p-1);
  EXPECT_EQ(dense_features(data)(2, 1), 0x1.7b19c8a027de8p-4);
  EXPECT_EQ(dense_features(data),
            dense_features(synthesize({.rows = 5, .columns = 2, .seed = 1})).topRows(3));
  EXPECT_NE(dense_features(data), dense_features(synthesize({.rows = 3, .columns = 2, .seed = 2})));
}

TEST(Synthesize, has_the_spectrum_it_promises) {
  const Dataset data = synthesize({.rows = 20000, .columns = 5, .decay = 100});
  const Vector squares = dense_features(data).colwise().squaredNorm() / 20000;
  EXPECT_NEAR(squares.sum(), 1, 0.02);
  EXPECT_NEAR(std::sqrt(squares[0] / squares[4]), 100, 3);
  EXPECT_NEAR(std::sqrt(squares[0] / squares[2]), 10, 0.3);
}

TEST(Synthesize, labels_as_asked) {
  const auto labels = [](int classes) {
    const Dataset data = synthesize({.rows = 500, .columns = 4, .classes = classes});
    return std::set<double>(data.labels.begin(), data.labels.end());
  };
  EXPECT_EQ(labels(2), (std::set<double>{-1, 1}));
  EXPECT_EQ(labels(3), (std::set<double>{0, 1, 2}));
  EXPECT_EQ(labels(0).size(), 500u);
}

TEST(Synthesize, noise_flips_its_share_of_labels) {
  const Vector clean = synthesize({.rows = 10000, .noise = 0}).labels;
  const Vector flipped = synthesize({.rows = 10000, .noise = 0.2}).labels;
  EXPECT_NEAR(static_cast<double>((clean.array() != flipped.array()).count()) / 10000, 0.2, 0.02);
}

TEST(Synthesize, can_be_sparse) {
  const Dataset data = synthesize({.rows = 1000, .columns = 50, .density = 0.1});
  ASSERT_TRUE(data.sparse());
  EXPECT_NEAR(static_cast<double>(data.nonzeros()) / 50000, 0.1, 0.01);
  EXPECT_TRUE(std::get<SparseRows>(data.features).isCompressed());
}

TEST(Synthesize, refuses_impossible_shapes) {
  EXPECT_EQ(message([] { synthesize({.rows = 0}); }), "synthetic rows: 0 (at least 1). Change the field.");
  EXPECT_EQ(message([] { synthesize({.classes = 1}); }),
            "synthetic classes: 1 (0 for regression, or at least 2). Change the field.");
  for (const Synthetic& bad :
       {Synthetic{.columns = 0}, Synthetic{.decay = 0.5}, Synthetic{.noise = 2}, Synthetic{.noise = -1},
        Synthetic{.density = 0}, Synthetic{.density = std::nan("")}})
    EXPECT_THROW(synthesize(bad), InputError);
}

}  // namespace
}  // namespace ideal
