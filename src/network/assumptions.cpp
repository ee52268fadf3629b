// SPDX-License-Identifier: Apache-2.0
#include "network/assumptions.hpp"

#include <ideal/error.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace ideal {
namespace {

// Visit(row, column, value) for every stored entry.
template <class Visit>
void for_each_entry(const SparseRows& W, Visit visit) {
  for (Index row = 0; row < W.rows(); ++row)
    for (SparseRows::InnerIterator entry(W, row); entry; ++entry) visit(row, entry.col(), entry.value());
}

}  // namespace

double largest_entry(const SparseRows& W) {
  double largest = 0;
  for_each_entry(W, [&](Index, Index, double value) { largest = std::max(largest, std::abs(value)); });
  return largest;
}

double rounding_tolerance(const SparseRows& W) { return 1e-9 * largest_entry(W); }

void require_square(const SparseRows& W, std::string_view place) {
  if (W.rows() != W.cols())
    throw InputError(place, fmt::format("{} x {}", W.rows(), W.cols()), "W must be square",
                     "Give one row and one column per agent.");
}

void require_finite(const SparseRows& W, std::string_view place) {
  for_each_entry(W, [&](Index i, Index j, double value) {
    if (!std::isfinite(value))
      throw InputError(place, fmt::format("W({}, {}) = {}", i, j, value), "entries must be finite",
                       "Correct the entry.");
  });
}

void require_symmetric(const SparseRows& W, std::string_view place) {
  const SparseRows transposed = W.transpose();
  const SparseRows difference = W - transposed;
  const double tolerance = rounding_tolerance(W);
  for_each_entry(difference, [&](Index i, Index j, double value) {
    if (std::abs(value) > tolerance)
      throw InputError(
          place, fmt::format("W({0}, {1}) = {2} but W({1}, {0}) = {3}", i, j, W.coeff(i, j), W.coeff(j, i)),
          "W must be symmetric", "Make the two equal, to all digits.");
  });
}

void require_on_graph(const SparseRows& W, const Graph& graph, std::string_view place) {
  const double tolerance = rounding_tolerance(W);
  for_each_entry(W, [&](Index i, Index j, double value) {
    if (i != j && std::abs(value) > tolerance && !graph.adjacent(i, j))
      throw InputError(place, fmt::format("W({}, {}) = {}", i, j, value),
                       "W must be zero where the graph has no edge",
                       "Set it to 0, or add the edge to the graph.");
  });
}

void require_zero_row_sums(const SparseRows& W, std::string_view place) {
  const double tolerance = rounding_tolerance(W);
  const Vector sums = W * Vector::Ones(W.cols());
  for (Index row = 0; row < W.rows(); ++row)
    if (std::abs(sums[row]) > tolerance)
      throw InputError(place, fmt::format("row {} sums to {}", row, sums[row]),
                       "ker W must contain the ones vector",
                       "Make every row sum to 0; a doubly stochastic M becomes W = I - M.");
}

}  // namespace ideal
