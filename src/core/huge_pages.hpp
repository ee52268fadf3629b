// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/block.hpp>

#include <cstddef>

namespace ideal {

constexpr std::size_t huge_page = 2 << 20;

/// Asks for large pages behind memory that is about to be filled for the first time: it is handed out several
/// times as fast, and read faster in order, up to 1.5 times. Where the system has none, nothing changes.
void prefer_huge_pages(void* memory, std::size_t bytes);

/// The same for a matrix that has got its memory a moment ago.
template <class Matrix>
void prefer_huge_pages(Eigen::PlainObjectBase<Matrix>& matrix) {
  prefer_huge_pages(matrix.data(), static_cast<std::size_t>(matrix.size()) * sizeof(*matrix.data()));
}

}  // namespace ideal
