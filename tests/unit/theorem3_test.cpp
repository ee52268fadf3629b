// SPDX-License-Identifier: Apache-2.0
// Theorem 3: with subproblems solved to epsilon_k, |X_k - X*|^2 <= C_rho (1 - sqrt(mu_rho/L_rho)/2)^k Delta.
#include "support/dense.hpp"
#include "support/quadratics.hpp"
#include "support/recorder.hpp"

#include <gtest/gtest.h>

namespace ideal::test {
namespace {

TEST(Theorem3, BoundHoldsAndSubproblemsAreAsAccurateAsItAsks) {
  for (const char* graph : {"cycle:6", "barbell:8", "star:5"}) {
    const Topology topology = Topology::parse(graph, "laplacian");
    const Quadratics f(topology.agents(), 4, 60, 11);
    const Problem problem = f.problem();
    const auto X = record(problem, topology, with("ideal", {{"option", "1"}}), 3000).outer();
    ASSERT_GE(X.size(), 20u) << graph;

    const Block W(topology.weights());
    const auto [lambda_max, lambda_min] = topology.spectrum();
    const double L = problem.constants.L, mu = problem.constants.mu;
    const double rho = L / lambda_max;
    const double L_rho = lambda_max / (mu + rho * lambda_max), mu_rho = lambda_min / (L + rho * lambda_min);
    const double eta = 1 / L_rho, rate = 1 - std::sqrt(mu_rho / L_rho) / 2;
    const double beta = (std::sqrt(L_rho) - std::sqrt(mu_rho)) / (std::sqrt(L_rho) + std::sqrt(mu_rho));
    const double C_rho = 258 * L_rho * lambda_max / (mu * mu * mu_rho * mu_rho);

    const double n = static_cast<double>(topology.agents());
    double steepest = 0;
    Vector g(4);
    for (const auto& loss : problem.losses) {
      loss->gradient(Vector::Zero(4), g);
      steepest = std::max(steepest, g.norm());
    }
    const double Delta = n * steepest * steepest / (2 * mu);
    EXPECT_GE(Delta, problem.reference->value - f.unconstrained_minimum())
        << "erratum 9: a bound on the dual gap";

    const Block X_star = f.minimiser().replicate(1, topology.agents());
    Block Lambda = Block::Zero(4, topology.agents()), Omega = Lambda;
    for (std::size_t k = 1; k <= X.size(); ++k) {
      const Block& X_k = X[k - 1];
      const double decay = std::pow(rate, static_cast<double>(k));
      const double epsilon = mu_rho / (2 * lambda_max) * decay * Delta;
      const double inexactness = (X_k - f.minimise_augmented(Omega, rho, W)).squaredNorm();
      EXPECT_LE(inexactness, epsilon + 1e-26) << graph << " outer iteration " << k;
      EXPECT_LE((X_k - X_star).squaredNorm(), C_rho * decay * Delta) << graph << " outer iteration " << k;
      const Block Lambda_next = Omega + eta * product(X_k, W);
      Omega = Lambda_next + beta * (Lambda_next - Lambda);
      Lambda = Lambda_next;
    }
  }
}

}  // namespace
}  // namespace ideal::test
