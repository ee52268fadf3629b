// SPDX-License-Identifier: Apache-2.0
#include "loss/kernels.hpp"

#include <ideal/random.hpp>

#include <vector>

#include <gtest/gtest.h>

namespace ideal {
namespace {

TEST(Kernels, AgreeWithLongDoubleAtEveryLengthAndAlignment) {
  Random random(1);
  for (Index d = 1; d <= 40; ++d)
    for (std::size_t shift = 0; shift < 4; ++shift) {
      std::vector<double> storage(4 * d + 3 * d + 64);
      for (double& v : storage) v = random.normal();
      const double* rows = storage.data() + shift;
      const double* x = rows + 4 * d;
      std::vector<double> g(x + d, x + 2 * d), g_single = g;
      const double r[4] = {0.5, -2, 3, 0.25};
      double z[4];
      kernel::dot4(rows, x, d, z);
      kernel::add4(rows, r, d, g.data());
      for (Index k = 0; k < 4; ++k) {
        long double exact = 0, size = 0;
        for (Index t = 0; t < d; ++t) {
          exact += static_cast<long double>(rows[k * d + t]) * x[t];
          size += std::abs(rows[k * d + t] * x[t]);
        }
        EXPECT_NEAR(z[k], static_cast<double>(exact), 1e-15 * static_cast<double>(size));
        EXPECT_EQ(z[k], kernel::dot(rows + k * d, x, d)) << "one row or four: the same bits";
        kernel::add(rows + k * d, r[k], d, g_single.data());
      }
      EXPECT_EQ(g, g_single);
    }
}

}  // namespace
}  // namespace ideal
