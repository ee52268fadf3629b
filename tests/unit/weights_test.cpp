// SPDX-License-Identifier: Apache-2.0
#include "support/dense.hpp"
#include "support/message.hpp"

#include <ideal/random.hpp>
#include <ideal/weights.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace ideal {
namespace {

using test::symmetric_eigenvalues;

/// sum of w_e a_e a_e'.
Block laplacian(const Graph& graph, const Vector& weights) {
  Block L = Block::Zero(graph.agents(), graph.agents());
  for (Index e = 0; e < weights.size(); ++e) {
    const auto& [a, b, own] = graph.edges()[e];
    Vector difference = Vector::Zero(graph.agents());
    difference[a] = 1;
    difference[b] = -1;
    L += weights[e] * difference * difference.transpose();
  }
  return L;
}

Vector own_weights_of(const Graph& graph) {
  Vector weights(static_cast<Index>(graph.edges().size()));
  for (Index e = 0; e < weights.size(); ++e) weights[e] = graph.edges()[e].weight;
  return weights;
}

Block pseudo_inverse(const Block& L) {
  test::Eigenpairs pairs = test::symmetric_eigen(L);
  for (Index k = 0; k < pairs.values.size(); ++k) pairs.values[k] = k == 0 ? 0 : 1 / pairs.values[k];
  return test::compose(pairs);
}

/// (e_i - e_j)' L⁺ (e_i - e_j) over the edges, densely.
Vector dense_resistances(const Graph& graph) {
  const Block G = pseudo_inverse(laplacian(graph, own_weights_of(graph)));
  Vector R(static_cast<Index>(graph.edges().size()));
  for (Index e = 0; e < R.size(); ++e) {
    const auto& [a, b, own] = graph.edges()[e];
    R[e] = G(a, a) + G(b, b) - 2 * G(a, b);
  }
  return R;
}

/// The same graph with weights between 0.1 and 10.
Graph weighted(const Graph& graph, std::uint64_t seed) {
  Random random(seed);
  std::vector<Graph::Edge> edges = graph.edges();
  for (auto& edge : edges) edge.weight = std::pow(10, 2 * random.uniform() - 1);
  return {graph.agents(), std::move(edges)};
}

Graph relabelled(const Graph& graph, std::uint64_t seed) {
  std::vector<Index> name(graph.agents());
  std::iota(name.begin(), name.end(), 0);
  Random(seed).shuffle(name);
  std::vector<Graph::Edge> edges = graph.edges();
  for (auto& [a, b, weight] : edges) {
    a = name[a];
    b = name[b];
    if (a > b) std::swap(a, b);
  }
  return {graph.agents(), std::move(edges)};
}

double kappa(const Block& W) {
  const Vector values = symmetric_eigenvalues(W);
  return values[values.size() - 1] / values[1];
}

/// sum of 1 / (1 - λ²) over the eigenvalues of I - W but that of the ones vector.
double deviation(const Block& W) {
  const Vector values = symmetric_eigenvalues(W);
  double sum = 0;
  for (Index k = 1; k < values.size(); ++k) {
    if (values[k] <= 0 || values[k] >= 2) return std::numeric_limits<double>::infinity();
    sum += 1 / (1 - (1 - values[k]) * (1 - values[k]));
  }
  return sum;
}

Vector all_ones(const Graph& graph) { return Vector::Ones(static_cast<Index>(graph.edges().size())); }

/// The least value of a unimodal function, by golden sections.
template <class Function>
double least(Function f, double low, double high) {
  for (int k = 0; k < 200; ++k) {
    const double a = high - (high - low) / std::numbers::phi, b = low + (high - low) / std::numbers::phi;
    (f(a) < f(b) ? high : low) = f(a) < f(b) ? b : a;
  }
  return f((low + high) / 2);
}

/// 8 x 8 agents with some edges cut: the example of S. Boyd's lecture on graph Laplacian eigenvalues (2006).
Graph cut_grid() {
  const std::set<std::pair<Index, Index>> cut{{41, 49}, {42, 50}, {8, 16},  {16, 24}, {7, 15},  {15, 23},
                                              {13, 21}, {5, 13},  {14, 22}, {6, 14},  {43, 51}, {44, 52},
                                              {45, 53}, {46, 54}, {41, 42}, {33, 34}, {25, 26}};
  const Graph grid = Graph::parse("grid:8x8");
  std::vector<Graph::Edge> edges;
  for (const auto& edge : grid.edges())
    if (!cut.contains({edge.a + 1, edge.b + 1})) edges.push_back(edge);
  return {64, std::move(edges)};
}

// Any automorphism of these maps an optimum to an optimum, and their average is one too: all weights equal.
const char* const edge_transitive[] = {"line:2", "cycle:9",     "cycle:10", "complete:7",
                                       "star:8", "hypercube:4", "torus:5x5"};

const char* const irregular[] = {"line:9",     "grid:3x5",          "barbell:10",
                                 "er:16,0.35", "geometric:20,0.45", "tree:14"};

// ---- effective resistances --------------------------------------------------------------------------------

TEST(Resistance, HasItsClosedForms) {
  const auto expect_all = [](const char* graph, double expected) {
    const Vector R = effective_resistances(Graph::parse(graph, 3));
    EXPECT_NEAR(R.minCoeff(), expected, 1e-11) << graph;
    EXPECT_NEAR(R.maxCoeff(), expected, 1e-11) << graph;
  };
  for (const char* tree : {"line:2", "line:30", "star:9", "tree:200"}) expect_all(tree, 1);
  expect_all("cycle:11", 10.0 / 11);
  expect_all("complete:8", 2.0 / 8);
  expect_all("hypercube:6", 63.0 / 192);  // Foster: n - 1 shared by n k / 2 edges alike
  expect_all("torus:70x70", 4899.0 / 9800);
}

TEST(Resistance, ObeysSeriesAndParallel) {
  const double u = 2, v = 3, w = 5;
  const Vector R = effective_resistances(Graph(3, {{0, 1, u}, {0, 2, v}, {1, 2, w}}));
  EXPECT_NEAR(R[0], 1 / (u + v * w / (v + w)), 1e-15);
  EXPECT_NEAR(R[1], 1 / (v + u * w / (u + w)), 1e-15);
  EXPECT_NEAR(R[2], 1 / (w + u * v / (u + v)), 1e-15);
}

TEST(Resistance, IsThatOfThePseudoInverse) {
  for (const char* name : irregular)
    for (const std::uint64_t seed : {1, 2}) {
      const Graph graph = weighted(Graph::parse(name, seed), seed);
      EXPECT_TRUE(effective_resistances(graph).isApprox(dense_resistances(graph), 1e-10)) << name;
    }
}

TEST(Resistance, ObeysFostersTheorem) {
  for (const char* name : {"er:300,0.05", "geometric:900,0.08", "grid:60x90", "smallworld:2000,6,0.1"}) {
    const Graph graph = weighted(Graph::parse(name, 1), 7);
    const double sum = effective_resistances(graph).dot(own_weights_of(graph));
    EXPECT_NEAR(sum / static_cast<double>(graph.agents() - 1), 1, 1e-10) << name;
  }
}

TEST(Resistance, IsTheWeightOfItsKind) {
  const Graph graph = weighted(Graph::parse("er:15,0.4", 2), 5);
  const Vector expected = own_weights_of(graph).cwiseProduct(dense_resistances(graph));
  const Block W = Topology::make(graph, "resistance").weights().toDense();
  EXPECT_TRUE(W.isApprox(laplacian(graph, expected), 1e-10));
  EXPECT_NEAR(W.trace(), 2 * 14, 1e-9);
}

TEST(Resistance, MakesTheBestOfABarbell) {
  for (const char* name : {"barbell:8", "barbell:20"}) {
    const Graph graph = Graph::parse(name);
    EXPECT_NEAR(Topology::make(graph, "resistance").spectrum().kappa() / fastest_weights(graph).value, 1,
                1e-7);
  }
}

TEST(Resistance, SaysWhenAGraphIsTooLarge) {
  const std::string message =
      test::message([] { effective_resistances(Graph::parse("regular:40000,6", 1)); });
  EXPECT_NE(message.find("--mixing: resistances of 40000 agents"), std::string::npos) << message;
}

TEST(ResistanceGossip, AgreesWithTheCentralAnswer) {
  for (const char* name : {"line:2", "cycle:8", "star:6", "barbell:8", "er:12,0.4"}) {
    const Graph graph = weighted(Graph::parse(name, 1), 3);
    const GossipedResistances found = gossip_resistances(graph);
    EXPECT_TRUE(found.converged) << name;
    EXPECT_TRUE(found.resistances.isApprox(effective_resistances(graph), 1e-7)) << name;
    const Block exact = pseudo_inverse(laplacian(graph, own_weights_of(graph)));
    EXPECT_TRUE(found.potentials.isApprox(exact, 1e-7)) << name;
  }
}

TEST(ResistanceGossip, CountsWhatItSends) {
  const Graph graph = Graph::parse("cycle:6");
  const GossipedResistances found = gossip_resistances(graph, {.tolerance = 0, .most_activations = 50});
  EXPECT_FALSE(found.converged);
  EXPECT_EQ(found.activations, 50);
  // 2 rounds an activation, then a check after 24, 48 and 50 of them (columns once, the maximum over 3 hops),
  // and the resistances.
  EXPECT_EQ(found.rounds, 2 * 50 + 3 * (1 + 3) + 1);
  // An agent has 2 neighbours and a column 6 numbers; there are 12 directed links.
  EXPECT_EQ(found.bytes, 8 * (50 * 2 * 2 * 6 + 3 * 12 * (6 + 3) + 12));
  EXPECT_EQ(found.resistances,
            gossip_resistances(graph, {.tolerance = 0, .most_activations = 50}).resistances);
}

// Strohmer & Vershynin (2009): E|X_k - L⁺|² <= (1 - λmin⁺² / |L|²)^k |L⁺|².
TEST(ResistanceGossip, ConvergesAtThePublishedRate) {
  const Graph graph = Graph::parse("grid:2x3");
  const Block L = laplacian(graph, all_ones(graph)), exact = pseudo_inverse(L);
  const double rate = 1 - std::pow(symmetric_eigenvalues(L)[1], 2) / L.squaredNorm();
  for (const Index activations : {50, 200}) {
    double mean = 0;
    constexpr int runs = 400;
    for (std::uint64_t seed = 0; seed < runs; ++seed) {
      const auto found =
          gossip_resistances(graph, {.tolerance = 0, .most_activations = activations, .seed = seed});
      mean += (found.potentials - exact).squaredNorm() / runs;
    }
    EXPECT_LE(mean, 1.1 * std::pow(rate, activations) * exact.squaredNorm());
  }
}

// ---- fastest weights --------------------------------------------------------------------------------------

TEST(Fastest, IsTheBestConstantWhereAllEdgesAreAlike) {
  for (const char* name : edge_transitive) {
    const Graph graph = Graph::parse(name);
    const OptimalWeights optimum = fastest_weights(graph);
    const Topology constant = Topology::make(graph, "best-constant");
    EXPECT_NEAR(optimum.value / constant.spectrum().kappa(), 1, 1e-8) << name;
    EXPECT_LE(optimum.gap(), 1e-8) << name;
    EXPECT_TRUE(laplacian(graph, optimum.weights).isApprox(Block(constant.weights()), 1e-4)) << name;
  }
}

// Boyd, Diaconis, Sun & Xiao (2006): the fastest chain on a path of n has the second eigenvalue cos(π/n).
TEST(Fastest, IsThePublishedOneOnPaths) {
  for (const Index n : {3, 8, 25}) {
    const double k = fastest_weights(Graph::parse("line:" + std::to_string(n))).value;
    EXPECT_NEAR((k - 1) / (k + 1), std::cos(std::numbers::pi / static_cast<double>(n)), 1e-8);
  }
}

TEST(Fastest, IsThePublishedOneOnTheCutGrid) {
  const Graph graph = cut_grid();
  ASSERT_EQ(graph.edges().size(), 95u);
  const auto time = [](double k) { return 1 / std::log((k + 1) / (k - 1)); };
  EXPECT_NEAR(time(Topology::make(graph, "best-constant").spectrum().kappa()), 126.3450, 5e-5);
  EXPECT_NEAR(time(fastest_weights(graph).value), 84.9099, 5e-5);
}

TEST(Fastest, ProvesItselfOptimal) {
  for (const char* name : irregular) {
    const Graph graph = Graph::parse(name, 2);
    const OptimalWeights optimum = fastest_weights(graph);
    const Block W = laplacian(graph, optimum.weights);
    EXPECT_NEAR(kappa(W) / optimum.value, 1, 1e-9) << name;
    EXPECT_LE(optimum.bound, optimum.value * (1 + 1e-12)) << name;
    EXPECT_LE(optimum.gap(), 1e-6) << name;
    const Vector values = symmetric_eigenvalues(W);
    EXPECT_NEAR(values[1] + values[values.size() - 1], 2, 1e-9) << name;
  }
}

TEST(Fastest, NoPerturbationImprovesIt) {
  Random random(5);
  for (const char* name : irregular) {
    const Graph graph = Graph::parse(name, 2);
    const OptimalWeights optimum = fastest_weights(graph);
    for (const double size : {1e-5, 1e-3, 1e-1})
      for (int k = 0; k < 50; ++k) {
        Vector weights = optimum.weights;
        for (double& w : weights) w += size * random.normal();
        const double perturbed = kappa(laplacian(graph, weights));
        EXPECT_TRUE(perturbed < 0 || perturbed >= optimum.bound) << name << ' ' << perturbed;
      }
  }
}

TEST(Fastest, KeepsItsValueUnderNewNames) {
  for (const char* name : {"grid:3x5", "er:16,0.35"}) {
    const Graph graph = Graph::parse(name, 2);
    EXPECT_NEAR(fastest_weights(relabelled(graph, 9)).value / fastest_weights(graph).value, 1, 1e-7);
  }
}

// ---- least mean-square deviation --------------------------------------------------------------------------

// Under unit noise the covariance in the long run is the sum of (P - 11'/n)^2k.
TEST(Deviation, IsTheSumOfThePowers) {
  const Topology topology = Topology::parse("grid:2x4", "metropolis");
  const Block identity = Block::Identity(8, 8);
  const Block P = identity - Block(topology.weights()) - Block::Constant(8, 8, 1.0 / 8);
  Block power = identity - Block::Constant(8, 8, 1.0 / 8);
  double sum = 0;
  for (int k = 0; k < 2000; ++k) {
    sum += power.squaredNorm();
    power = test::product(P, power);
  }
  EXPECT_NEAR(mean_square_deviation(topology.weights()), sum, 1e-9);
  EXPECT_TRUE(std::isinf(mean_square_deviation(Topology::parse("grid:2x4", "laplacian").weights())));
}

TEST(LeastDeviation, IsAConstantWhereAllEdgesAreAlike) {
  for (const char* name : edge_transitive) {
    const Graph graph = Graph::parse(name);
    const OptimalWeights optimum = least_deviation_weights(graph);
    const Block L = laplacian(graph, all_ones(graph));
    const double top = symmetric_eigenvalues(L)[graph.agents() - 1];
    const double expected = least([&](double weight) { return deviation(weight * L); }, 0, 2 / top);
    EXPECT_NEAR(optimum.value / expected, 1, 1e-10) << name;
    EXPECT_LT(optimum.weights.maxCoeff() - optimum.weights.minCoeff(), 1e-6) << name;
  }
}

TEST(LeastDeviation, ProvesItselfOptimal) {
  for (const char* name : irregular) {
    const Graph graph = Graph::parse(name, 2);
    const OptimalWeights optimum = least_deviation_weights(graph);
    EXPECT_NEAR(deviation(laplacian(graph, optimum.weights)) / optimum.value, 1, 1e-10) << name;
    EXPECT_LE(optimum.bound, optimum.value * (1 + 1e-12)) << name;
    EXPECT_LE(optimum.gap(), 1e-9) << name;
  }
}

TEST(LeastDeviation, NoPerturbationImprovesIt) {
  Random random(6);
  for (const char* name : irregular) {
    const Graph graph = Graph::parse(name, 2);
    const OptimalWeights optimum = least_deviation_weights(graph);
    for (const double size : {1e-4, 1e-2, 1e-1})
      for (int k = 0; k < 50; ++k) {
        Vector weights = optimum.weights;
        for (double& w : weights) w += size * random.normal();
        EXPECT_GE(deviation(laplacian(graph, weights)), optimum.bound) << name;
      }
  }
}

TEST(LeastDeviation, KeepsItsValueUnderNewNames) {
  for (const char* name : {"grid:3x5", "er:16,0.35"}) {
    const Graph graph = Graph::parse(name, 2);
    EXPECT_NEAR(least_deviation_weights(relabelled(graph, 9)).value / least_deviation_weights(graph).value, 1,
                1e-9);
  }
}

// ---- all kinds --------------------------------------------------------------------------------------------

TEST(MixingKinds, AreEachTheBestAtWhatTheyOptimise) {
  for (const char* name : irregular) {
    const Graph graph = Graph::parse(name, 2);
    const Topology fastest = Topology::make(graph, "fdla"), quietest = Topology::make(graph, "lmsd");
    ASSERT_TRUE(fastest.optimality_gap() && quietest.optimality_gap());
    for (const std::string& kind : mixing_kinds()) {
      const Topology other = Topology::make(graph, kind);
      EXPECT_LE(fastest.spectrum().kappa(), other.spectrum().kappa() * (1 + 1e-6)) << name << ' ' << kind;
      EXPECT_LE(mean_square_deviation(quietest.weights()),
                mean_square_deviation(other.weights()) * (1 + 1e-9));
      EXPECT_EQ(other.optimality_gap().has_value(), kind == "fdla" || kind == "lmsd");
    }
  }
}

TEST(MixingKinds, FulfilTheAssumptionsOnW) {
  for (const char* name : irregular)
    for (const std::string& kind : mixing_kinds()) {
      const Graph graph = weighted(Graph::parse(name, 2), 1);
      const Topology topology = Topology::make(graph, kind);
      const Block W(topology.weights());
      EXPECT_EQ(W, W.transpose()) << name << ' ' << kind;
      EXPECT_LE(W.rowwise().sum().cwiseAbs().maxCoeff(), 1e-13 * W.cwiseAbs().maxCoeff())
          << name << ' ' << kind;
      for (Index i = 0; i < W.rows(); ++i)
        for (Index j = 0; j < i; ++j) EXPECT_TRUE(W(i, j) == 0 || graph.adjacent(i, j));
      const Vector values = symmetric_eigenvalues(W);
      EXPECT_NEAR(topology.spectrum().lambda_min / values[1], 1, 1e-8) << name << ' ' << kind;
      EXPECT_NEAR(topology.spectrum().lambda_max / values[values.size() - 1], 1, 1e-10)
          << name << ' ' << kind;
    }
}

TEST(MixingKinds, OptimisedOnesDoNotLookAtTheWeights) {
  const Graph plain = Graph::parse("grid:3x4");
  for (const char* kind : {"fdla", "lmsd"})
    EXPECT_EQ(Block(Topology::make(plain, kind).weights()),
              Block(Topology::make(weighted(plain, 2), kind).weights()));
}

TEST(BestConstant, ContractsByTheBestFactorOfItsSpectrum) {
  const Spectrum spectrum = Topology::parse("grid:4x7", "best-constant").spectrum();
  const double k = Topology::parse("grid:4x7", "laplacian").spectrum().kappa(), best = (k - 1) / (k + 1);
  EXPECT_NEAR(1 - spectrum.lambda_min, best, 1e-12);
  EXPECT_NEAR(spectrum.lambda_max - 1, best, 1e-12);
}

TEST(MixingKinds, SayWhenAGraphIsTooLarge) {
  const std::string remedy =
      " (weights are optimised for up to 500 agents and 2000 edges). Take resistance or metropolis, or a "
      "smaller graph.";
  EXPECT_EQ(test::message([] { Topology::parse("cycle:501", "fdla"); }),
            "--mixing: 'fdla' for 501 agents, 501 edges" + remedy);
  EXPECT_EQ(test::message([] { Topology::parse("complete:64", "lmsd"); }),
            "--mixing: 'lmsd' for 64 agents, 2016 edges" + remedy);
}

TEST(MixingKinds, NeedAConnectedGraph) {
  const Graph halves(4, {{0, 1}, {2, 3}});
  const std::string expected = test::message([&] { Topology::make(halves, "laplacian"); });
  EXPECT_EQ(test::message([&] { effective_resistances(halves); }), expected);
  EXPECT_EQ(test::message([&] { gossip_resistances(halves); }), expected);
  EXPECT_EQ(test::message([&] { fastest_weights(halves); }), expected);
  EXPECT_EQ(test::message([&] { least_deviation_weights(halves); }), expected);
}

}  // namespace
}  // namespace ideal
