// SPDX-License-Identifier: Apache-2.0
#include "method/single_loop_tuning.hpp"

#include <ideal/mixing.hpp>

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

namespace ideal::test {
namespace {

TEST(Tuning, IsNesterovsWhereMixingIsGood) {
  for (const double kappa_f : {10.0, 1e3, 1e6}) {
    const double root = std::sqrt(kappa_f);
    const Tuning t = tuning(kappa_f, 1.5, 1);
    EXPECT_NEAR(t.momentum, (root - 1) / (root + 1), 1e-9);
    EXPECT_NEAR(t.iterations, root, 1e-9);
  }
}

TEST(Tuning, CostlierRoundsMeanFewer) {
  for (const double kappa_f : {30.0, 1e4, 1e6})
    for (const double kappa_W : {5.0, 100.0, 5000.0}) {
      Index last = 1 << 20;
      for (const double tau : {1e-3, 0.1, 1.0, 10.0, 1000.0}) {
        const Index J = best_degree(kappa_f, kappa_W, tau, 0.25).J;
        EXPECT_LE(J, last) << kappa_f << ' ' << kappa_W << ' ' << tau;
        last = J;
      }
    }
}

/// Rates of the others as their theories have them, with the constants that were measured: a choice among
/// methods at the start would be a choice of one.
TEST(Tuning, IsNeverPredictedMuchSlowerThanAnotherMethod) {
  for (const double kappa_f : {3.0, 10.0, 100.0, 1e4, 1e6})
    for (const double kappa_W : {1.01, 2.0, 5.0, 20.0, 100.0, 1e4})
      for (const double tau : {0.0, 1e-3, 0.1, 1.0, 10.0, 1e3})
        for (const double sigma : {0.25, 1.0}) {
          const auto J = static_cast<double>(Chebyshev::default_degree(kappa_W));
          const double opapc = (1 + tau * J) * 1.5 * std::sqrt(kappa_f);
          const double apapc = (1 + tau) * std::max(std::sqrt(kappa_f * kappa_W), kappa_W);
          const double nids = (1 + tau) * (kappa_f + kappa_W);
          EXPECT_LE(best_degree(kappa_f, kappa_W, tau, sigma).time, 1.05 * std::min({opapc, apapc, nids}))
              << kappa_f << ' ' << kappa_W << ' ' << tau << ' ' << sigma;
        }
}

}  // namespace
}  // namespace ideal::test
