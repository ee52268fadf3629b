// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

namespace ideal {

/// The numbers of the method of similar triangles (Gasnikov, Nesterov 2018) for an L-smooth, mu-strongly
/// convex function, mu >= 0:
///
///   L alpha+^2 = A+ (1 + mu A),  A+ = A + alpha+,  A = 0 at the start
///   Y  = (alpha+ U + A X) / A+
///   U+ = ((1 + mu A) U + alpha+ (mu Y - g(Y))) / (1 + mu A+)
///   X+ = (alpha+ U+ + A X) / A+
///
/// A grows like a power of the condition number's; what is kept is 1/A, which vanishes instead.
struct SimilarTriangles {
  double L, mu;
  double inverse = 0;  ///< 1 / A+
  double theta = 1;    ///< alpha+ / A+

  /// The numbers of step k = 0, 1, ...
  void advance(bool first) {
    if (first) {
      theta = 1;
      inverse = L;
      return;
    }
    const double ratio = (inverse + mu) / L;  // = theta^2 / (1 - theta)
    theta = 2 * ratio / (ratio + std::sqrt(ratio * ratio + 4 * ratio));
    inverse *= 1 - theta;
  }

  /// U+ = stays U + pulls (mu Y - g(Y)).
  [[nodiscard]] double stays() const { return (inverse + (1 - theta) * mu) / (inverse + mu); }
  [[nodiscard]] double pulls() const { return theta / (inverse + mu); }
};

}  // namespace ideal
