// SPDX-License-Identifier: Apache-2.0
#include "network/weights.hpp"

#include <ideal/error.hpp>
#include <ideal/weights.hpp>

#include <algorithm>
#include <array>
#include <utility>

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

// ---- the kinds: weights of all edges, and what divides their W once its spectrum is known -----------------

struct EdgeWeights {
  std::vector<double> values;
  std::optional<double> gap;
};

/// w_ij of the edge (i, j) from its own weight w, the degrees of its ends and the largest degree.
template <double weight(double w, double degree_i, double degree_j, double max_degree)>
EdgeWeights by_degrees(const Graph& graph, const Progress&) {
  std::vector<double> weights = own_weights(graph);
  const Vector degrees = weighted_degrees(graph, weights);
  require_finite_degrees(degrees, weights);
  const double max_degree = degrees.maxCoeff();
  for (std::size_t e = 0; e < weights.size(); ++e) {
    const auto& [a, b, w] = graph.edges()[e];
    weights[e] = weight(w, degrees[a], degrees[b], max_degree);
  }
  return {std::move(weights), {}};
}

double itself(double w, double, double, double) { return w; }
double metropolis(double w, double i, double j, double) { return w / (1 + std::max(i, j)); }
double lazy_metropolis(double w, double i, double j, double) { return w / (1 + std::max(i, j)) / 2; }
double over_largest_degree(double w, double, double, double max) { return w / (1 + max); }

/// The share of the current between an edge's ends that the edge itself carries; on an unweighted graph its
/// resistance.
EdgeWeights by_resistance(const Graph& graph, const Progress& progress) {
  if (progress) progress(fmt::format("resistances of {} edges", graph.edges().size()));
  std::vector<double> weights = own_weights(graph);
  require_finite_degrees(weighted_degrees(graph, weights), weights);
  const Vector resistances = effective_resistances(graph);
  for (std::size_t e = 0; e < weights.size(); ++e) weights[e] *= resistances[static_cast<Index>(e)];
  return {std::move(weights), {}};
}

template <OptimalWeights solve(const Graph&, const Progress&)>
EdgeWeights by_optimisation(const Graph& graph, const Progress& progress) {
  const OptimalWeights optimum = solve(graph, progress);
  return {{optimum.weights.begin(), optimum.weights.end()}, optimum.gap()};
}

double one(const Spectrum&) { return 1; }
double largest_eigenvalue(const Spectrum& spectrum) { return spectrum.lambda_max; }
double middle_of_spectrum(const Spectrum& spectrum) {
  return (spectrum.lambda_min + spectrum.lambda_max) / 2;
}

struct Kind {
  std::string_view name;
  EdgeWeights (*weights)(const Graph& graph, const Progress& progress);
  double (*divisor)(const Spectrum& spectrum);
};

constexpr std::array kinds{
    Kind{"laplacian", by_degrees<itself>, one},
    Kind{"laplacian-normalized", by_degrees<itself>, largest_eigenvalue},
    Kind{"best-constant", by_degrees<itself>, middle_of_spectrum},
    Kind{"metropolis", by_degrees<metropolis>, one},
    Kind{"lazy-metropolis", by_degrees<lazy_metropolis>, one},
    Kind{"max-degree", by_degrees<over_largest_degree>, one},
    Kind{"resistance", by_resistance, one},
    Kind{"fdla", by_optimisation<fastest_weights>, one},
    Kind{"lmsd", by_optimisation<least_deviation_weights>, one},
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

std::vector<double> own_weights(const Graph& graph) {
  std::vector<double> weights;
  weights.reserve(graph.edges().size());
  for (const auto& edge : graph.edges()) weights.push_back(edge.weight);
  return weights;
}

MixingWeights mixing_weights(const Graph& graph, std::string_view name, const Progress& progress) {
  const EdgeWeights weights = kind_named(name).weights(graph, progress);
  MixingWeights mixing{.W = {}, .gap = weights.gap};
  mixing.W = weighted_laplacian(graph, weights.values);
  return mixing;
}

double divisor_of(std::string_view kind, const Spectrum& undivided) {
  return kind_named(kind).divisor(undivided);
}

}  // namespace ideal
