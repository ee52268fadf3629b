// SPDX-License-Identifier: Apache-2.0
#include "network/assumptions.hpp"
#include "network/connected.hpp"
#include "network/spectrum.hpp"
#include "network/weights.hpp"

#include <ideal/error.hpp>
#include <ideal/topology.hpp>

#include <algorithm>
#include <cassert>
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

// ---- links of networks that change or are directed
// ---------------------------------------------------------

Links links_of(SparseRows M) {
  Links links{std::move(M), {}};
  links.listeners.assign(static_cast<std::size_t>(links.M.rows()), 0);
  for (Index to = 0; to < links.M.rows(); ++to)
    for (SparseRows::InnerIterator entry(links.M, to); entry; ++entry)
      if (entry.col() != to) ++links.listeners[static_cast<std::size_t>(entry.col())];
  return links;
}

/// I - C for the C that gives each listener, and the sender itself, the same share of what the sender has.
Links pushing(Index agents, const std::vector<Arc>& arcs) {
  std::vector<double> share(static_cast<std::size_t>(agents), 1);
  for (const Arc& arc : arcs) ++share[static_cast<std::size_t>(arc.from)];
  for (double& s : share) s = 1 / s;
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(share.size() + arcs.size());
  for (Index i = 0; i < agents; ++i) entries.emplace_back(i, i, 1 - share[static_cast<std::size_t>(i)]);
  for (const auto& [from, to] : arcs) entries.emplace_back(to, from, -share[static_cast<std::size_t>(from)]);
  SparseRows M(agents, agents);
  M.setFromTriplets(entries.begin(), entries.end());
  return links_of(std::move(M));
}

struct Averager {
  Links links;
  double lambda_max;
};

Graph subgraph_of(const Graph& graph, const std::vector<Index>& component) {
  const auto number_of = [&](Index agent) {
    return std::ranges::lower_bound(component, agent) - component.begin();
  };
  std::vector<Graph::Edge> edges;
  for (const auto& [a, b, weight] : graph.edges())
    if (std::ranges::binary_search(component, a)) edges.push_back({number_of(a), number_of(b), weight});
  return {std::ssize(component), std::move(edges)};
}

/// W of a graph that need not be connected: each component by itself, as its agents know of no other.
Averager by_components(const Graph& graph, std::string_view kind, const Progress& progress) {
  std::vector<Eigen::Triplet<double>> entries;
  double lambda_max = 0;
  for (const auto& component : graph.components()) {
    if (component.size() == 1) {
      entries.emplace_back(component[0], component[0], 0);
      continue;
    }
    const Topology topology = Topology::make(subgraph_of(graph, component), kind, progress);
    lambda_max = std::max(lambda_max, topology.spectrum().lambda_max);
    for (Index i = 0; i < topology.agents(); ++i)
      for (SparseRows::InnerIterator entry(topology.weights(), i); entry; ++entry)
        entries.emplace_back(component[i], component[entry.col()], entry.value());
  }
  const Index agents = graph.agents();
  assert(agents > 0);
  SparseRows W(agents, agents);
  W.setFromTriplets(entries.begin(), entries.end());
  return {links_of(std::move(W)), lambda_max};
}

void require_default_mixing(std::string_view mixing) {
  if (mixing != mixing_kinds().front())
    throw InputError("--mixing", fmt::format("'{}' on a directed graph", mixing),
                     "an agent of a directed graph shares evenly among itself and its listeners",
                     "Leave --mixing out.");
}

void require_kind(std::string_view mixing) {
  if (mixing.starts_with(file_prefix))
    throw InputError("--mixing", fmt::format("'{}' for several graphs", mixing), "a file has one matrix",
                     "Name a kind of weights, which is applied to each graph.");
}

void require_no_negative_weights(const std::vector<Links>& in_turn) {
  for (const Links& links : in_turn)
    for (Index i = 0; i < links.M.rows(); ++i)
      for (SparseRows::InnerIterator entry(links.M, i); entry; ++entry)
        if (entry.col() != i && entry.value() > 0)
          throw InputError("--mixing",
                           fmt::format("edge ({}, {}) of weight {}", i, entry.col(), -entry.value()),
                           "edges that sleep need weights >= 0: what is left must still average",
                           "Use --mixing metropolis.");
}

