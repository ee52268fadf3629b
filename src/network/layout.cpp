// SPDX-License-Identifier: Apache-2.0
#include "network/layout.hpp"

#include "core/symmetric.hpp"

#include <algorithm>
#include <numbers>
#include <vector>

namespace ideal {
namespace {

constexpr Index stress_limit = 1500;  // agents; beyond, all-pairs distances cost too much for a picture
constexpr Index most_pivots = 60;
constexpr int stress_sweeps = 80;

Eigen::Vector2d direction(double angle) { return {std::cos(angle), std::sin(angle)}; }

Eigen::Matrix2Xd circle(Index n) {
  Eigen::Matrix2Xd places(2, n);
  for (Index i = 0; i < n; ++i)
    places.col(i) = direction(2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(n) -
                              std::numbers::pi / 2);
  return places;
}

// Hops from `source`; agents it cannot reach stand one hop beyond the farthest.
Vector distances_from(const Graph& graph, Index source) {
  const auto hops = graph.hops_from(source);
  const Index beyond = *std::ranges::max_element(hops) + 1;
  Vector distances(graph.agents());
  for (Index i = 0; i < graph.agents(); ++i)
    distances[i] = static_cast<double>(hops[i] < 0 ? beyond : hops[i]);
  return distances;
}

// Columns: the distances from pivots, each the agent farthest from those before it.
Eigen::MatrixXd pivot_distances(const Graph& graph) {
  Eigen::MatrixXd distances(graph.agents(), std::min(graph.agents(), most_pivots));
  Vector nearest_pivot = Vector::Constant(graph.agents(), std::numeric_limits<double>::infinity());
  Index pivot = 0;
  for (Index p = 0; p < distances.cols(); ++p) {
    distances.col(p) = distances_from(graph, pivot);
    nearest_pivot = nearest_pivot.cwiseMin(distances.col(p));
    nearest_pivot.maxCoeff(&pivot);
  }
  return distances;
}

// Pivot MDS (Brandes & Pich 2007): the two principal directions of the doubly centred squared distances.
Eigen::Matrix2Xd pivot_mds(const Graph& graph) {
  Eigen::MatrixXd C = -0.5 * pivot_distances(graph).array().square();
  C.colwise() -= C.rowwise().mean().eval();
  C.rowwise() -= C.colwise().mean().eval();
  const Block directions = symmetric_eigen(C.transpose() * C).vectors;
  return (C * directions.rightCols(std::min<Index>(2, C.cols()))).transpose();
}

// Agents alike in their distances (leaves of a star) would coincide for ever: a spiral of small steps tells
// them apart.
void separate(Eigen::Matrix2Xd& places) {
  constexpr double golden_angle = 2.399963229728653;
  const double step = 1e-3 * std::max(places.cwiseAbs().maxCoeff(), 1e-9);
  for (Index i = 0; i < places.cols(); ++i)
    places.col(i) += step * (1 + static_cast<double>(i) / static_cast<double>(places.cols())) *
                     direction(golden_angle * static_cast<double>(i));
}

Eigen::MatrixXf all_distances(const Graph& graph) {
  Eigen::MatrixXf distances(graph.agents(), graph.agents());
  for (Index i = 0; i < graph.agents(); ++i) distances.col(i) = distances_from(graph, i).cast<float>();
  return distances;
}

// Where the others want agent i: each at its own distance, the far ones less firmly (weights 1 / distance^2).
Eigen::Vector2d wanted_place(Index i, const Eigen::Matrix2Xd& places, const Eigen::MatrixXf& distances) {
  Eigen::Vector2d sum = Eigen::Vector2d::Zero();
  double weights = 0;
  for (Index j = 0; j < places.cols(); ++j) {
    if (j == i) continue;
    const double distance = distances(j, i);
    const Eigen::Vector2d away = places.col(i) - places.col(j);
    const double weight = 1 / (distance * distance);
    sum += weight * (places.col(j) + away * (distance / std::max(away.norm(), 1e-12)));
    weights += weight;
  }
  return sum / weights;
}

// Stress majorisation, one agent at a time (Gansner, Koren & North 2004).
void reduce_stress(Eigen::Matrix2Xd& places, const Graph& graph) {
  const Eigen::MatrixXf distances = all_distances(graph);
  const double extent = std::max(places.colwise().norm().maxCoeff(), 1e-12);
  places *= 0.5 * static_cast<double>(distances.maxCoeff()) / extent;
  for (int sweep = 0; sweep < stress_sweeps; ++sweep)
    for (Index i = 0; i < places.cols(); ++i) places.col(i) = wanted_place(i, places, distances);
}

void fit_into_square(Eigen::Matrix2Xd& places) {
  const Eigen::Vector2d low = places.rowwise().minCoeff(), high = places.rowwise().maxCoeff();
  places.colwise() -= Eigen::Vector2d((low + high) / 2);
  places *= 2 / std::max((high - low).maxCoeff(), 1e-12);
}

bool is_dense(const Graph& graph) {
  const auto n = static_cast<double>(graph.agents());
  return static_cast<double>(graph.edges().size()) > 0.25 * n * (n - 1);
}

}  // namespace

Eigen::Matrix2Xd layout(const Graph& graph) {
  if (graph.agents() <= 3 || is_dense(graph)) return circle(graph.agents());
  Eigen::Matrix2Xd places = pivot_mds(graph);
  separate(places);
  if (graph.agents() <= stress_limit) reduce_stress(places, graph);
  fit_into_square(places);
  return places;
}

}  // namespace ideal
