// SPDX-License-Identifier: Apache-2.0
// How passes go through rows is chosen by trying, and shows in nothing but speed.
#include "loss/reading.hpp"

#include <ideal/loss.hpp>
#include <ideal/random.hpp>

#include <algorithm>
#include <numeric>
#include <set>

#include <gtest/gtest.h>

namespace ideal::test {
namespace {

constexpr Index columns = 100;

Dataset rows_of(Index count, bool floats) {
  Random random(3);
  Dataset data{"rows", DenseRows(count, columns), Vector(count)};
  for (double& value : std::get<DenseRows>(data.features).reshaped())
    value = floats ? static_cast<double>(static_cast<float>(random.normal())) : random.normal();
  for (Index j = 0; j < count; ++j) data.labels[j] = j % 3 == 0 ? 1 : -1;
  return data;
}

std::vector<std::shared_ptr<const Rows>> stored(const Dataset& data, std::vector<Index> cuts) {
  return store_rows(std::make_shared<const Dataset>(data), cuts);
}

TEST(Reading, OfFewRowsIsNotTried) {
  const auto rows = stored(rows_of(60, false), {0, 20, 60});
  for (const auto& agent : rows) EXPECT_EQ(agent->dense<double>()->reading, kernel::Reading::tiles);
}

TEST(Reading, IsTheSameForAllAgentsOfAType) {
  Dataset data = rows_of(900, true);
  std::get<DenseRows>(data.features).topRows(400).array() += 1e-12;  // no longer floats
  const auto rows = stored(data, {0, 150, 150, 400, 401, 900});      // one agent has none
  std::set<kernel::Reading> wide, narrow;
  for (const auto& agent : rows)
    if (agent->storage() == Storage::f32)
      narrow.insert(agent->dense<float>()->reading);
    else if (agent->count() > 0)
      wide.insert(agent->dense<double>()->reading);
  EXPECT_EQ(wide.size(), 1);
  EXPECT_EQ(narrow.size(), 1);
}

TEST(Reading, ShowsInNoBit) {
  const Index count = 700;
  const Dataset data = rows_of(count, false);
  const auto chosen = stored(data, {0, count}).front();
  ASSERT_GT(chosen->dense<double>()->count, 0);
  const auto loss = make_loss(chosen, {.kind = LossKind::logistic, .l2 = 0.1, .classes = 2});
  const Vector x = Vector::Constant(columns, 0.01);
  Vector expected(columns);
  loss->gradient(x, expected);
  for (const kernel::Reading reading : kernel::readings) {
    auto A = *chosen->dense<double>();
    A.reading = reading;
    Vector g = 0.1 * x;
    kernel::pass(A, x.data(), g.data(), kernel::LogisticSlopes{chosen->labels(), 1.0 / count});
    EXPECT_EQ(g, expected);
  }
}

/// Those that a cache holds, if the room for it is there.
TEST(Reading, IsOfRowsThatBeginWhereRegistersDo) {
  const Index registers = kernel::panel_width(1), count = 400;
  const Dataset data = rows_of(count, false);
  const auto rows = stored(data, {0, 150, count});
  const auto* const A = rows.back()->dense<double>();
  EXPECT_EQ(A->d, columns);
  EXPECT_EQ(A->apart, (columns + registers - 1) / registers * registers);
  const auto& all = std::get<DenseRows>(data.features);
  for (Index j = 0; j < A->count; ++j) {
    for (Index k = 0; k < columns; ++k) EXPECT_EQ(A->row(j)[k], all(150 + j, k));
    for (Index k = columns; k < A->apart; ++k) EXPECT_EQ(A->row(j)[k], 0);
  }
}

/// Losses that do not go through rows by passes, too.
TEST(Reading, OfRowsApartLosesNothing) {
  Dataset data = rows_of(400, false);
  data.features = DenseRows(std::get<DenseRows>(data.features).leftCols(99));
  const Block A = std::get<DenseRows>(data.features);
  const Vector x = Vector::LinSpaced(99, -0.1, 0.1);
  const auto ridge = make_loss(stored(data, {0, 400}).front(),
                               {.kind = LossKind::ridge, .l2 = 0.5, .classes = 1, .planned_gradients = 0});
  Block H = Block::Zero(99, 99);
  ridge->add_hessian(x, H);
  Block gram = A.transpose() * A / 400;
  gram.diagonal().array() += 0.5;
  EXPECT_LT((Block(H.selfadjointView<Eigen::Lower>()) - gram).norm(), 1e-13 * gram.norm());
  EXPECT_NEAR(ridge->value(x), (A * x - data.labels).squaredNorm() / 800 + 0.25 * x.squaredNorm(), 1e-12);
  for (double& label : data.labels) label = label > 0 ? 2 : 0;
  const auto softmax =
      make_loss(stored(data, {0, 400}).front(), {.kind = LossKind::softmax, .l2 = 0, .classes = 3});
  Dataset sparse = data;
  sparse.features = SparseRows(A.sparseView());
  const auto same =
      make_loss(stored(sparse, {0, 400}).front(), {.kind = LossKind::softmax, .l2 = 0, .classes = 3});
  const Vector scores = Vector::LinSpaced(3 * 99, -0.1, 0.1);
  Vector g(3 * 99), g_same(3 * 99);
  softmax->gradient(scores, g);
  same->gradient(scores, g_same);
  EXPECT_LT((g - g_same).norm(), 1e-13 * g_same.norm());
}

}  // namespace
}  // namespace ideal::test
