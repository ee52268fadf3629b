// SPDX-License-Identifier: Apache-2.0
// Federated averaging: what it becomes with one local step, and where it ends with more.
#include "support/dense.hpp"
#include "support/quadratics.hpp"
#include "support/recorder.hpp"

#include <gtest/gtest.h>

namespace ideal::test {
namespace {

TEST(Fedavg, WithOneLocalStepIsGradientDescent) {
  const Topology topology = Topology::parse("star:5", "laplacian");
  const Problem problem = make_problem({}, 5);
  const std::string step = text(1 / problem.constants.L);
  EXPECT_LT(difference(record(problem, topology, with("fedavg", {{"T", "1"}}), 50).X,
                       record(problem, topology, with("gd", {{"step", step}}), 50).X, 51),
            1e-12);
}

/// T steps take x to R_i x + r_i with R_i = (I - alpha H_i)^T, so the server ends where x = mean (R_i x +
/// r_i).
TEST(Fedavg, EndsAtItsFixedPoint) {
  const Topology topology = Topology::parse("star:4", "laplacian");
  const Quadratics f(4, 3, 8, 3);
  const Problem problem = f.problem();
  const double alpha = 1 / problem.constants.L;
  Block system = Block::Identity(3, 3);
  Vector right = Vector::Zero(3);
  for (const auto& loss : problem.losses) {
    const auto& part = dynamic_cast<const Quadratic&>(*loss);
    Block R = Block::Identity(3, 3);
    Vector r = Vector::Zero(3);
    for (int t = 0; t < 6; ++t) {
      r = Vector(r - alpha * (part.H() * r - part.h()));
      R = product(Block::Identity(3, 3) - alpha * part.H(), R);
    }
    system -= R / 4;
    right += r / 4;
  }
  const Vector fixed_point = solve_symmetric(product(system.transpose(), system), system.transpose() * right);
  const Block X = run_for(problem, topology, with("fedavg", {{"T", "6"}}), 3000).X;
  EXPECT_LT((X.colwise() - fixed_point).norm(), 1e-10);
  EXPECT_GT((fixed_point - f.minimiser()).norm(), 1e-4) << "which is not the optimum";
}

}  // namespace
}  // namespace ideal::test
