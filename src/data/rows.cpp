// SPDX-License-Identifier: Apache-2.0
#include "data/rows.hpp"

#include <utility>
#include <vector>

namespace ideal::data {
namespace {

Index count(std::span<const Index> rows) { return static_cast<Index>(rows.size()); }

// Follows each cycle of the permutation: its first row is put aside, every hole takes the row that belongs
// there.
void permute(DenseRows& matrix, std::span<const Index> order) {
  std::vector<bool> placed(order.size(), false);
  Eigen::RowVectorXd aside(matrix.cols());
  for (Index start = 0; start < count(order); ++start) {
    if (placed[start] || order[start] == start) continue;
    aside = matrix.row(start);
    Index hole = start;
    for (; order[hole] != start; hole = order[hole]) {
      matrix.row(hole) = matrix.row(order[hole]);
      placed[hole] = true;
    }
    matrix.row(hole) = aside;
    placed[hole] = true;
  }
}

SparseRows taken(const SparseRows& matrix, std::span<const Index> rows) {
  SparseRows result(count(rows), matrix.cols());
  Index size = 0;
  for (const Index row : rows) size += matrix.innerVector(row).nonZeros();
  result.reserve(size);
  for (Index row = 0; row < count(rows); ++row) {
    result.startVec(row);
    for (SparseRows::InnerIterator entry(matrix, rows[row]); entry; ++entry)
      result.insertBack(row, entry.col()) = entry.value();
  }
  result.finalize();
  return result;
}

/// Swapped in, as Eigen copies what is moved.
void replace(SparseRows& matrix, std::span<const Index> rows) {
  SparseRows result = taken(matrix, rows);
  matrix.swap(result);
}

}  // namespace

void reorder_rows(Dataset& data, std::span<const Index> order) {
  if (auto* dense = std::get_if<DenseRows>(&data.features))
    permute(*dense, order);
  else
    replace(std::get<SparseRows>(data.features), order);
  Vector labels(data.rows());
  for (Index row = 0; row < count(order); ++row) labels[row] = data.labels[order[row]];
  data.labels = std::move(labels);
}

void keep_rows(Dataset& data, std::span<const Index> kept) {
  if (auto* dense = std::get_if<DenseRows>(&data.features)) {
    for (Index row = 0; row < count(kept); ++row)
      if (row != kept[row]) dense->row(row) = dense->row(kept[row]);
    dense->conservativeResize(count(kept), Eigen::NoChange);
  } else {
    replace(std::get<SparseRows>(data.features), kept);
  }
  for (Index row = 0; row < count(kept); ++row) data.labels[row] = data.labels[kept[row]];
  data.labels.conservativeResize(count(kept));
}

}  // namespace ideal::data
