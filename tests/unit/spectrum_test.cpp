// SPDX-License-Identifier: Apache-2.0
#include "support/dense.hpp"
#include "support/message.hpp"

#include <ideal/topology.hpp>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace ideal {
namespace {

constexpr double pi = std::numbers::pi;

double squared_sine(double angle) { return std::sin(angle) * std::sin(angle); }

// Eigenvalues of the Laplacian of a line and of a cycle of n: 4 sin^2(pi k / 2n), 4 sin^2(pi k / n).
double line_min(double n) { return 4 * squared_sine(pi / (2 * n)); }
double line_max(double n) { return 4 * squared_sine(pi * (n - 1) / (2 * n)); }
double cycle_min(double n) { return 4 * squared_sine(pi / n); }
double cycle_max(double n) { return 4 * squared_sine(pi * std::floor(n / 2) / n); }

struct ClosedForm {
  std::string graph;
  double lambda_max, lambda_min;
};

void expect_closed_form(const ClosedForm& expected) {
  const auto [lambda_max, lambda_min] = Topology::parse(expected.graph, "laplacian").spectrum();
  EXPECT_NEAR(lambda_max / expected.lambda_max, 1, 1e-9) << expected.graph;
  EXPECT_NEAR(lambda_min / expected.lambda_min, 1, 1e-9) << expected.graph;
}

TEST(Spectrum, DenseMatchesClosedForms) {
  for (const ClosedForm& expected : std::vector<ClosedForm>{
           {"line:2", 2, 2},
           {"line:17", line_max(17), line_min(17)},
           {"line:500", line_max(500), line_min(500)},
           {"cycle:3", 3, 3},
           {"cycle:25", cycle_max(25), cycle_min(25)},
           {"complete:12", 12, 12},
           {"star:20", 20, 1},
           {"hypercube:7", 14, 2},
           {"grid:6x9", line_max(6) + line_max(9), line_min(9)},
           {"torus:5x8", cycle_max(5) + cycle_max(8), cycle_min(8)},
       })
    expect_closed_form(expected);
}

TEST(Spectrum, SparseMatchesClosedForms) {
  for (const ClosedForm& expected : std::vector<ClosedForm>{
           {"line:501", line_max(501), line_min(501)},
           {"line:3000", line_max(3000), line_min(3000)},
           {"cycle:2000", 4, cycle_min(2000)},
           {"cycle:2001", cycle_max(2001), cycle_min(2001)},
           {"complete:600", 600, 600},
           {"star:3000", 3000, 1},
           {"hypercube:11", 22, 2},
           {"grid:30x41", line_max(30) + line_max(41), line_min(41)},
           {"torus:31x40", cycle_max(31) + 4, cycle_min(40)},
       })
    expect_closed_form(expected);
}

TEST(Spectrum, KeepsDigitsOnBadlyConditionedWeights) {
  // Two pairs joined by a feeble edge: to first order in w its eigenvalue is w.
  const double w = 1e-12;
  const auto spectrum = Topology::make(Graph(4, {{0, 1}, {1, 2, w}, {2, 3}}), "laplacian").spectrum();
  EXPECT_NEAR(spectrum.lambda_min / w, 1, 1e-9);
}

Graph line_with_middle_weight(Index n, double others, double middle) {
  std::vector<Graph::Edge> edges;
  for (Index i = 0; i + 1 < n; ++i) edges.push_back({i, i + 1, 2 * (i + 1) == n ? middle : others});
  return {n, edges};
}

std::string complaint(const Graph& graph, std::string_view kind = "laplacian") {
  return test::message([&] { Topology::make(graph, kind); });
}

TEST(Spectrum, RefusesWeightsTooFarApart) {
  for (const Index n : {4, 1000}) {
    const std::string message = complaint(line_with_middle_weight(n, 1, 1e-18));
    EXPECT_TRUE(message.starts_with("W: edge weights 1e-18 ... 1 (λmin⁺ = ")) << message;
    EXPECT_TRUE(
        message.ends_with("is lost in rounding). Bring the weights within a factor of 1e12 of each other."))
        << message;
  }
}

TEST(Spectrum, RefusesWeightsThatOverflow) {
  for (const Index n : {4, 1000}) {
    for (const char* kind : {"laplacian", "metropolis", "max-degree"})
      EXPECT_EQ(complaint(line_with_middle_weight(1000, 1e308, 1), kind),
                "--graph: edge weights 1 ... 1e+308 (the weights at an agent must have a finite sum). "
                "Scale all weights by one factor.");
    EXPECT_EQ(complaint(line_with_middle_weight(n, 1e200, 1e200)),
              "W: edge weights 1e+200 ... 1e+200 (the largest weighted degree must lie in 1e-100 ... 1e100). "
              "Scale all weights by one factor.");
    EXPECT_TRUE(complaint(line_with_middle_weight(n, 1e-200, 1e-200)).starts_with("W: edge weights 1e-200"));
  }
}

TEST(Spectrum, RefusesWhatIsNoNumber) {
  SparseRows W = Topology::parse("cycle:600", "laplacian").weights();
  W.coeffRef(3, 4) = W.coeffRef(4, 3) = NAN;
  EXPECT_THROW(spectrum_of(W), InputError);
}

TEST(Spectrum, DoesNotDependOnTheScaleOfTheWeights) {
  for (const double scale : {1e-90, 1e90}) {
    const auto [lambda_max, lambda_min] =
        Topology::make(line_with_middle_weight(700, scale, scale), "laplacian").spectrum();
    EXPECT_NEAR(lambda_max / scale / line_max(700), 1, 1e-9);
    EXPECT_NEAR(lambda_min / scale / line_min(700), 1, 1e-9);
  }
}

TEST(Spectrum, SparseAgreesWithDenseOnRandomGraphs) {
  for (const char* graph :
       {"er:700,0.02", "regular:700,4", "geometric:700,0.12", "smallworld:700,6,0.1", "tree:700"})
    for (const char* kind : {"laplacian", "metropolis"}) {
      const auto topology = Topology::parse(graph, kind, 7);
      const Vector dense = test::symmetric_eigenvalues(Block(topology.weights()));
      EXPECT_NEAR(topology.spectrum().lambda_max / dense[699], 1, 1e-9) << graph << ' ' << kind;
      EXPECT_NEAR(topology.spectrum().lambda_min / dense[1], 1, 1e-8) << graph << ' ' << kind;
    }
}

// The cycle's Laplacian with second neighbours of the given weight: eigenvalues 4 sin^2 t + 4 weight sin^2
// 2t.
SparseRows second_neighbours(Index n, double weight) {
  std::vector<Eigen::Triplet<double>> entries;
  for (Index i = 0; i < n; ++i) {
    entries.emplace_back(i, i, 2 + 2 * weight);
    for (const Index step : {Index{1}, n - 1}) entries.emplace_back(i, (i + step) % n, -1);
    for (const Index step : {Index{2}, n - 2}) entries.emplace_back(i, (i + step) % n, -weight);
  }
  SparseRows W(n, n);
  W.setFromTriplets(entries.begin(), entries.end());
  return W;
}

TEST(Spectrum, TakesPositiveEntriesOffTheDiagonal) {
  const auto topology = Topology::from_matrix(second_neighbours(900, -0.2));
  const double t = pi / 900;
  EXPECT_NEAR(topology.spectrum().lambda_min / (4 * squared_sine(t) - 0.8 * squared_sine(2 * t)), 1, 1e-9);
  EXPECT_NEAR(topology.spectrum().lambda_max / 4, 1, 1e-9);
}

TEST(Spectrum, FindsNegativeEigenvaluesOfLargeMatrices) {
  const auto message = test::message([] { Topology::from_matrix(second_neighbours(900, -0.5)); });
  EXPECT_TRUE(message.starts_with("W: eigenvalue -0.")) << message;
  EXPECT_NE(message.find("(W must be positive semi-definite)"), std::string::npos) << message;
}

TEST(Spectrum, ReportsProgress) {
  std::vector<std::string> lines;
  const auto topology =
      Topology::parse("line:2000", "laplacian", 0, [&](std::string_view line) { lines.emplace_back(line); });
  ASSERT_FALSE(lines.empty());
  EXPECT_EQ(lines.front(), "λmax: Lanczos on 2000 agents, 40 vectors");
}

TEST(LargeSpectrum, Line) { expect_closed_form({"line:100000", line_max(1e5), line_min(1e5)}); }
TEST(LargeSpectrum, Cycle) { expect_closed_form({"cycle:100000", 4, cycle_min(1e5)}); }
TEST(LargeSpectrum, OddCycle) { expect_closed_form({"cycle:99999", cycle_max(99999), cycle_min(99999)}); }
TEST(LargeSpectrum, Star) { expect_closed_form({"star:1000000", 1e6, 1}); }
TEST(LargeSpectrum, Complete) { expect_closed_form({"complete:3000", 3000, 3000}); }
TEST(LargeSpectrum, Grid) {
  expect_closed_form({"grid:300x400", line_max(300) + line_max(400), line_min(400)});
}
TEST(LargeSpectrum, Torus) { expect_closed_form({"torus:1000x1000", 8, cycle_min(1000)}); }
TEST(LargeSpectrum, Hypercube) { expect_closed_form({"hypercube:20", 40, 2}); }

// No closed form: the eigenvalues lie where random 4-regular graphs have them (Friedman 2008), within 4 -+ 2
// sqrt(3).
TEST(LargeSpectrum, RandomRegular) {
  const auto [lambda_max, lambda_min] = Topology::parse("regular:100000,4", "laplacian").spectrum();
  EXPECT_NEAR(lambda_min, 4 - 2 * std::sqrt(3.0), 0.02);
  EXPECT_NEAR(lambda_max, 4 + 2 * std::sqrt(3.0), 0.02);
}

}  // namespace
}  // namespace ideal
