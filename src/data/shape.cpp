// SPDX-License-Identifier: Apache-2.0
#include "data/rows.hpp"

#include <ideal/data.hpp>
#include <ideal/error.hpp>

#include <cmath>
#include <set>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ideal {
namespace {

constexpr std::string_view classes_place = "--classes";

std::string labels_of(const Dataset& data) {
  constexpr std::size_t most = 20;
  const std::set<double> labels(data.labels.begin(), data.labels.end());
  if (labels.size() > most) return fmt::format("The data have {} different labels.", labels.size());
  return fmt::format("The data have {}.", fmt::join(labels, ", "));
}

void check_label(const Dataset& data, double label) {
  if ((data.labels.array() == label).any()) return;
  throw InputError(classes_place, fmt::format("no row labelled {}", label), "both classes occur in the data",
                   labels_of(data));
}

/// Scales a row to length one. Summed in order, so that a row's bits do not depend on where it lies in
/// memory; scaled by its largest entry first, so that a row of 1e200 keeps its direction.
void normalize(Eigen::Map<Vector> row) {
  const double largest = row.size() == 0 ? 0 : row.cwiseAbs().maxCoeff();
  if (!(largest > 0)) return;
  double squares = 0;
  for (const double value : row) squares += (value / largest) * (value / largest);
  row /= largest * std::sqrt(squares);
}

void normalize(DenseRows& matrix) {
  for (Index row = 0; row < matrix.rows(); ++row)
    normalize(Eigen::Map<Vector>(matrix.data() + row * matrix.cols(), matrix.cols()));
}

void normalize(SparseRows& matrix) {
  matrix.makeCompressed();
  for (Index row = 0; row < matrix.rows(); ++row) {
    const Index first = matrix.outerIndexPtr()[row];
    normalize(Eigen::Map<Vector>(matrix.valuePtr() + first, matrix.outerIndexPtr()[row + 1] - first));
  }
}

}  // namespace

void keep_classes(Dataset& data, double first, double second, bool both) {
  if (first == second)
    throw InputError(classes_place, fmt::format("{} twice", first), "two different classes are told apart",
                     labels_of(data));
  if (both) {
    check_label(data, first);
    check_label(data, second);
  }
  std::vector<Index> kept;
  for (Index row = 0; row < data.rows(); ++row)
    if (data.labels[row] == first || data.labels[row] == second) kept.push_back(row);
  data::keep_rows(data, kept);
  for (double& label : data.labels) label = label == first ? -1 : 1;
}

void normalize_rows(Dataset& data) {
  std::visit([](auto& matrix) { normalize(matrix); }, data.features);
}

}  // namespace ideal
