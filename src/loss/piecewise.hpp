// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/loss.hpp>

namespace ideal {

/// A loss whose gradient is the sum of its pieces', one after the other: whether one thread computes them or
/// many, the sum is the same.
class PiecewiseLoss : public Loss {
 public:
  explicit PiecewiseLoss(Index pieces) : pieces_(pieces) {}

  Index pieces() const final { return pieces_; }
  void gradient(VectorRef x, VectorOut g) const override {
    add_pieces(g, [&](Index piece, VectorOut part) { piece_gradient(piece, x, part); });
  }
  void piece_gradient(Index piece, VectorRef x, VectorOut g) const override = 0;

 protected:
  /// g = the sum of what compute(piece, part) writes to part.
  template <class Compute>
  void add_pieces(VectorOut g, Compute compute) const {
    compute(0, g);
    if (pieces_ == 1) return;  // nearly always: spares the look whether this thread has a `part` already
    thread_local Vector part;
    for (Index piece = 1; piece < pieces_; ++piece) {
      part.resize(g.size());
      compute(piece, part);
      g += part;
    }
  }

 private:
  Index pieces_;
};

}  // namespace ideal
