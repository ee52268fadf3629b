// SPDX-License-Identifier: Apache-2.0
#include "core/symmetric.hpp"
#include "network/edge_space.hpp"

#include <ideal/weights.hpp>

#include <cmath>
#include <limits>

#include <Eigen/Cholesky>
#include <fmt/format.h>

namespace ideal {
namespace {

/// f(w) = sum of 1 / (1 - λ²) = (1 / (1 - λ) + 1 / (1 + λ)) / 2 over the eigenvalues λ of P = I - L(w) but
/// that of 1, as traces of inverses: f = (tr A^-1 + tr B^-1) / 2 - 1 with A = L + 11'/n and B = 2I - A, in
/// both of which the ones vector has the eigenvalue one. Beyond the eigenvalues 0 and 2 of L it is infinite.
class Deviation {
 public:
  Deviation(const EdgeSpace& space, const Vector& w) : space_(space) {
    const Index n = space.agents();
    Block A = space.laplacian(w);
    A.array() += 1 / static_cast<double>(n);
    const Block identity = Block::Identity(n, n);
    const Eigen::LLT<Block> low(A), high(2 * identity - A);
    if (low.info() != Eigen::Success || high.info() != Eigen::Success) return;
    A_ = low.solve(identity);
    B_ = high.solve(identity);
    value_ = (A_.trace() + B_.trace()) / 2 - 1;
  }

  [[nodiscard]] double value() const { return value_; }

  [[nodiscard]] Vector gradient() const { return space_.quadratic(B_ * B_ - A_ * A_) / 2; }

  /// H_ef = (a_e' A^-1 a_f) (a_e' A^-2 a_f), and the same of B.
  [[nodiscard]] Block hessian() const {
    Block H = Block::Zero(space_.edges(), space_.edges());
    space_.add_products(A_, A_ * A_, H);
    space_.add_products(B_, B_ * B_, H);
    return H;
  }

 private:
  const EdgeSpace& space_;
  double value_ = std::numeric_limits<double>::infinity();
  Block A_, B_;  // inverted
};

/// The least that a convex f may be, given f and its gradient at w: all points where it is finite have
/// |w_e| <= 2, as 0 ⪯ L ⪯ 2I there.
double least_value(const Deviation& f, const Vector& gradient, const Vector& w) {
  return f.value() - (gradient.array().abs() * (w.array().abs() + 2)).sum();
}

Vector best_constant(const EdgeSpace& space) {
  const Vector ones = Vector::Ones(space.edges());
  const Spectrum spectrum = dense_ends(space.laplacian(ones));
  return ones * (2 / (spectrum.lambda_min + spectrum.lambda_max));
}

constexpr double rounding = 1e-11;  // of f, relative, where its eigenvalues differ most

/// The first of w + d, w + d/2, ... that keeps a share of the decrease d promises; the last where none does.
Vector descended(const EdgeSpace& space, const Vector& w, const Vector& d, double value, double slope) {
  double length = 1;
  const auto enough = [&] {
    return Deviation(space, w + length * d).value() <= value * (1 + rounding) + 0.1 * length * slope;
  };
  while (length > 1e-10 && !enough()) length /= 2;
  return w + length * d;
}

}  // namespace

OptimalWeights least_deviation_weights(const Graph& graph, const Progress& progress) {
  require_optimisable(graph, "lmsd");
  constexpr double wanted = 1e-10;
  constexpr Index most_steps = 100;
  const EdgeSpace space(graph);
  OptimalWeights best;
  best.value = std::numeric_limits<double>::infinity();
  best.bound = static_cast<double>(graph.agents() - 1);  // no term is less than one
  for (Vector w = best_constant(space); best.steps < most_steps; ++best.steps) {
    const Deviation f(space, w);
    const Vector gradient = f.gradient();
    const double bound = least_value(f, gradient, w);
    if (!(f.value() <= best.value * (1 + rounding))) break;
    if (f.value() >= best.value * (1 - rounding) && bound <= best.bound) break;  // it comes no nearer
    best.weights = w;
    best.value = f.value();
    best.bound = std::max(best.bound, bound);
    if (progress) progress(fmt::format("lmsd: {:.8g}, proven within {:.1e}", best.value, best.gap()));
    if (best.gap() <= wanted) break;
    const Vector step = f.hessian().selfadjointView<Eigen::Lower>().llt().solve(-gradient);
    w = descended(space, w, step, f.value(), gradient.dot(step));
  }
  return best;
}

double mean_square_deviation(const SparseRows& W) {
  const Vector values = symmetric_eigenvalues(Block(W));
  if (!(values[1] > 0 && values[values.size() - 1] < 2)) return std::numeric_limits<double>::infinity();
  const auto lambda = 1 - values.tail(values.size() - 1).array();
  return (1 / (1 - lambda.square())).sum();
}

}  // namespace ideal
