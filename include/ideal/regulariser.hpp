// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/data.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ideal {

/// r(x) = l1 |x|_1 for x with all entries in [low, high], else infinite. Every agent has the same r, and
/// sum_i f_i(x) + r(x) is minimised: n times a mean loss plus r. It enters methods by its proximal step.
struct Regulariser {
  double l1 = 0;
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();

  [[nodiscard]] bool none() const {
    return l1 == 0 && !(low > -std::numeric_limits<double>::infinity()) &&
           !(high < std::numeric_limits<double>::infinity());
  }

  [[nodiscard]] double value(VectorRef x) const {
    const bool inside = (x.array() >= low).all() && (x.array() <= high).all();
    return inside || x.hasNaN() ? (l1 > 0 ? l1 * x.lpNorm<1>() : 0) : std::numeric_limits<double>::infinity();
  }

  /// argmin_x step r(x) + (x - v)^2 / 2 of one entry.
  [[nodiscard]] double prox(double v, double step) const {
    const double threshold = step * l1;
    return project(std::abs(v) <= threshold ? 0 : v - std::copysign(threshold, v));
  }

  [[nodiscard]] double project(double v) const { return std::clamp(v, low, high); }

  /// Whether r has a kink at this entry.
  [[nodiscard]] bool kink(double x) const { return (l1 > 0 && x == 0) || x <= low || x >= high; }

  /// The smallest of all slopes of f + r at an entry x where f has slope g: 0 where x is optimal.
  [[nodiscard]] double slope(double x, double g) const {
    const double least = x <= low ? -std::numeric_limits<double>::infinity() : x > 0 ? l1 : -l1;
    const double most = x >= high ? std::numeric_limits<double>::infinity() : x < 0 ? -l1 : l1;
    return g + std::clamp(-g, least, most);
  }

  /// That of n agents together.
  [[nodiscard]] Regulariser times(double n) const { return {n * l1, low, high}; }
};

}  // namespace ideal
