// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/topology.hpp>

#include <string_view>

/// The assumptions on a mixing matrix that can be read off its entries. Each throws InputError at `place`,
/// naming the entry. Differences up to 1e-9 max|W| pass as rounding.
namespace ideal {

void require_square(const SparseRows& W, std::string_view place);
void require_finite(const SparseRows& W, std::string_view place);
void require_symmetric(const SparseRows& W, std::string_view place);
void require_on_graph(const SparseRows& W, const Graph& graph, std::string_view place);
void require_zero_row_sums(const SparseRows& W, std::string_view place);

double largest_entry(const SparseRows& W);       ///< max |W_ij|
double rounding_tolerance(const SparseRows& W);  ///< 1e-9 max|W|

}  // namespace ideal
