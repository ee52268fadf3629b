// SPDX-License-Identifier: Apache-2.0
#include "loss/proximal_newton.hpp"

#include <cmath>
#include <limits>

#include <Eigen/Cholesky>

namespace ideal {

namespace {

class ProximalSearch {
 public:
  /// x, with value and gradient of f + r there.
  struct Point {
    Vector x;
    double value = 0;
    Vector gradient;  ///< of f
    Vector slope;     ///< the smallest subgradient of f + r
    double norm = 0;  ///< of that
  };
  static constexpr int max_steps = 2000;
  static constexpr int patience = 20;  ///< steps that must get somewhere
  static constexpr double eps = std::numeric_limits<double>::epsilon();

  /// By so much do values differ of themselves.
  static double noise(double value) { return 16 * eps * (std::abs(value) + 1); }

  ProximalSearch(const Loss& f, const Regulariser& r) : f_(f), r_(r) {}

  [[nodiscard]] Point at(Vector x) const {
    Point p{.x = std::move(x), .gradient = {}, .slope = {}};
    p.gradient.resize(p.x.size());
    p.value = f_.value_and_gradient(p.x, p.gradient) + r_.value(p.x);
    p.slope = Vector::NullaryExpr(p.x.size(), [&](Index j) { return r_.slope(p.x[j], p.gradient[j]); });
    p.norm = p.slope.norm();
    return p;
  }

  /// A step that gets nearer to the minimum, if there is one.
  bool newton_step(Point& p) const {
    const std::vector<Index> free = free_entries(p);
    if (free.empty()) return false;
    const Vector direction = direction_of(p, free);
    const double slope = p.slope.dot(direction);
    if (!direction.allFinite() || !(slope < 0)) return false;
    for (double t = 1; t > 1e-6; t /= 2)
      if (improves(p, at(bent(p, direction, t)), 1e-4 * t * slope)) return true;
    return false;
  }

  bool gradient_step(Point& p) {
    for (step_ *= 4; step_ > 1e-18; step_ /= 2) {
      const Vector x = Vector::NullaryExpr(
          p.x.size(), [&](Index j) { return r_.prox(p.x[j] - step_ * p.gradient[j], step_); });
      const double moved = (x - p.x).squaredNorm();
      if (moved == 0) return false;
      if (improves(p, at(x), -1e-4 / step_ * moved)) return true;
    }
    return false;
  }

 private:
  /// Not those that r holds where they are.
  [[nodiscard]] std::vector<Index> free_entries(const Point& p) const {
    std::vector<Index> free;
    for (Index j = 0; j < p.x.size(); ++j)
      if (!r_.kink(p.x[j]) || p.slope[j] != 0) free.push_back(j);
    return free;
  }

  [[nodiscard]] Vector direction_of(const Point& p, const std::vector<Index>& free) const {
    return std::ssize(free) <= cholesky_limit() ? by_cholesky(p, free) : by_conjugate_gradients(p, free);
  }

  [[nodiscard]] Vector by_cholesky(const Point& p, const std::vector<Index>& free) const {
    const auto count = std::ssize(free);
    Block H;
    if (p.x.size() <= cholesky_limit()) {
      Block all = Block::Zero(p.x.size(), p.x.size());
      f_.add_hessian(p.x, all);
      const Block symmetric = all.selfadjointView<Eigen::Lower>();
      H = symmetric(free, free);
    } else {
      H.resize(count, count);
      Vector column(p.x.size());
      for (Index k = 0; k < count; ++k) {
        f_.hessian_vector(p.x, Vector::Unit(p.x.size(), free[k]), column);
        H.col(k) = column(free);
      }
    }
    // Losses without strong convexity leave some directions flat.
    H.diagonal().array() += 1e-13 * H.diagonal().maxCoeff();
    Vector direction = Vector::Zero(p.x.size());
    direction(free) = -H.ldlt().solve(Vector(p.slope(free)));
    return direction;
  }

  [[nodiscard]] Vector by_conjugate_gradients(const Point& p, const std::vector<Index>& free) const {
    const Index limit = 10 * p.x.size() + 1000;
    Vector mask = Vector::Zero(p.x.size());
    mask(free).setOnes();
    Vector x = Vector::Zero(p.x.size()), residual = -p.slope.cwiseProduct(mask), d = residual, Hd(p.x.size());
    double rr = residual.squaredNorm();
    const double target = 1e-12 * rr;
    for (Index k = 0; k < limit && rr > target; ++k) {
      f_.hessian_vector(p.x, d, Hd);
      Hd = Hd.cwiseProduct(mask);
      const double alpha = rr / d.dot(Hd);
      if (!std::isfinite(alpha)) break;
      x += alpha * d;
      residual -= alpha * Hd;
      const double next = residual.squaredNorm();
      d = residual + (next / rr) * d;
      rr = next;
    }
    return x;
  }

  /// x + t direction, but no entry goes beyond zero or out of the box: there r is another function.
  [[nodiscard]] Vector bent(const Point& p, const Vector& direction, double t) const {
    return Vector::NullaryExpr(p.x.size(), [&](Index j) {
      const double x = p.x[j], next = x + t * direction[j];
      const double side = x != 0 ? x : -p.slope[j];
      return r_.project(r_.l1 > 0 && next * side < 0 ? 0 : next);
    });
  }

  /// Goes there if that is lower by `decrease` < 0. Values that near the minimum differ by less than their
  /// rounding do not tell; there the subgradient must shrink.
  [[nodiscard]] static bool improves(Point& here, Point&& there, double decrease) {
    const bool lower = there.value < here.value && there.value <= here.value + decrease;
    const bool nearer = there.value <= here.value + noise(here.value) && there.norm < here.norm &&
                        -decrease <= noise(here.value);
    if (!std::isfinite(there.norm) || !(lower || nearer)) return false;
    here = std::move(there);
    return true;
  }

  /// Free entries. Where kinks were rounded off few rows bend, and conjugate gradients would not end.
  [[nodiscard]] Index cholesky_limit() const { return f_.curvature_jumps() ? 3000 : 400; }

  const Loss& f_;
  const Regulariser& r_;
  double step_ = 1;
};

}  // namespace

double proximal_newton(const Loss& f, const Regulariser& r, Vector& x) {
  ProximalSearch search(f, r);
  for (double& entry : x) entry = r.project(entry);
  ProximalSearch::Point p = search.at(x);
  constexpr double nothing = ProximalSearch::eps * ProximalSearch::eps;
  double value = p.value, norm = p.norm;  // some steps ago
  for (int step = 1; step < ProximalSearch::max_steps && p.norm > nothing; ++step) {
    if (!search.newton_step(p) && !search.gradient_step(p)) break;
    if (step % ProximalSearch::patience != 0) continue;
    if (p.value > value - ProximalSearch::noise(value) && p.norm > norm / 2) break;
    value = p.value;
    norm = p.norm;
  }
  x = p.x;
  return p.norm;
}

}  // namespace ideal
