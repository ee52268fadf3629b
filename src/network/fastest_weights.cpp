// SPDX-License-Identifier: Apache-2.0
#include "network/edge_space.hpp"

#include <ideal/weights.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <Eigen/Cholesky>
#include <fmt/format.h>

namespace ideal {
namespace {

Block symmetric(const Block& M) { return (M + M.transpose()) / 2; }

/// How far from M along dM the matrix stays positive definite, at most one; to a few percent.
double positive_length(const Block& M, const Block& dM) {
  const auto positive = [&](double length) {
    return Eigen::LLT<Block>(M + length * dM).info() == Eigen::Success;
  };
  if (positive(1)) return 1;
  double most = 1, length = 0.8;
  for (; !positive(length); length *= 0.8) {
    if (length < 1e-8) return 0;
    most = length;
  }
  for (int halvings = 0; halvings < 3; ++halvings) {
    const double middle = (length + most) / 2;
    (positive(middle) ? length : most) = middle;
  }
  return length;
}

/// The largest t with tI ⪯ L(w) + 2 11'/n and L(w) ⪯ I: as the ones vector satisfies both with room to spare,
/// t is the largest λmin⁺ / λmax that weights w can give. In the form of semidefinite programming,
///
///   max t    with  S_1 = L(w) + 2 11'/n - tI ⪰ 0,  S_2 = I - L(w) ⪰ 0,
///   min 2 1'X_1 1/n + tr X_2  with  a_e'(X_1 - X_2) a_e = 0,  tr X_1 = 1,  X_1, X_2 ⪰ 0.
///
/// Both are solved together by a predictor-corrector interior-point method with the direction of Helmberg et
/// al. (1996), Kojima et al. and Monteiro; there is a strictly feasible point for each to start from.
class FastestMixing {
 public:
  explicit FastestMixing(const Graph& graph)
      : space_(graph), n_(space_.agents()), w_(Vector::Ones(space_.edges())) {
    w_ *= 0.5 / dense_ends(space_.laplacian(w_)).lambda_max;
    X_.fill(Block::Identity(n_, n_) / static_cast<double>(n_));
    S_ = slacks(space_.laplacian(w_), t_);
    S_[0].array() += 2 / static_cast<double>(n_);
    S_[1].diagonal().array() += 1;
  }

  [[nodiscard]] const Vector& weights() const { return w_; }

  /// One step; false where rounding leaves no way forward.
  bool step() {
    if (!invert_slacks()) return false;
    factor_schur_complement();
    if (schur_.info() != Eigen::Success) return false;
    const Direction affine = direction(Pair{Block::Zero(n_, n_), Block::Zero(n_, n_)});
    const double now = complementarity(X_, S_);
    const double after = complementarity(moved(X_, affine.dX, length(X_, affine.dX)),
                                         moved(S_, affine.dS, length(S_, affine.dS)));
    const double centring =
        std::pow(std::clamp(after / now, 0.0, 1.0), 3) * now / static_cast<double>(2 * n_);
    Pair target;
    for (int k = 0; k < 2; ++k)
      target[k] = centring * inverse_[k] - symmetric(affine.dX[k] * affine.dS[k] * inverse_[k]);
    return advance(direction(target));
  }

  /// An upper bound of t: tr X_1 S_1 + tr X_2 S_2 >= 0, solved for t. What rounding leaves of X's equations
  /// counts in full, times |w_e| <= 1, as 0 ⪯ L(w) ⪯ I at the optimum.
  [[nodiscard]] double bound() const {
    const double missed = space_.quadratic(X_[0] - X_[1]).cwiseAbs().sum();
    return (2 * X_[0].mean() * static_cast<double>(n_) + X_[1].trace() + missed) / X_[0].trace();
  }

 private:
  using Pair = std::array<Block, 2>;

  struct Direction {
    Vector dw;
    double dt;
    Pair dX, dS;
  };

  /// The part of S_1, S_2 that is linear in (w, t).
  [[nodiscard]] static Pair slacks(const Block& L, double t) {
    Pair S{L, -L};
    S[0].diagonal().array() -= t;
    return S;
  }

