// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "method/gossip.hpp"

namespace ideal {

/// W_p = I - s W, for methods whose step is at most the smallest eigenvalue of the averaging matrix over L:
/// W_DS, or (I + W_DS)/2 where that has an eigenvalue below 1/2.
struct LazyAveraging {
  explicit LazyAveraging(const Spectrum& W) : s(doubly_stochastic_scale(W)) {
    if (1 - s * W.lambda_max < 0.5) s /= 2;
    smallest = 1 - s * W.lambda_max;
  }
  double s;
  double smallest;  ///< eigenvalue of W_p
};

}  // namespace ideal
