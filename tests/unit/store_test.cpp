// SPDX-License-Identifier: Apache-2.0
// However an agent's rows are kept, its loss is the same.
#include "loss/linear.hpp"
#include "loss/rows.hpp"
#include "support/dense.hpp"
#include "support/problems.hpp"

#include <ideal/error.hpp>
#include <ideal/objective.hpp>
#include <ideal/random.hpp>

#include <cmath>

#include <gtest/gtest.h>

namespace ideal::test {
namespace {

/// Two labels or real targets, and values that are floats.
Dataset data_of(Index rows, Index columns, LossKind kind, bool floats = true) {
  Random random(11);
  Dataset data{"data", DenseRows(rows, columns), Vector(rows)};
  for (double& value : std::get<DenseRows>(data.features).reshaped())
    value = floats ? static_cast<double>(static_cast<float>(random.normal())) : random.normal();
  for (double& label : data.labels)
    label = kind == LossKind::ridge     ? random.normal()
            : kind == LossKind::softmax ? static_cast<double>(random.below(3))
                                        : 2.0 * static_cast<double>(random.below(2)) - 1;
  return data;
}

Vector point(Index size) {
  Random random(12);
  return Vector::NullaryExpr(size, [&] { return 0.1 * random.normal(); });
}

std::shared_ptr<const Loss> loss_of(const Dataset& data, LossKind kind,
                                    Storage storage = Storage::automatic) {
  const Index cuts[] = {0, data.rows()};
  return make_losses(std::make_shared<const Dataset>(data), cuts, kind, 0.1, 3, storage).front();
}

std::shared_ptr<const Rows> rows_of(Dataset data, Storage storage = Storage::automatic) {
  const Index cuts[] = {0, data.rows()};
  return store_rows(std::move(data), cuts, storage).front();
}

class EveryKind : public testing::TestWithParam<LossKind> {};
INSTANTIATE_TEST_SUITE_P(Loss, EveryKind,
                         testing::Values(LossKind::logistic, LossKind::ridge, LossKind::softmax),
                         [](const auto& test) { return std::string(to_string(test.param)); });

/// The same rows with columns that lie so far apart.
SparseRows spread(const SparseRows& rows, Index apart) {
  SparseRows wide(rows.rows(), rows.cols() * apart);
  std::vector<Eigen::Triplet<double>> entries;
  for (Index j = 0; j < rows.rows(); ++j)
    for (SparseRows::InnerIterator entry(rows, j); entry; ++entry)
      entries.emplace_back(j, entry.col() * apart, entry.value());
  wide.setFromTriplets(entries.begin(), entries.end());
  return wide;
}

TEST_P(EveryKind, OfSparseRowsHasTheSameBitsHoweverManyColumnsAreEmpty) {
  constexpr Index columns = 40, apart = 13'001, rows = 150;
  Dataset near = data_of(rows, columns, GetParam(), false);
  const DenseRows dense = std::get<DenseRows>(near.features)
                              .cwiseProduct(DenseRows::NullaryExpr(rows, columns, [](Index j, Index k) {
                                return (3 * j + k) % 5 == 0 ? 1.0 : 0.0;
                              }));
  const SparseRows narrow = dense.sparseView();
  Dataset far = near;
  near.features = narrow;
  far.features = spread(narrow, apart);

  const auto loss = loss_of(near, GetParam()), far_loss = loss_of(far, GetParam());
  const Index classes = loss->dimension() / columns;
  const Vector x = point(loss->dimension());
  Vector x_spread = Vector::Zero(far_loss->dimension()), v = x_spread, Hv(x_spread.size());
  for (Index k = 0; k < columns; ++k)
    x_spread.segment(k * apart * classes, classes) = x.segment(k * classes, classes);
  const Vector g = gradient(*loss, x), g_spread = gradient(*far_loss, x_spread);
  Vector Hx(g.size());
  loss->hessian_vector(x, x, Hx);
  far_loss->hessian_vector(x_spread, x_spread, Hv);
  for (Index k = 0; k < columns; ++k) {
    EXPECT_EQ(g_spread.segment(k * apart * classes, classes), g.segment(k * classes, classes));
    EXPECT_EQ(Hv.segment(k * apart * classes, classes), Hx.segment(k * classes, classes));
  }
  EXPECT_NEAR(far_loss->value_and_gradient(x_spread, v), loss->value_and_gradient(x, Hx), 1e-14);
}

TEST_P(EveryKind, HasTheSameBitsInSinglePrecisionWhereThatIsExact) {
  for (const Index d : {1, 5, 8, 19}) {
    const Dataset data = data_of(70, d, GetParam());
    const auto narrow = loss_of(data, GetParam()), wide = loss_of(data, GetParam(), Storage::f64);
    const Vector x = point(wide->dimension());
    EXPECT_EQ(gradient(*narrow, x), gradient(*wide, x));
    EXPECT_EQ(narrow->value(x), wide->value(x));
    Vector Hx(x.size()), Hx_wide(x.size());
    narrow->hessian_vector(x, x, Hx);
    wide->hessian_vector(x, x, Hx_wide);
    EXPECT_EQ(Hx, Hx_wide);
  }
}

TEST_P(EveryKind, HasTheSameBitsInSinglePrecisionAlsoInPieces) {
  const Dataset data = data_of(3000, 800, GetParam());
  const auto narrow = loss_of(data, GetParam()), wide = loss_of(data, GetParam(), Storage::f64);
  ASSERT_GT(wide->pieces(), 1);
  const Vector x = point(wide->dimension());
  EXPECT_EQ(gradient(*narrow, x), gradient(*wide, x));
}

TEST_P(EveryKind, LosesNothingWithTheColumnsThatAreZero) {
  Dataset with = data_of(70, 40, GetParam(), false);
  auto& features = std::get<DenseRows>(with.features);
  for (Index k = 0; k < 40; k += 3) features.col(k).setZero();
  const Index cuts[] = {0, 70};
  const auto dropped = loss_of(with, GetParam());
  ASSERT_LT(store_rows(Dataset(with), cuts).front()->held(), 40);

  const Vector x = point(dropped->dimension());
  const Vector g = gradient(*dropped, x);
  Dataset sparse = with;
  sparse.features = SparseRows(features.sparseView());
  const auto same = loss_of(sparse, GetParam());
  EXPECT_LT((g - gradient(*same, x)).norm(), 1e-14 * g.norm());
  EXPECT_NEAR(dropped->value(x), same->value(x), 1e-14 * same->value(x));
  Block H = Block::Zero(x.size(), x.size()), H_same = H;
  dropped->add_hessian(x, H);
  same->add_hessian(x, H_same);
  EXPECT_LT((H - H_same).norm(), 1e-13 * H.norm());
  Block X(x.size(), 3);
  X << x, 2 * x, -x;
  EXPECT_LT((dropped->values(X) - same->values(X)).norm(), 1e-13 * same->values(X).norm());
  EXPECT_NEAR(dropped->curvature().L, same->curvature().L, 1e-12 * same->curvature().L);
  const Index batch[] = {3, 3, 69};
  Vector b(x.size()), b_same(x.size());
  dropped->batch_gradient(x, batch, b);
  same->batch_gradient(x, batch, b_same);
  EXPECT_LT((b - b_same).norm(), 1e-14 * b.norm());
}

TEST_P(EveryKind, GivesValueAndGradientAtOnce) {
  for (const Index m : {1, 3, 90}) {
    const auto loss = loss_of(data_of(m, 9, GetParam(), false), GetParam());
    const Vector x = point(loss->dimension());
    Vector g(x.size());
    const double value = loss->value_and_gradient(x, g);
    EXPECT_EQ(g, gradient(*loss, x));
    if (GetParam() == LossKind::softmax)  // its rows are looked at in other groups
      EXPECT_NEAR(value, loss->value(x), 1e-14 * std::abs(value));
    else
      EXPECT_EQ(value, loss->value(x));
  }
}

TEST_P(EveryKind, IsTheSumOfItsPiecesForAnyNumberOfThreads) {
  const Dataset data = data_of(3600, 700, GetParam(), false);
  const Index cuts[] = {0, 400, 3600};  // one agent of one piece, one of several
  const auto losses = make_losses(std::make_shared<const Dataset>(data), cuts, GetParam(), 0.1, 3);
  ASSERT_EQ(losses[0]->pieces(), 1);
  ASSERT_GT(losses[1]->pieces(), 2);
  const Vector x = point(losses[0]->dimension());
  const Block X = x.replicate(1, 2);
  Block expected(x.size(), 2);
  for (Index c = 0; c < 2; ++c) expected.col(c) = gradient(*losses[c], x);
  for (const int threads : {1, 2, 3, 4, 5, 6, 7, 8}) {
    Meter meter;
    Threads team(threads);
    Objective F(losses, {0, 1}, {.L = 1, .mu = 0.1, .rows = 400}, 0, meter, team);
    EXPECT_EQ(F.gradient(X), expected) << threads << " threads";
    EXPECT_EQ(meter.computations, 1);
  }
}

TEST(Storage, IsNarrowWhereThatIsExactOrAskedFor) {
  const Dataset floats = data_of(9, 12, LossKind::ridge), doubles = data_of(9, 12, LossKind::ridge, false);
  EXPECT_EQ(rows_of(floats)->storage(), Storage::f32);
  EXPECT_EQ(rows_of(doubles)->storage(), Storage::f64);
  EXPECT_EQ(rows_of(floats, Storage::f64)->storage(), Storage::f64);
  EXPECT_EQ(rows_of(doubles, Storage::f32)->storage(), Storage::f32);
  Dataset large = floats;
  std::get<DenseRows>(large.features)(3, 3) = 1e300;  // no float
  EXPECT_EQ(rows_of(large)->storage(), Storage::f64);
}

TEST(Storage, RefusesToRoundToInfinity) {
  Dataset data = data_of(9, 12, LossKind::ridge);
  std::get<DenseRows>(data.features)(3, 3) = 1e39;
  EXPECT_THROW(rows_of(data, Storage::f32), InputError);
}

TEST(Storage, LeavesNoColumnsOutWhereTheRestWouldBePaddedToAsMany) {
  Dataset data = data_of(40, 12, LossKind::ridge, false);
  std::get<DenseRows>(data.features).leftCols(2).setZero();
  EXPECT_EQ(rows_of(data)->held(), 12);
}

TEST(Storage, OfOneAgentDependsOnItsOwnRowsOnly) {
  Dataset data = data_of(80, 16, LossKind::ridge, false);
  auto& features = std::get<DenseRows>(data.features);
  features.topRows(40) = features.topRows(40).cast<float>().cast<double>();
  features.bottomRows(40).leftCols(8).setZero();
  const Index cuts[] = {0, 40, 80};
  for (const bool used_up : {false, true}) {
    const auto rows =
        used_up ? store_rows(Dataset(data), cuts) : store_rows(std::make_shared<const Dataset>(data), cuts);
    EXPECT_EQ(rows[0]->storage(), Storage::f32);
    EXPECT_EQ(rows[0]->held(), 16);
    EXPECT_EQ(rows[1]->storage(), Storage::f64);
    EXPECT_EQ(rows[1]->held(), 8);
    for (std::size_t i = 0; i < 2; ++i)
      for (Index j = 0; j < 40; ++j) {
        Vector row = Vector::Zero(16);
        rows[i]->add_row(j, 1, row.data());
        EXPECT_EQ(row.transpose(), features.row(40 * static_cast<Index>(i) + j));
        EXPECT_EQ(rows[i]->labels()[j], data.labels[40 * static_cast<Index>(i) + j]);
      }
  }
}

TEST(Storage, UsesDataUpFromTheEnd) {
  // Of 60 MB, so that memory is given back on the way.
  const Dataset data = data_of(10000, 750, LossKind::ridge);
  const Index cuts[] = {0, 1, 2500, 5000, 10000};
  const auto rows = store_rows(Dataset(data), cuts);
  for (std::size_t i = 0; i + 1 < std::size(cuts); ++i)
    for (const Index j : {Index{0}, rows[i]->count() - 1}) {
      Vector row = Vector::Zero(750);
      rows[i]->add_row(j, 1, row.data());
      EXPECT_EQ(row.transpose(), std::get<DenseRows>(data.features).row(cuts[i] + j));
    }
}

TEST(Storage, OfRowsThatAreAllZeroIsFine) {
  Dataset data = data_of(40, 16, LossKind::logistic);
  std::get<DenseRows>(data.features).setZero();
  const auto loss = loss_of(data, LossKind::logistic);
  const Vector x = point(16);
  EXPECT_LT((gradient(*loss, x) - 0.1 * x).norm(), 1e-16);
  EXPECT_NEAR(loss->value(x), std::log(2) + 0.05 * x.squaredNorm(), 1e-15);
  EXPECT_EQ(loss->curvature().L, 0.1);
}

TEST(SparseRowsOfALoss, MayBeEmpty) {
  Dataset data = data_of(5, 30, LossKind::ridge, false);
  DenseRows features = std::get<DenseRows>(data.features);
  features.row(1).setZero();
  features.row(4).setZero();
  data.features = SparseRows(features.sparseView());
  const Vector x = point(30);
  const Vector residual = (features * x - data.labels) / 5;
  const Vector expected = features.transpose() * residual + 0.1 * x;
  EXPECT_LT((gradient(*loss_of(data, LossKind::ridge), x) - expected).norm(), 1e-14 * expected.norm());
}

/// More entries than are gone over at once, in rows of every length from none to all columns. Where columns
/// lie far apart, all rows are.
TEST(SparseRowsOfALoss, MayBeMany) {
  constexpr Index rows = 7000, columns = 60, apart = 9001;
  Dataset near = data_of(rows, columns, LossKind::ridge, false);
  DenseRows features = std::get<DenseRows>(near.features);
  for (Index j = 0; j < rows; ++j) features.row(j).tail(j * 7 % (columns + 1)).setZero();
  Dataset far = near;
  near.features = SparseRows(features.sparseView());
  far.features = spread(std::get<SparseRows>(near.features), apart);
  ASSERT_GT(near.nonzeros(), 200'000);

  const Vector x = point(columns);
  const Vector residual = (features * x - near.labels) / rows;
  const Vector expected = features.transpose() * residual + 0.1 * x;
  const Vector g = gradient(*loss_of(near, LossKind::ridge), x);
  EXPECT_LT((g - expected).norm(), 1e-13 * expected.norm());

  Vector x_far = Vector::Zero(columns * apart);
  for (Index k = 0; k < columns; ++k) x_far[k * apart] = x[k];
  const Vector g_far = gradient(*loss_of(far, LossKind::ridge), x_far);
  for (Index k = 0; k < columns; ++k) EXPECT_EQ(g_far[k * apart], g[k]);
}

TEST(Storage, OfNoRowsIsThatOfNone) {
  const Index cuts[] = {0, 0};
  const Dataset none{"none", DenseRows(0, 9), Vector(0)};
  EXPECT_EQ(store_rows(std::make_shared<const Dataset>(none), cuts).front()->count(), 0);
  EXPECT_EQ(store_rows(Dataset(none), cuts).front()->count(), 0);
}

TEST(Curvature, OfFewRowsIsThatOfTheirProducts) {
  const Dataset data = data_of(20, 100, LossKind::ridge, false);
  const auto& A = std::get<DenseRows>(data.features);
  const Block gram = A.transpose() * A / 20;
  const double largest = symmetric_eigenvalues(gram).maxCoeff();
  EXPECT_NEAR(loss_of(data, LossKind::ridge)->curvature().L, largest + 0.1, 1e-12 * largest);
  EXPECT_EQ(loss_of(data, LossKind::ridge)->curvature().mu, 0.1);
}

// ---- ridge by A'A ----------------------------------------------------------------------------------------

class RidgeByGram : public testing::Test {
 protected:
  static constexpr double many = 1e6;
  Dataset data = data_of(400, 20, LossKind::ridge, false);
  std::shared_ptr<const Rows> rows = rows_of(data);
  std::shared_ptr<const Loss> by_gram = loss(many), by_rows = loss(0);

  [[nodiscard]] std::shared_ptr<const Loss> loss(double planned) const {
    return make_loss(rows, {.kind = LossKind::ridge, .l2 = 1e-6, .classes = 1, .planned_gradients = planned});
  }
};

TEST_F(RidgeByGram, IsTheGradient) {
  const Vector x = point(20);
  const Vector g = gradient(*by_rows, x);
  EXPECT_LT((gradient(*by_gram, x) - g).norm(), 1e-13 * g.norm());
  EXPECT_NE(gradient(*by_gram, x), g) << "another way of computing it would have been taken";
}

TEST_F(RidgeByGram, LeavesTheLastDigitsToTheRows) {
  // Where the gradient all but vanishes.
  const Block A = std::get<DenseRows>(data.features);
  Block H = A.transpose() * A / 400;
  H.diagonal().array() += 1e-6;
  const Vector best = H.ldlt().solve(A.transpose() * data.labels / 400);
  EXPECT_EQ(gradient(*by_gram, best), gradient(*by_rows, best));
}

TEST_F(RidgeByGram, GivesValueAndGradientOfAllRows) {
  const auto large = rows_of(data_of(6000, 200, LossKind::ridge, false));  // of several pieces
  const auto loss =
      make_loss(large, {.kind = LossKind::ridge, .l2 = 1e-6, .classes = 1, .planned_gradients = many});
  const Vector x = point(200);
  Vector g(200);
  EXPECT_NEAR(loss->value_and_gradient(x, g), loss->value(x), 1e-13 * loss->value(x));
  EXPECT_LT((g - gradient(*loss, x)).norm(), 1e-12 * g.norm());
}

TEST_F(RidgeByGram, PaysForManyGradientsOfManyRows) {
  const double repaid = RidgeLoss::gram_repaid_after(*rows);
  EXPECT_GT(repaid, 0);
  EXPECT_LT(repaid, 100);
  EXPECT_TRUE(std::isinf(RidgeLoss::gram_repaid_after(*rows_of(data_of(40, 20, LossKind::ridge)))));
}

}  // namespace
}  // namespace ideal::test
