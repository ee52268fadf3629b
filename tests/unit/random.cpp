// SPDX-License-Identifier: Apache-2.0
#include <ideal/random.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace ideal {
namespace {

TEST(Random, gives_the_same_numbers_everywhere) {
  Random random(1, 2);
  EXPECT_EQ(random.next(), 0x166e83888ee9e3aeu);
  EXPECT_EQ(random.next(), 0x7d179392696c4e79u);
  EXPECT_EQ(random.uniform(), 0x1.0c29ea21ad39bp-1);
  EXPECT_EQ(random.below(1000), 345u);
  EXPECT_EQ(random.normal(), 0x1.7e63f352c54c8p-1);
  EXPECT_EQ(random.log_gamma_draw(0.5), -0x1.c7d8d2321bebbp+1);
}

TEST(Random, has_a_sequence_for_each_seed_and_stream) {
  std::set<std::uint64_t> firsts;
  for (std::uint64_t seed = 0; seed < 100; ++seed)
    for (std::uint64_t stream = 0; stream < 100; ++stream) firsts.insert(Random(seed, stream).next());
  EXPECT_EQ(firsts.size(), 10000u);
}

TEST(Random, uniform_fills_the_unit_interval) {
  Random random(3);
  double sum = 0, smallest = 1, largest = 0;
  for (int i = 0; i < 100000; ++i) {
    const double u = random.uniform();
    sum += u;
    smallest = std::min(smallest, u);
    largest = std::max(largest, u);
  }
  EXPECT_NEAR(sum / 100000, 0.5, 0.005);
  EXPECT_GE(smallest, 0);
  EXPECT_LT(smallest, 1e-3);
  EXPECT_LT(largest, 1);
  EXPECT_GT(largest, 1 - 1e-3);
}

TEST(Random, below_is_even) {
  Random random(4);
  std::array<int, 5> counts{};
  for (int i = 0; i < 50000; ++i) ++counts[random.below(5)];
  for (const int count : counts) EXPECT_NEAR(count, 10000, 400);
  EXPECT_EQ(random.below(1), 0u);
}

TEST(Random, normal_has_normal_moments) {
  Random random(5);
  constexpr int n = 400000;
  double first = 0, second = 0, fourth = 0;
  for (int i = 0; i < n; ++i) {
    const double x = random.normal();
    first += x / n;
    second += x * x / n;
    fourth += x * x * x * x / n;
  }
  EXPECT_NEAR(first, 0, 0.01);
  EXPECT_NEAR(second, 1, 0.01);
  EXPECT_NEAR(fourth, 3, 0.1);
}

TEST(Random, gamma_has_mean_and_variance_equal_to_its_shape) {
  for (const double shape : {0.1, 1.0, 7.5}) {
    Random random(6);
    constexpr int n = 200000;
    double mean = 0, square = 0;
    for (int i = 0; i < n; ++i) {
      const double x = std::exp(random.log_gamma_draw(shape));
      mean += x / n;
      square += x * x / n;
    }
    EXPECT_NEAR(mean, shape, 0.02 * std::max(1.0, shape));
    EXPECT_NEAR(square - mean * mean, shape, 0.05 * std::max(1.0, shape));
  }
}

TEST(Random, shuffle_reaches_every_order) {
  Random random(7);
  std::set<std::vector<int>> orders;
  for (int i = 0; i < 500; ++i) {
    std::vector<int> list = {1, 2, 3, 4};
    random.shuffle(list);
    orders.insert(list);
  }
  EXPECT_EQ(orders.size(), 24u);
}

}  // namespace
}  // namespace ideal
