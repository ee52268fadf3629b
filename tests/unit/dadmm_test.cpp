// SPDX-License-Identifier: Apache-2.0
// Decentralized ADMM against ADMM with variables on the edges, and its published rates.
#include "support/dense.hpp"
#include "support/quadratics.hpp"
#include "support/recorder.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

namespace ideal::test {
namespace {

/// ADMM with a variable and two multipliers an edge, as the method is derived: x_i = z_e = x_j.
TEST(Dadmm, IsAdmmWithVariablesOnTheEdges) {
  for (const char* graph : {"barbell:6", "star:5", "cycle:5"}) {
    const Topology topology = Topology::parse(graph, "laplacian");
    const Index n = topology.agents(), d = 3;
    const Quadratics f(n, d, 30, 6);
    const Problem problem = f.problem();
    const double rho = 2, c = 2 * rho;
    const auto edges = topology.graph().edges();

    Block X = Block::Zero(d, n);
    std::vector<Block> multipliers(edges.size(), Block::Zero(d, 2)), iterates;
    std::vector<Vector> z(edges.size(), Vector::Zero(d));
    for (int k = 0; k < 30; ++k) {
      Block linear = Block::Zero(d, n);
      Vector degree = Vector::Zero(n);
      for (std::size_t e = 0; e < edges.size(); ++e)
        for (const int end : {0, 1}) {
          const Index i = end == 0 ? edges[e].a : edges[e].b;
          linear.col(i) += multipliers[e].col(end) - c * z[e];
          degree[i] += 1;
        }
      X = f.minimise_augmented(linear, c, Block(degree.asDiagonal()));
      for (std::size_t e = 0; e < edges.size(); ++e) {
        z[e] = (X.col(edges[e].a) + X.col(edges[e].b)) / 2;
        multipliers[e].col(0) += c * (X.col(edges[e].a) - z[e]);
        multipliers[e].col(1) += c * (X.col(edges[e].b) - z[e]);
      }
      iterates.push_back(X);
    }
    const auto ours = record(problem, topology, with("dadmm", {{"exact", "true"}, {"rho", text(rho)}}), 30);
    EXPECT_LT(difference(ours.outer(), iterates, 30), 1e-9) << graph;
  }
}

/// Equal quadratics on a regular graph: curvature h and eigenvalue lambda have the roots of z^2 - (1 + 2 b (d
/// - lambda)) z + b (2 d - lambda), b = rho/(h + 2 rho d), and none is slower than 2 sqrt(kappa_f kappa_W).
TEST(Dadmm, KeepsItsRateOnEqualQuadratics) {
  for (const auto& [graph, degree] : {std::pair{"cycle:9", 2.0}, {"torus:3x4", 4.0}, {"complete:5", 4.0}})
    for (const double kappa : {10.0, 300.0}) {
      const Topology topology = Topology::parse(graph, "laplacian");
      const Index n = topology.agents();
      std::vector<std::shared_ptr<const Loss>> losses;
      for (Index i = 0; i < n; ++i)
        losses.push_back(std::make_shared<Quadratic>(Block(Vector::LinSpaced(3, 1, kappa).asDiagonal()),
                                                     Vector::Constant(3, static_cast<double>(i * i % 5))));
      Threads threads;
      const Problem problem{.losses = losses,
                            .constants = constants_of(losses, {}, {}, threads),
                            .reference = solve_reference(losses, threads)};
      const Method m = with("dadmm", {{"exact", "true"}});
      const double rho = std::get<double>(run_for(problem, topology, m, 1).parameters.at("rho"));
      double slowest = 0;
      for (const double lambda : symmetric_eigenvalues(Block(topology.weights())))
        for (const double h : Vector::LinSpaced(3, 1, kappa)) {
          const double b = rho / (h + 2 * rho * degree), half = (1 + 2 * b * (degree - lambda)) / 2,
                       product = b * (2 * degree - lambda), discriminant = half * half - product;
          const bool mean = lambda < 1e-9;  // whose other root is the constant dual variables of zero
          slowest = std::max(slowest, mean               ? product
                                      : discriminant < 0 ? std::sqrt(product)
                                                         : std::abs(half) + std::sqrt(discriminant));
        }
      const double needed = -1 / std::log(slowest);
      EXPECT_LT(needed, 2 * std::sqrt(kappa * topology.spectrum().kappa())) << graph << ' ' << kappa;

      const auto X = record(problem, topology, m, 1200).X;
      const auto error = [&](std::size_t k) { return (X[k].colwise() - problem.reference->x).norm(); };
      const auto first = static_cast<std::size_t>(4 * needed), last = 2 * first;
      ASSERT_LT(last, X.size());
      EXPECT_NEAR(-4 * needed / std::log(error(last) / error(first)), needed, 0.1 * needed)
          << graph << ' ' << kappa << ": the roots are those of the method";
    }
}

/// Theorem 1 of Shi et al. (2014): rho |z - z*|^2 + |b - b*|^2/rho shrinks by 1 + delta in every step, z the
/// means of the ends of arcs and b their multipliers, where delta = min((m - 1)/(m kappa_G^2), mu/(rho plus/2
/// + m L^2/(2 rho lambda_min))) for any m > 1, plus >= lambda_max(2 D - W), kappa_G^2 = plus/lambda_min.
TEST(Dadmm, KeepsItsPublishedRate) {
  for (const char* graph : {"barbell:6", "star:5", "cycle:6", "complete:5", "line:7"})
    for (const double kappa : {2.0, 30.0}) {
      const Topology topology = Topology::parse(graph, "laplacian");
      const Index n = topology.agents(), d = 3;
      const Quadratics f(n, d, kappa, 6);
      const Problem problem = f.problem();
      const double L = problem.constants.L, mu = problem.constants.mu;
      const Block W(topology.weights()), D = W.diagonal().asDiagonal();
      const double lambda_min = topology.spectrum().lambda_min, plus = 2 * W.diagonal().maxCoeff();
      EXPECT_GE(plus, symmetric_eigenvalues(2 * D - W)[n - 1] - 1e-9);
      const auto promised = [&](double rho) {
        double most = 0;
        for (double m = 1.0001; m < 1e4; m *= 1.001)
          most = std::max(most, std::min((m - 1) / m * lambda_min / plus,
                                         mu / (rho * plus / 2 + m * L * L / (2 * rho * lambda_min))));
        return most;
      };
      const Method published = with("dadmm", {{"exact", "true"}, {"theory", "published"}});
      const double best = std::get<double>(run_for(problem, topology, published, 1).parameters.at("rho"));
      const double root = std::sqrt(plus / lambda_min), inverse = mu / L;
      EXPECT_NEAR(promised(best), inverse / 2 * (std::sqrt(inverse * inverse + 4 / (root * root)) - inverse),
                  1e-3 * promised(best))
          << graph << ": delta as published";
      for (const double factor : {0.8, 1.25}) EXPECT_LT(promised(factor * best), promised(best)) << graph;

      const Vector x = f.minimiser();
      const Block at_optimum = gradient(problem, x.replicate(1, n));
      Eigenpairs inverse_W = symmetric_eigen(W);
      for (double& lambda : inverse_W.values) lambda = lambda < lambda_min / 2 ? 0 : 1 / lambda;
      const Block pseudo_inverse = compose(inverse_W);
      for (const double rho : {best, best / 20}) {
        const auto recording =
            record(problem, topology, with("dadmm", {{"exact", "true"}, {"rho", text(rho)}}), 150);
        const double delta = promised(rho);
        double last = 0;
        for (std::size_t p = 0; p < recording.states.size(); ++p) {
          const Block E = recording.X[p + 1].colwise() - x,
                      a = std::get<Block>(recording.states[p].state[1]) + at_optimum;
          const double here = rho / 2 * E.cwiseProduct(product(E, 2 * D - W)).sum() +
                              a.cwiseProduct(product(a, pseudo_inverse)).sum() / (2 * rho);
          if (p > 0) {
            ASSERT_LE(here, last / (1 + delta) + 1e-18) << graph << ' ' << rho << ' ' << p;
          }
          last = here;
        }
      }
    }
}

}  // namespace
}  // namespace ideal::test
