// SPDX-License-Identifier: Apache-2.0
// How passes go through rows is chosen by trying, and shows in nothing but speed.
#include "loss/reading.hpp"

#include <ideal/cpu.hpp>
#include <ideal/loss.hpp>
#include <ideal/random.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace ideal::test {
namespace {

constexpr Index columns = 99;

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

/// Agents with so many of these numbers' rows each, every one read in another way.
template <class Number>
std::vector<std::shared_ptr<Rows>> agents_of(const std::vector<Number>& numbers, std::vector<Index> counts) {
  std::vector<std::shared_ptr<Rows>> agents;
  Index row = 0;
  for (const Index count : counts) {
    const kernel::Rows<Number> rows{numbers.data() + row * columns, count, columns, kernel::Place::own_cache};
    agents.push_back(std::make_shared<Rows>(nullptr, rows, nullptr, columns));
    agents.back()->read_by<Number>(kernel::readings[agents.size() % kernel::readings.size()]);
    row += count;
  }
  return agents;
}

template <class Number>
std::vector<kernel::Reading> readings_of(const std::vector<std::shared_ptr<Rows>>& agents) {
  std::vector<kernel::Reading> found;
  for (const auto& agent : agents)
    if (const auto* rows = agent->dense<Number>()) found.push_back(rows->reading);
  return found;
}

TEST(Reading, OfFewRowsIsNotTried) {
  const std::vector<double> numbers(60 * columns, 0.5);
  const auto agents = agents_of(numbers, {20, 40});
  const auto before = readings_of<double>(agents);
  choose_reading(agents);
  EXPECT_EQ(readings_of<double>(agents), before);
}

TEST(Reading, IsTheSameForAllAgentsOfAType) {
  const std::vector<double> wide(900 * columns, 0.5);
  const std::vector<float> narrow(900 * columns, 0.5F);
  auto agents = agents_of(wide, {150, 0, 250, 1, 499});
  for (const auto& agent : agents_of(narrow, {0, 7, 893})) agents.push_back(agent);
  choose_reading(agents);
  for (const auto& found : {readings_of<double>(agents), readings_of<float>(agents)})
    EXPECT_EQ(std::ranges::count(found, found.front()), std::ssize(found));
}

TEST(Reading, IsTriedOnRowsOfAnyLength) {
  for (const Index length : {8, 4000, 30'000}) {
    const Index count = 100'000 / length;
    const std::vector<double> numbers(static_cast<std::size_t>(count * length), 0.5);
    const kernel::Rows<double> rows{numbers.data(), count, length, kernel::Place::own_cache};
    const std::vector agents{std::make_shared<Rows>(nullptr, rows, nullptr, length)};
    choose_reading(agents);
    EXPECT_NE(std::ranges::find(kernel::readings, agents[0]->dense<double>()->reading),
              kernel::readings.end());
  }
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

template <class Number>
void expect_rows_to_begin_where_registers_do(const Dataset& data) {
  const Index registers = kernel::whole_registers(1);
  const auto rows = stored(data, {0, 150, data.rows()});
  const auto* const A = rows.back()->dense<Number>();
  ASSERT_NE(A, nullptr);
  EXPECT_EQ(A->d, columns);
  EXPECT_EQ(A->apart, (columns + registers - 1) / registers * registers);
  const auto& all = std::get<DenseRows>(data.features);
  for (Index j = 0; j < A->count; ++j) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(A->row(j)) % (registers * sizeof(Number)), 0);
    for (Index k = 0; k < columns; ++k) EXPECT_EQ(A->row(j)[k], all(150 + j, k));
    for (Index k = columns; k < A->apart; ++k) EXPECT_EQ(A->row(j)[k], 0);
  }
}

TEST(Reading, IsOfRowsThatBeginWhereRegistersDo) {
  for (const std::string& target : cpu_targets()) {
    use_cpu_target(target);
    expect_rows_to_begin_where_registers_do<double>(rows_of(400, false));
    expect_rows_to_begin_where_registers_do<float>(rows_of(400, true));
  }
  use_cpu_target("auto");
}

/// Losses that do not go through rows by passes, too.
class RowsApart : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Floats, RowsApart, testing::Bool());

TEST_P(RowsApart, LoseNothing) {
  Dataset data = rows_of(400, GetParam());
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
