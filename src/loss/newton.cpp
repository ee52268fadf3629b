// SPDX-License-Identifier: Apache-2.0
#include <ideal/loss.hpp>

#include <cmath>
#include <limits>

#include <Eigen/Cholesky>

namespace ideal {

namespace {

constexpr Index cholesky_limit = 400;  // above, assembling the Hessian costs more than the products CG needs
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

}  // namespace

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