/// The diameter, or where that takes too long to find twice the distance from one agent to the farthest,
/// which is no less.
Index rounds_to_reach_all(const Graph& graph) {
  constexpr Index exact_limit = 2000;
  if (graph.agents() <= exact_limit) return graph.diameter(exact_limit).hops;
  return std::min(graph.agents() - 1, 2 * std::ranges::max(graph.hops_from(0)));
}

/// Each agent in turn takes the first colour that no neighbour has.
std::vector<Index> colours_of(const Graph& graph) {
  constexpr Index none = -1;
  std::vector<Index> colours(static_cast<std::size_t>(graph.agents()), none);
  std::vector<bool> taken;
  for (Index i = 0; i < graph.agents(); ++i) {
    taken.assign(static_cast<std::size_t>(graph.degree(i)) + 1, false);
    for (const Index j : graph.neighbours(i))
      if (const Index c = colours[static_cast<std::size_t>(j)]; c != none && c < std::ssize(taken))
        taken[static_cast<std::size_t>(c)] = true;
    colours[static_cast<std::size_t>(i)] = std::ranges::find(taken, false) - taken.begin();
  }
  return colours;
}

}  // namespace

Index Topology::reach() const {
  std::call_once(found_out_->reach_found, [this] { found_out_->reach = rounds_to_reach_all(graph_); });
  return found_out_->reach;
}

const Neighbourhood& Topology::neighbourhood() const {
  std::call_once(found_out_->neighbourhood_found, [this] {
    Neighbourhood& all = found_out_->neighbourhood;
    all.diagonal = weights_.diagonal();
    all.least = all.diagonal.minCoeff();
    all.most = all.diagonal.maxCoeff();
    all.colours = colours_of(graph_);
    all.colour_count = 1 + std::ranges::max(all.colours);
  });
  return found_out_->neighbourhood;
}

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

Topology Topology::fixed(Graph graph, std::string_view mixing, const Progress& progress) {
  if (!mixing.starts_with(file_prefix)) return make(std::move(graph), mixing, progress);
  const auto path = mixing.substr(file_prefix.size());
  return on_graph(read_matrix(path), std::move(graph), path, progress);
}

Topology Topology::of_sequence(const GraphSequence& graphs, std::vector<Links> in_turn, double lambda_max) {
  SparseRows mean = in_turn.front().M;
  for (std::size_t k = 1; k < in_turn.size(); ++k) mean += in_turn[k].M;
  mean /= static_cast<double>(in_turn.size());
  auto sequence = std::make_shared<const LinkSequence>(std::move(in_turn), graphs.is_directed(),
                                                       graphs.probability(), graphs.seed());
  Spectrum spectrum{.lambda_max = lambda_max};
  const Averaging averaging = sequence->measured(spectrum.averaging_scale());
  spectrum.lambda_min = (1 - averaging.factor) / spectrum.averaging_scale();
  Topology topology(graphs.joined(), std::move(mean), spectrum);
  topology.sequence_ = std::move(sequence);
  topology.averaging_ = averaging;
  return topology;
}

Topology Topology::parse(std::string_view graph, std::string_view mixing, std::uint64_t seed,
                         const Progress& progress) {
  require_mixing(mixing);
  return parse(GraphSequence::parse(graph, seed), mixing, progress);
}

Topology Topology::parse(const GraphSequence& graphs, std::string_view mixing, const Progress& progress) {
  if (graphs.is_directed()) {
    require_default_mixing(mixing);
    std::vector<Links> in_turn;
    for (const auto& arcs : graphs.arcs()) in_turn.push_back(pushing(graphs.agents(), arcs));
    constexpr double nothing_real = 1;  // M has complex eigenvalues; I - M pushes as it is
    return of_sequence(graphs, std::move(in_turn), nothing_real);
  }
  if (!graphs.changes()) return fixed(graphs.joined(), mixing, progress);

  std::vector<Links> in_turn;
  double lambda_max = 0;
  const auto add = [&](Averager averager) {
    lambda_max = std::max(lambda_max, averager.lambda_max);
    in_turn.push_back(std::move(averager.links));
  };
  if (graphs.graphs().size() == 1) {
    const Topology always = fixed(graphs.joined(), mixing, progress);
    add({links_of(always.weights()), always.spectrum().lambda_max});
  } else {
    require_kind(mixing);
    for (const Graph& graph : graphs.graphs()) add(by_components(graph, mixing, progress));
  }
  if (graphs.probability() < 1) require_no_negative_weights(in_turn);
  return of_sequence(graphs, std::move(in_turn), lambda_max);
}

}  // namespace ideal
