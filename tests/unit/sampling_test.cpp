// SPDX-License-Identifier: Apache-2.0
// Gradients of some rows and of parts, against what they are on average.
#include "support/problems.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace ideal::test {
namespace {

class Oracles : public testing::Test {
 protected:
  Problem problem = make_problem({.rows = 250, .partition = "dirichlet:1"}, 4);  // as many rows nowhere
  Meter meter;
  Threads threads;
  Objective F{problem.losses, {0, 1, 2, 3}, problem.constants, 5, meter, threads};
  Block X = Block::Random(7, 4), S = Block::Random(7, 4);
};

TEST_F(Oracles, PartsAreTheWholeOnAverage) {
  const Block whole = F.gradient(X);
  for (const Index parts : {Index{1}, Index{3}, Index{7}, F.rows()}) {
    Block mean = Block::Zero(7, 4);
    meter = {};
    for (Index j = 0; j < parts; ++j)
      mean += F.part_gradient(X, parts, std::vector<Index>(4, j)) / static_cast<double>(parts);
    EXPECT_LT((mean - whole).norm(), 1e-13 * whole.norm()) << parts;
    EXPECT_NEAR(meter.computations, 1, 1e-12);
  }
}

TEST_F(Oracles, PartsAreConvexAndAsSmoothAsToldWithoutTheRegulariser) {
  for (const Index parts : {Index{1}, Index{3}, F.rows()}) {
    for (Index j = 0; j < parts; ++j) {
      const std::vector<Index> which(4, j);
      const Block at_X = F.part_gradient(X, parts, which), change = at_X - F.part_gradient(S, parts, which);
      for (Index c = 0; c < 4; ++c) {
        const double along = change.col(c).dot(X.col(c) - S.col(c)),
                     apart = (X.col(c) - S.col(c)).squaredNorm();
        EXPECT_GE(along, F.own_l2() * apart * (1 - 1e-12));
        EXPECT_LE(along, F.part_L(parts) * apart);
      }
    }
  }
}

TEST_F(Oracles, RowsAreNoSteeperThanTold) {
  double steepest = 0;
  for (const auto& f : problem.losses) {
    ASSERT_GT(f->row_smoothness(), 0);
    EXPECT_GE(f->row_smoothness(), f->curvature().L) << "the mean of rows is no steeper than the steepest";
    steepest = std::max(steepest, f->row_smoothness());
  }
  EXPECT_EQ(F.row_L(), steepest);
}

TEST_F(Oracles, ChangesAreUnbiasedAndVanishWithTheDistance) {
  const Block at_X = F.gradient(X), expected = at_X - F.gradient(S);
  Block mean = Block::Zero(7, 4);
  constexpr Index draws = 4000;
  meter = {};
  for (Index t = 0; t < draws; ++t) mean += F.change(X, S, 2, t) / double{draws};
  EXPECT_NEAR(meter.computations, draws * 4 / static_cast<double>(F.rows()), 1e-9) << "two batches";
  EXPECT_LT((mean - expected).norm(), 0.1 * expected.norm());
  EXPECT_EQ(F.change(X, X, 2, 9).norm(), 0);
}

TEST_F(Oracles, VarianceIsThatOfBatchesOfOneRow) {
  const Block G = F.gradient(X);
  const Vector told = F.row_variance(X, G);
  Vector met = Vector::Zero(4);
  constexpr Index draws = 6000;
  for (Index t = 0; t < draws; ++t)
    met += (F.gradient(X, 1, t) - G).colwise().squaredNorm().transpose() / double{draws};
  for (Index c = 0; c < 4; ++c) EXPECT_NEAR(met[c] / told[c], 1, 0.1);
}

TEST_F(Oracles, CommonDrawsAreUniformAndTheSameOnEveryHost) {
  const Objective elsewhere({problem.losses[2]}, {2}, problem.constants, 5, meter, threads);
  double mean = 0, square = 0;
  for (Index t = 0; t < 4000; ++t) {
    const double u = F.common_draw(t);
    ASSERT_EQ(u, elsewhere.common_draw(t));
    mean += u / 4000;
    square += u * u / 4000;
  }
  EXPECT_NEAR(mean, 0.5, 0.02);
  EXPECT_NEAR(square, 1.0 / 3, 0.02);
  std::vector<Index> all(4), one(1);
  for (Index t = 0; t < 100; ++t) {
    F.draw_parts(9, t, all);
    elsewhere.draw_parts(9, t, one);
    ASSERT_EQ(all[2], one[0]);
  }
}

}  // namespace
}  // namespace ideal::test
