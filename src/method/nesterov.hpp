// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

namespace ideal {

/// Nesterov's momentum for condition number kappa.
inline double nest(double kappa) {
  const double root = std::sqrt(kappa);
  return (root - 1) / (root + 1);
}

}  // namespace ideal