  static double complementarity(const Pair& X, const Pair& S) {
    return X[0].cwiseProduct(S[0]).sum() + X[1].cwiseProduct(S[1]).sum();
  }

  static double length(const Pair& M, const Pair& dM) {
    return std::min(positive_length(M[0], dM[0]), positive_length(M[1], dM[1]));
  }

  static Pair moved(const Pair& M, const Pair& dM, double length) {
    return {M[0] + length * dM[0], M[1] + length * dM[1]};
  }

  bool invert_slacks() {
    for (int k = 0; k < 2; ++k) {
      const Eigen::LLT<Block> factor(S_[k]);
      if (factor.info() != Eigen::Success) return false;
      inverse_[k] = symmetric(factor.solve(Block::Identity(n_, n_)));
    }
    return true;
  }

  /// M_ij = tr A_i X A_j S^-1 with A_e = (-a_e a_e', a_e a_e') and A_t = (I, 0).
  void factor_schur_complement() {
    const Index m = space_.edges();
    Block M = Block::Zero(m + 1, m + 1);
    for (int k = 0; k < 2; ++k) space_.add_products(X_[k], inverse_[k], M.topLeftCorner(m, m));
    const Block product = symmetric(X_[0] * inverse_[0]);
    M.row(m).head(m) = -space_.quadratic(product);
    M(m, m) = product.trace();
    schur_.compute(M);
  }

  /// The step to X S = what `target` S is, to first order: X + dX = target - X dS S^-1, feasible.
  [[nodiscard]] Direction direction(const Pair& target) const {
    const Index m = space_.edges();
    Vector missing(m + 1);
    missing.head(m) = space_.quadratic(target[0] - target[1]);
    missing[m] = 1 - target[0].trace();
    const Vector dy = schur_.solve(missing);
    Direction d{dy.head(m), dy[m], {}, slacks(space_.laplacian(dy.head(m)), dy[m])};
    for (int k = 0; k < 2; ++k) d.dX[k] = target[k] - X_[k] - symmetric(X_[k] * d.dS[k] * inverse_[k]);
    return d;
  }

  bool advance(const Direction& d) {
    constexpr double inside = 0.98;
    const double primal = inside * length(S_, d.dS), dual = inside * length(X_, d.dX);
    if (!(primal > 1e-6 && dual > 1e-6)) return false;
    w_ += primal * d.dw;
    t_ += primal * d.dt;
    S_ = moved(S_, d.dS, primal);
    X_ = moved(X_, d.dX, dual);
    return true;
  }

  EdgeSpace space_;
  Index n_;
  Vector w_;
  double t_ = -0.25;  // far from the optimum, but all eigenvalues are then of one size
  Pair X_, S_, inverse_;
  Eigen::LLT<Block> schur_;
};

}  // namespace

OptimalWeights fastest_weights(const Graph& graph, const Progress& progress) {
  require_optimisable(graph, "fdla");
  constexpr double wanted = 1e-9;
  constexpr Index most_steps = 100, patience = 6;
  const EdgeSpace space(graph);
  FastestMixing problem(graph);
  OptimalWeights best;
  best.value = std::numeric_limits<double>::infinity();
  best.bound = 1;                  // no condition number is less
  double gap_before = best.value;  // when it was last halved
  Index halved_at = 0;
  for (; best.steps < most_steps && best.gap() > wanted; ++best.steps) {
    if (!problem.step()) break;
    best.bound = std::max(best.bound, 1 / problem.bound());
    const Spectrum spectrum = dense_ends(space.laplacian(problem.weights()));
    if (spectrum.lambda_min > 0 && spectrum.kappa() < best.value) {
      best.value = spectrum.kappa();
      best.weights = problem.weights() * (2 / (spectrum.lambda_min + spectrum.lambda_max));
    }
    if (progress) progress(fmt::format("fdla: κ_W = {:.8g}, proven within {:.1e}", best.value, best.gap()));
    if (best.gap() < gap_before / 2) {
      gap_before = best.gap();
      halved_at = best.steps;
    } else if (std::isfinite(gap_before) && best.steps >= halved_at + patience) {
      break;  // the rest is rounding
    }
  }
  return best;
}

}  // namespace ideal
