// SPDX-License-Identifier: Apache-2.0
#include <ideal/data.hpp>

namespace ideal {

Index Dataset::columns() const {
  return std::visit([](const auto& matrix) { return static_cast<Index>(matrix.cols()); }, features);
}

Index Dataset::nonzeros() const {
  if (const auto* dense = std::get_if<DenseRows>(&features)) return (dense->array() != 0).count();
  return std::get<SparseRows>(features).nonZeros();
}

}  // namespace ideal
