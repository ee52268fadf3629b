// SPDX-License-Identifier: Apache-2.0
#include "network/weights.hpp"

#include <ideal/error.hpp>

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace ideal {
namespace {

Vector weighted_degrees(const Graph& graph, std::span<const double> edge_weights) {
  Vector degrees = Vector::Zero(graph.agents());
  for (std::size_t e = 0; e < edge_weights.size(); ++e) {
    degrees[graph.edges()[e].a] += edge_weights[e];
    degrees[graph.edges()[e].b] += edge_weights[e];
  }
  return degrees;
}

void require_finite_degrees(const Vector& degrees, std::span<const double> weights) {
  if (degrees.allFinite()) return;
  const auto [smallest, largest] = std::ranges::minmax(weights);
  throw InputError("--graph", fmt::format("edge weights {:.6g} ... {:.6g}", smallest, largest),
                   "the weights at an agent must have a finite sum", "Scale all weights by one factor.");
}

/// w_ij of the edge (i, j) from its own weight w, the degrees of its ends and the largest degree.
struct Kind {
  std::string_view name;
  double (*weight)(double w, double degree_i, double degree_j, double max_degree);
};

constexpr std::array kinds{
    Kind{"laplacian", [](double w, double, double, double) { return w; }},
    Kind{normalized_kind, [](double w, double, double, double) { return w; }},
    Kind{"metropolis", [](double w, double i, double j, double) { return w / (1 + std::max(i, j)); }},
    Kind{"lazy-metropolis",
         [](double w, double i, double j, double) { return w / (1 + std::max(i, j)) / 2; }},
    Kind{"max-degree", [](double w, double, double, double max) { return w / (1 + max); }},
};

const Kind& kind_named(std::string_view name) {
  const auto kind = std::ranges::find(kinds, name, &Kind::name);
  if (kind == kinds.end())
    throw InputError("--mixing", fmt::format("'{}'", name), "a kind of weights, or file:PATH",
                     did_you_mean(name, mixing_kinds()));
  return *kind;
}

}  // namespace

void require_mixing(std::string_view mixing) {
  if (!mixing.starts_with(file_prefix)) kind_named(mixing);
}

const std::vector<std::string>& mixing_kinds() {
  static const auto names = [] {
    std::vector<std::string> all;
    all.reserve(std::size(kinds));
    for (const auto& kind : kinds) all.emplace_back(kind.name);
    return all;
  }();
  return names;
}

SparseRows weighted_laplacian(const Graph& graph, std::span<const double> edge_weights) {
  const Index n = graph.agents();
  SparseRows W(n, n);
  W.resizeNonZeros(2 * static_cast<Index>(graph.edges().size()) + n);
  int* const starts = W.outerIndexPtr();
  int* const columns = W.innerIndexPtr();
  double* const values = W.valuePtr();

  starts[0] = 0;
  for (Index i = 0; i < n; ++i) {
    int at = starts[i];
    const auto put = [&](Index column) { columns[at++] = static_cast<int>(column); };
    const auto neighbours = graph.neighbours(i);
    const auto higher = std::ranges::lower_bound(neighbours, i);
    std::for_each(neighbours.begin(), higher, put);
    put(i);
    std::for_each(higher, neighbours.end(), put);
    starts[i + 1] = at;
  }

  // Edges ascend by (a, b), so each row receives its values in column order; only the diagonal waits for its
  // sum.
  std::vector<int> next(starts, starts + n);
  const auto put = [&](Index row, double value) {
    if (columns[next[row]] == row) ++next[row];
    values[next[row]++] = value;
  };
  for (std::size_t e = 0; e < edge_weights.size(); ++e) {
    put(graph.edges()[e].a, -edge_weights[e]);
    put(graph.edges()[e].b, -edge_weights[e]);
  }
  const Vector degrees = weighted_degrees(graph, edge_weights);
  for (Index i = 0; i < n; ++i) W.coeffRef(i, i) = degrees[i];
  return W;
}

SparseRows mixing_weights(const Graph& graph, std::string_view name) {
  const Kind& kind = kind_named(name);
  std::vector<double> weights;
  weights.reserve(graph.edges().size());
  for (const auto& edge : graph.edges()) weights.push_back(edge.weight);
  const Vector degrees = weighted_degrees(graph, weights);
  require_finite_degrees(degrees, weights);
  const double max_degree = degrees.maxCoeff();
  for (std::size_t e = 0; e < weights.size(); ++e) {
    const auto& [a, b, w] = graph.edges()[e];
    weights[e] = kind.weight(w, degrees[a], degrees[b], max_degree);
  }
  return weighted_laplacian(graph, weights);
}

}  // namespace ideal
