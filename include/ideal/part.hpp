// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/block.hpp>

#include <cassert>

namespace ideal {

/// A stretch of entries, the same in every block of one shape: own(B) is that part of B. A dozen of them fit
/// into a core's first cache, so that several statements on one part cost one way to memory and back.
class Own {
 public:
  static constexpr Index most = 256;  ///< entries; a multiple of what Block is aligned to

  /// Part number `index` of blocks with `size` entries.
  Own(Index index, Index size)
      : first_(index * most), count_(size - first_ < most ? size - first_ : most), size_(size) {}
  static Index parts(Index size) { return (size + most - 1) / most; }
  [[nodiscard]] Index first() const { return first_; }
  [[nodiscard]] Index count() const { return count_; }

  auto operator()(Block& B) const {
    assert(B.size() == size_);
    return Eigen::Map<Vector, Eigen::AlignedMax>(B.data() + first_, count_);
  }
  auto operator()(const Block& B) const {
    assert(B.size() == size_);
    return Eigen::Map<const Vector, Eigen::AlignedMax>(B.data() + first_, count_);
  }

 private:
  Index first_, count_, size_;
};

/// A value of one part that nobody needs afterwards: it lives in the cache, not in a block.
using Part = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, Own::most, 1>;

}  // namespace ideal
