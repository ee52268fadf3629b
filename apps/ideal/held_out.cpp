// SPDX-License-Identifier: Apache-2.0
#include "held_out.hpp"

#include <cmath>

namespace ideal::cli {
namespace {

/// Features times C, where x is C row by row: one column a class.
Block scores(const Dataset& data, VectorRef x) {
  const Index classes = x.size() / data.columns();
  const Eigen::Map<const DenseRows> C(x.data(), data.columns(), classes);
  return std::visit([&](const auto& A) { return Block(A * C); }, data.features);
}

bool right(const Block& scores, Index row, double label, LossKind loss) {
  if (is_binary(loss)) return label * scores(row, 0) > 0;
  Index best = 0;
  scores.row(row).maxCoeff(&best);
  return static_cast<double>(best) == label;
}

}  // namespace

double held_out_score(const Dataset& data, LossKind loss, VectorRef x) {
  const Block predicted = scores(data, x);
  const auto rows = static_cast<double>(data.rows());
  if (is_regression(loss)) return std::sqrt((predicted.col(0) - data.labels).squaredNorm() / rows);
  Index count = 0;
  for (Index row = 0; row < data.rows(); ++row)
    count += right(predicted, row, data.labels[row], loss) ? 1 : 0;
  return static_cast<double>(count) / rows;
}

}  // namespace ideal::cli
