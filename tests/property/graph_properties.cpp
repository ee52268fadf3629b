// SPDX-License-Identifier: Apache-2.0
#include "network/parse.hpp"
#include "support/dense.hpp"

#include <ideal/error.hpp>
#include <ideal/random.hpp>
#include <ideal/topology.hpp>

#include <numeric>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace ideal {
namespace {

// Families that are connected whatever the seed, or nearly so at these densities.
std::string any_spec() {
  const int n = *rc::gen::inRange(4, 40);
  const int rows = *rc::gen::inRange(1, 7), columns = *rc::gen::inRange(2, 7);
  const int k = 2 * *rc::gen::inRange(1, 2 + (n - 4) / 4);
  return *rc::gen::element(fmt::format("cycle:{}", n), fmt::format("line:{}", n),
                           fmt::format("complete:{}", n), fmt::format("star:{}", n),
                           fmt::format("grid:{}x{}", rows, columns),
                           fmt::format("torus:{}x{}", rows, columns), fmt::format("hypercube:{}", 1 + n % 6),
                           fmt::format("barbell:{}", n), fmt::format("er:{},0.9", n + 8),
                           fmt::format("regular:{},{}", n, k), fmt::format("geometric:{},0.9", n + 8),
                           fmt::format("smallworld:{},{},0.2", n + 4, k + 2), fmt::format("tree:{}", n));
}

struct Sample {
  std::string spec;
  std::uint64_t seed;
  Graph graph;
};

Sample any_graph() {
  const auto spec = any_spec();
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  try {
    return {spec, seed, Graph::parse(spec, seed)};
  } catch (const InputError&) {
    RC_DISCARD("disconnected draw");
  }
}

RC_GTEST_PROP(GraphProperty, GraphIsSimpleAndSymmetric, ()) {
  const auto [spec, seed, graph] = any_graph();
  Index degrees = 0;
  for (Index i = 0; i < graph.agents(); ++i) {
    const auto neighbours = graph.neighbours(i);
    RC_ASSERT(std::adjacent_find(neighbours.begin(), neighbours.end(), std::greater_equal<>()) ==
              neighbours.end());
    for (const Index j : neighbours) {
      RC_ASSERT(i != j);
      RC_ASSERT(graph.adjacent(j, i));
    }
    degrees += graph.degree(i);
  }
  RC_ASSERT(degrees == 2 * static_cast<Index>(graph.edges().size()));
  RC_ASSERT(graph.components().size() == 1u);
}

RC_GTEST_PROP(GraphProperty, RegularGraphsAreRegular, (std::uint64_t seed)) {
  const Index n = *rc::gen::inRange(4, 60);
  const Index k = *rc::gen::inRange<Index>(2, n);
  RC_PRE(n % 2 == 0 || k % 2 == 0);
  const auto graph = Graph::parse(fmt::format("regular:{},{}", n, k), seed);
  for (Index i = 0; i < n; ++i) RC_ASSERT(graph.degree(i) == k);
}

RC_GTEST_PROP(GraphProperty, WeightsMeetTheAssumptions, ()) {
  const auto [spec, seed, graph] = any_graph();
  const auto kind = *rc::gen::elementOf(mixing_kinds());
  const auto topology = Topology::make(graph, kind);
  const Eigen::MatrixXd W = topology.weights().toDense();
  RC_ASSERT(W == W.transpose());
  const double scale = W.cwiseAbs().maxCoeff();
  RC_ASSERT(W.rowwise().sum().cwiseAbs().maxCoeff() <= 1e-13 * scale * static_cast<double>(W.rows()));
  const Vector values = test::symmetric_eigenvalues(W);
  RC_ASSERT(values[0] >= -1e-12 * scale);
  RC_ASSERT(std::abs(values[1] - topology.spectrum().lambda_min) <= 1e-10 * scale);
  RC_ASSERT(std::abs(values.maxCoeff() - topology.spectrum().lambda_max) <= 1e-10 * scale);
  const bool averages = kind != "laplacian" && kind != "resistance";  // W = I - P for averaging weights P
  if (averages) RC_ASSERT(topology.spectrum().lambda_max <= 2 + 1e-12);
}

RC_GTEST_PROP(GraphProperty, SpectrumDoesNotDependOnLabels, ()) {
  const auto [spec, seed, graph] = any_graph();
  std::vector<Index> label(graph.agents());
  std::iota(label.begin(), label.end(), Index{0});
  Random(seed, 1).shuffle(label);
  std::vector<Graph::Edge> edges;
  for (const auto& [a, b, weight] : graph.edges()) edges.push_back({label[a], label[b], weight});
  const auto original = Topology::make(graph, "metropolis").spectrum();
  const auto relabelled = Topology::make(Graph(graph.agents(), edges), "metropolis").spectrum();
  RC_ASSERT(std::abs(original.lambda_max - relabelled.lambda_max) <= 1e-12);
  RC_ASSERT(std::abs(original.lambda_min - relabelled.lambda_min) <= 1e-12);
}

RC_GTEST_PROP(GraphProperty, MatrixOfATopologyIsAccepted, ()) {
  const auto [spec, seed, graph] = any_graph();
  const auto made = Topology::make(graph, "metropolis");
  const auto given = Topology::from_matrix(made.weights(), graph);
  RC_ASSERT(given.weights().toDense().isApprox(made.weights().toDense(), 1e-15));
}

template <class Parse>
void throws_nothing_but_input_errors(Parse parse) {
  try {
    parse();
  } catch (const InputError&) {
  }
}

RC_GTEST_PROP(GraphProperty, ParsersSurviveAnyText, (const std::string& text)) {
  throws_nothing_but_input_errors([&] { parse_graph_spec(text, 0); });
  throws_nothing_but_input_errors([&] { parse_edge_list(text, "text"); });
  throws_nothing_but_input_errors([&] { parse_matrix(text, "text"); });
  throws_nothing_but_input_errors([&] { parse_matrix("%%MatrixMarket " + text, "text"); });
}

RC_GTEST_PROP(GraphProperty, SpecsSurviveAnyArguments, ()) {
  const auto form = *rc::gen::elementOf(graph_families());
  const auto name = form.substr(0, form.find(':') + 1);
  RC_PRE(name != "file:");
  const auto arguments = *rc::gen::container<std::string>(rc::gen::elementOf(std::string("0123,.x-+e ")));
  RC_PRE(arguments.size() < 8);
  throws_nothing_but_input_errors([&] { parse_graph_spec(name + arguments.substr(0, 6), 0); });
}

}  // namespace
}  // namespace ideal
