// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/data.hpp>

#include <span>

namespace ideal::data {

/// Row k becomes the old row order[k], a permutation. Dense features move in place, with room for a single
/// row.
void reorder_rows(Dataset& data, std::span<const Index> order);

/// Drops every row not in `kept`, which ascends.
void keep_rows(Dataset& data, std::span<const Index> kept);

}  // namespace ideal::data
