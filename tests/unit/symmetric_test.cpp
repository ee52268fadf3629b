// SPDX-License-Identifier: Apache-2.0
#include "core/symmetric.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace ideal::test {
namespace {

TEST(SymmetricEigenvalues, AreNaNWhereTheyAreNotFound) {
  Block A = Block::Identity(4, 4);
  EXPECT_TRUE(ideal::symmetric_eigenvalues(A).isOnes());
  for (const double lost : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    A(1, 2) = A(2, 1) = lost;
    EXPECT_TRUE(ideal::symmetric_eigenvalues(A).array().isNaN().all());
    EXPECT_TRUE(ideal::symmetric_eigen(A).values.array().isNaN().all());
  }
}

}  // namespace
}  // namespace ideal::test
