// SPDX-License-Identifier: Apache-2.0
#include "loss/proximal_newton.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Cholesky>

namespace ideal {

namespace {

constexpr Index cholesky_limit = 400;  // above, assembling the Hessian costs more than the products CG needs
constexpr Index kinked_limit = 3000;   // such few rows bend that it costs little, and CG would not end
constexpr int max_steps = 200;
constexpr double eps = std::numeric_limits<double>::epsilon();

Vector cholesky_direction(const Loss& f, const Vector& x, const Vector& g) {
  Block H = Block::Zero(x.size(), x.size());
  f.add_hessian(x, H);
  return -H.selfadjointView<Eigen::Lower>().ldlt().solve(g);
}

/// Solves H p = -g by conjugate gradients until the residual is `forcing` times |g|.
Vector conjugate_gradient_direction(const Loss& f, const Vector& x, const Vector& g, double forcing) {
  Vector p = Vector::Zero(x.size()), residual = -g, direction = residual, Hd(x.size());
  double rr = residual.squaredNorm();
  const double target = forcing * forcing * rr;
  const Index limit = 10 * x.size() + 1000;
  for (Index k = 0; k < limit && rr > target; ++k) {
    f.hessian_vector(x, direction, Hd);
    const double alpha = rr / direction.dot(Hd);
    if (!std::isfinite(alpha)) break;
    p += alpha * direction;
    residual -= alpha * Hd;
    const double rr_next = residual.squaredNorm();
    direction = residual + (rr_next / rr) * direction;
    rr = rr_next;
  }
  return p;
}

/// How far along p a convex f is least: its slope, negative at first, changes sign there. The chord of the
/// two ends' slopes, with bisection where it does not shrink the bracket enough. `g` becomes the gradient
/// there.
double least_along(const Loss& f, const Vector& x, const Vector& p, double slope, Vector& g) {
  constexpr int most = 60;
  constexpr double flat = 1e-3;  // of the slope at the start
  const auto slope_at = [&](double t) {
    f.gradient(x + t * p, g);
    return g.dot(p);
  };
  double low = 0, slope_low = slope, high = 1, slope_high = slope_at(high);
  for (int k = 0; k < most && slope_high < 0; ++k) {
    low = high;
    slope_low = slope_high;
    slope_high = slope_at(high *= 2);
  }
  double t = high, slope_t = slope_high;
  for (int k = 0; k < most && std::abs(slope_t) > flat * std::abs(slope); ++k) {
    const double chord = low + (high - low) * slope_low / (slope_low - slope_high);
    const double margin = 0.05 * (high - low);
    t = k % 3 == 2 ? (low + high) / 2 : std::clamp(chord, low + margin, high - margin);
    slope_t = slope_at(t);
    (slope_t < 0 ? low : high) = t;
    (slope_t < 0 ? slope_low : slope_high) = slope_t;
  }
  return t;
}

}  // namespace

double rounded_newton(const Loss& f, Vector& x) {
  constexpr int patience = 3;  // steps that get nowhere
  Vector g(x.size()), g_next(x.size());
  f.gradient(x, g);
  double value = f.value(x), norm = g.norm();
  const double enough = 1e-14 * (1 + norm);
  for (int step = 0, idle = 0; step < max_steps && idle < patience && norm > enough; ++step) {
    const Vector p =
        x.size() <= kinked_limit ? cholesky_direction(f, x, g) : conjugate_gradient_direction(f, x, g, 1e-6);
    const double slope = g.dot(p);
    if (!p.allFinite() || !(slope < 0)) break;
    x += least_along(f, x, p, slope, g_next) * p;
    g.swap(g_next);
    const double value_next = f.value(x), norm_next = g.norm(), noise = 16 * eps * (std::abs(value) + 1);
    idle = value_next < value - noise || norm_next < norm / 2 ? 0 : idle + 1;
    value = value_next;
    norm = norm_next;
  }
  return norm;
}

double newton(const Loss& f, Vector& x) {
  Vector g(x.size()), g_next(x.size());
  f.gradient(x, g);
  double value = f.value(x);
  double norm = g.norm();
  const double first_norm = norm;

  for (int step = 0; step < max_steps && norm > eps * eps; ++step) {
    // Superlinear, but never tighter than a product in double precision can deliver.
    const double forcing = std::clamp(0.1 * norm / first_norm, 1e-6, 0.1);
    const Vector p = x.size() <= cholesky_limit ? cholesky_direction(f, x, g)
                                                : conjugate_gradient_direction(f, x, g, forcing);
    const double slope = g.dot(p);
    const double noise = 16 * eps * (std::abs(value) + 1);

    bool accepted = false;
    Vector x_next;
    double value_next = value;
    double norm_next = norm;
    for (double t = 1; t > 1e-10 && !accepted; t /= 2) {
      x_next = x + t * p;
      value_next = f.value(x_next);
      const bool decreased = value_next <= value + 1e-4 * t * slope;
      // Near the minimum values differ by less than their rounding; there the gradient must shrink instead.
      const bool at_noise = std::abs(slope) <= noise && value_next <= value + noise;
      if (!decreased && !at_noise) continue;
      f.gradient(x_next, g_next);
      norm_next = g_next.norm();
      if (at_noise && !(norm_next < norm)) break;
      accepted = true;
    }
    if (!accepted) break;
    x.swap(x_next);
    g.swap(g_next);
    value = value_next;
    norm = norm_next;
  }
  return norm;
}

}  // namespace ideal
