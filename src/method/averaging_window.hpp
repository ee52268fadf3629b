// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/links.hpp>

#include <vector>

namespace ideal {

/// What is left in mean square, after some steps, of what agents differ by: S_k = E[(P ... P_k)' (P ... P_k)]
/// less the mean, for a window that begins with step k of the period.
class AveragingWindow {
 public:
  AveragingWindow(const LinkSequence& links, double s);

  /// One step longer; returns the share that the worst window leaves.
  double longer();

  /// The most steps that are tried.
  static double longest(const LinkSequence& links) {
    return 24 + 8 * static_cast<double>(links.in_turn().size());
  }

 private:
  [[nodiscard]] Block expected(const SparseRows& M, const Block& S) const;

  const LinkSequence& links_;
  double s_, a_;
  std::vector<Block> S_;
};

}  // namespace ideal
