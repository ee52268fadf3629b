// SPDX-License-Identifier: Apache-2.0
#include "support/dense.hpp"

#include <ideal/mixing.hpp>

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace ideal::test {
namespace {

/// A mixing operator applied to the identity is its matrix.
struct Bench {
  explicit Bench(const Topology& t)
      : topology(t), transport(in_process(t.agents())), W(topology, *transport, meter, threads) {}
  Block matrix(Mixing& M) { return M.mix(Block::Identity(topology.agents(), topology.agents())); }

  const Topology& topology;
  Meter meter;
  Threads threads;
  std::unique_ptr<Transport> transport;
  Network W;
};

double chebyshev(Index degree, double x) {  // T_J by its definition, inside and outside [-1, 1]
  if (std::abs(x) <= 1) return std::cos(static_cast<double>(degree) * std::acos(x));
  const double sign = x < 0 && degree % 2 ? -1 : 1;
  return sign * std::cosh(static_cast<double>(degree) * std::acosh(std::abs(x)));
}

Block polynomial_of(const Block& W, Index J, const Spectrum& spectrum) {
  const auto [top, bottom] = spectrum;
  const double kappa = top / bottom, c2 = (kappa + 1) / (kappa - 1), c3 = 2 / (top + bottom);
  Eigenpairs pairs = symmetric_eigen(W);
  for (double& x : pairs.values) x = 1 - chebyshev(J, c2 * (1 - c3 * x)) / chebyshev(J, c2);
  return compose(pairs);
}

const char* const graphs[] = {"cycle:8",  "cycle:25",  "line:12",     "star:9",
                              "grid:4x5", "torus:3x5", "hypercube:4", "barbell:10"};

TEST(Chebyshev, AcceleratedGossipIsTheChebyshevPolynomialOfTheScaledMatrix) {
  int pairs = 0;
  for (const char* graph : graphs)
    for (const std::string& kind : mixing_kinds()) {
      const Topology topology = Topology::make(Graph::parse(graph), kind);
      Bench bench(topology);
      const double kappa = topology.spectrum().kappa();
      for (const std::optional<Index> J :
           {std::optional<Index>{}, std::optional<Index>{1}, std::optional<Index>{7}}) {
        Chebyshev Q(bench.W, J);
        EXPECT_EQ(Q.degree(), J.value_or(static_cast<Index>(std::floor(std::sqrt(kappa) + 1e-9))));
        const Block direct = polynomial_of(Block(topology.weights()), Q.degree(), topology.spectrum());
        EXPECT_LT((bench.matrix(Q) - direct).norm(), 1e-10 * direct.norm()) << graph << ' ' << kind;
      }
      ++pairs;
    }
  EXPECT_GE(pairs, 40);
}

TEST(Chebyshev, SpectrumLiesInItsBoundsAndConditionNumberIsAtMostFour) {
  for (const char* graph : graphs)
    for (const std::string& kind : mixing_kinds()) {
      const Topology topology = Topology::make(Graph::parse(graph), kind);
      Bench bench(topology);
      Chebyshev Q(bench.W);
      const Vector lambda = symmetric_eigenvalues(bench.matrix(Q));
      EXPECT_NEAR(lambda[0], 0, 1e-12);
      EXPECT_GE(lambda[1], Q.spectrum().lambda_min - 1e-9);
      EXPECT_LE(lambda[lambda.size() - 1], Q.spectrum().lambda_max + 1e-9);
      EXPECT_LE(Q.spectrum().kappa(), 4 + 1e-9) << graph << ' ' << kind;
    }
}

TEST(Chebyshev, CompleteGraphIsTheDegenerateCase) {
  const Topology topology = Topology::parse("complete:6", "laplacian");
  Bench bench(topology);
  Chebyshev Q(bench.W);
  EXPECT_EQ(Q.degree(), 1);
  EXPECT_EQ(Q.spectrum().kappa(), 1);
  EXPECT_LT((bench.matrix(Q) - Block(topology.weights()) / 6).norm(), 1e-14);
}

TEST(Chebyshev, EachApplicationCostsItsDegree) {
  const Topology topology = Topology::parse("line:20", "laplacian");
  Bench bench(topology);
  Chebyshev Q(bench.W);
  Q.mix(Block::Ones(3, 20));
  EXPECT_EQ(bench.meter.communications, Q.degree());
  EXPECT_EQ(bench.meter.bytes, Q.degree() * 2 * 19 * 3 * 8);
}

TEST(Chebyshev, ConsensusIsTheKernelAtAnyDegree) {
  const Topology topology = Topology::parse("cycle:30", "metropolis");
  Bench bench(topology);
  for (const Index J : {1, 5, 50, 5000}) {  // 5000: the polynomials themselves would overflow
    Chebyshev Q(bench.W, J);
    const Block X = Vector::LinSpaced(4, 1, 4).replicate(1, 30);
    EXPECT_LT(Q.mix(X).norm(), 1e-9) << J;
    EXPECT_TRUE(Q.mix(Block::Random(4, 30)).allFinite());
  }
}

TEST(Network, FloodingFindsTheMaximumInDiameterRounds) {
  const Topology topology = Topology::parse("line:9", "laplacian");
  Bench bench(topology);
  Vector values = Vector::LinSpaced(9, -4, -1);
  EXPECT_EQ(bench.W.maximum(values), -1);
  EXPECT_EQ(bench.meter.communications, 8);
  EXPECT_EQ(bench.meter.bytes, 8 * 16 * 8);
  values[4] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isnan(bench.W.maximum(values))) << "what is not a number must reach everyone";
}

}  // namespace
}  // namespace ideal::test
