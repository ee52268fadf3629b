// SPDX-License-Identifier: Apache-2.0
#include "network/assumptions.hpp"
#include "network/connected.hpp"
#include "network/spectrum.hpp"
#include "network/weights.hpp"

#include <ideal/error.hpp>
#include <ideal/topology.hpp>

#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace ideal {
namespace {

// The graph of the off-diagonal entries that are more than rounding.
Graph pattern_of(const SparseRows& W) {
  const double tolerance = rounding_tolerance(W);
  std::vector<Graph::Edge> edges;
  for (Index i = 0; i < W.rows(); ++i)
    for (SparseRows::InnerIterator entry(W, i); entry; ++entry)
      if (entry.col() > i && std::abs(entry.value()) > tolerance) edges.push_back({i, entry.col()});
  return {W.rows(), std::move(edges)};
}

void require_matrix(const SparseRows& W, std::string_view place) {
  require_square(W, place);
  require_finite(W, place);
  require_symmetric(W, place);
  require_zero_row_sums(W, place);
}

void require_same_size(const SparseRows& W, const Graph& graph, std::string_view place) {
  if (W.rows() != graph.agents())
    throw InputError(place, fmt::format("{0} x {0}", W.rows()),
                     fmt::format("the graph has {} agents", graph.agents()),
                     "Give one row and one column per agent.");
}

// The matrix that W is but for rounding: symmetric, nothing outside `pattern`, and the diagonal from the rest
// of its row.
SparseRows without_rounding(const SparseRows& W, const Graph& pattern) {
  std::vector<double> weights;
  for (const auto& [a, b, unused] : pattern.edges()) weights.push_back(-(W.coeff(a, b) + W.coeff(b, a)) / 2);
  return weighted_laplacian(pattern, weights);
}

struct Checked {
  SparseRows weights;
  Spectrum spectrum;
};

Checked checked(const SparseRows& W, const Graph& pattern, std::string_view place, const Progress& progress) {
  require_connected(pattern, place, "Give W non-zero entries on enough edges to join them.");
  Checked result{without_rounding(W, pattern), {}};
  result.spectrum = checked_spectrum(result.weights, place, progress);
  return result;
}

constexpr std::string_view any_matrix = "W";

}  // namespace

Topology::Topology(Graph graph, SparseRows weights, Spectrum spectrum)
    : graph_(std::move(graph)), weights_(std::move(weights)), spectrum_(spectrum) {}

Topology Topology::make(Graph graph, std::string_view kind, const Progress& progress) {
  require_connected(graph, "--graph", "Add edges that join the components.");
  auto [W, gap] = mixing_weights(graph, kind, progress);
  Spectrum spectrum = checked_spectrum(W, any_matrix, progress);
  const double divisor = divisor_of(kind, spectrum);
  W /= divisor;
  spectrum = {spectrum.lambda_max / divisor, spectrum.lambda_min / divisor};
  Topology topology(std::move(graph), std::move(W), spectrum);
  topology.gap_ = gap;
  return topology;
}

Topology Topology::from_matrix(SparseRows W, const Progress& progress) {
  require_matrix(W, any_matrix);
  Graph graph = pattern_of(W);
  auto [weights, spectrum] = checked(W, graph, any_matrix, progress);
  return {std::move(graph), std::move(weights), spectrum};
}

Topology Topology::from_matrix(SparseRows W, Graph graph, const Progress& progress) {
  return on_graph(W, std::move(graph), any_matrix, progress);
}

Topology Topology::on_graph(const SparseRows& W, Graph graph, std::string_view place,
                            const Progress& progress) {
  require_matrix(W, place);
  require_same_size(W, graph, place);
  require_connected(graph, "--graph", "Add edges that join the components.");
  require_on_graph(W, graph, place);
  auto [weights, spectrum] = checked(W, pattern_of(W), place, progress);
  return {std::move(graph), std::move(weights), spectrum};
}

Topology Topology::parse(std::string_view graph, std::string_view mixing, std::uint64_t seed,
                         const Progress& progress) {
  require_mixing(mixing);
  return parse(Graph::parse(graph, seed), mixing, progress);
}

Topology Topology::parse(Graph graph, std::string_view mixing, const Progress& progress) {
  if (!mixing.starts_with(file_prefix)) return make(std::move(graph), mixing, progress);
  const auto path = mixing.substr(file_prefix.size());
  return on_graph(read_matrix(path), std::move(graph), path, progress);
}

}  // namespace ideal
