// SPDX-License-Identifier: Apache-2.0
#include "method/tracking_in_turn.hpp"

#include "core/symmetric.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include <Eigen/Cholesky>
#include <Eigen/LU>

namespace ideal {

namespace {

using Complex = Eigen::MatrixXcd;

/// What agents differ by over a period: xi = (x, t) without the mean, h = t + w/v tracking it, w_k the
/// gradients of step k times alpha, all of a period one below the other.
///     xi at the next period = A xi + B w,   x = C xi + D w
struct Response {
  Block A, B, C, D;

  Response(const std::vector<Block>& links, const std::vector<Vector>& v, Tracking kind) {
    const Index n = links.front().rows(), p = std::ssize(links);
    const Block I = Block::Identity(n, n);
    A = Block::Identity(2 * n, 2 * n);
    B = Block::Zero(2 * n, n * p);
    C = Block::Zero(n * p, 2 * n);
    D = Block::Zero(n * p, n * p);
    for (Index k = 0; k < p; ++k) {
      const auto now = static_cast<std::size_t>(k), next = static_cast<std::size_t>((k + 1) % p);
      C.middleRows(k * n, n) = A.topRows(n);
      D.middleRows(k * n, n) = B.topRows(n);

      const Block R = v[next].cwiseInverse().asDiagonal() * links[now] * v[now].asDiagonal();
      const Block off = R - Block::Ones(n, 1) * v[now].transpose() / static_cast<double>(n);
      const Block shares = v[now].cwiseInverse().asDiagonal(), later = v[next].cwiseInverse().asDiagonal();
      const Block mean = Block::Constant(n, n, 1 / static_cast<double>(n));
      Block step = Block::Zero(2 * n, 2 * n), gradient(2 * n, n);
      step.topLeftCorner(n, n) = step.bottomRightCorner(n, n) = off;
      // Of what enters: v's orthogonal part of shares w is shares w less the mean of w.
      const Block entering = shares - mean;
      step.topRightCorner(n, n) =
          kind == Tracking::combined ? Block(mean * v[now].asDiagonal() - I) : Block(-off);
      gradient.topRows(n) = kind == Tracking::combined ? Block(-entering) : Block(-(R * entering));
      gradient.bottomRows(n) = R * entering - (later - mean);

      A = step * A;
      B = step * B;
      B.middleCols(k * n, n) += gradient;
    }
  }

  /// The Hermitian part of w -> x at frequency omega, with one half of the mean, which descends by itself.
  [[nodiscard]] Complex hermitian_part(double omega) const {
    const Index n = A.rows() / 2, p = D.rows() / n;
    const std::complex<double> z = std::polar(1.0, omega);
    Complex shifted = -A.cast<std::complex<double>>();
    shifted.diagonal().array() += z;
    const Complex H = D + C * shifted.partialPivLu().solve(B.cast<std::complex<double>>());
    Complex S = (H + H.adjoint()) / 2;
    for (Index k = 0; k < p; ++k) S.block(k * n, k * n, n, n).array() += 0.5 / static_cast<double>(n);
    return S;
  }
};

/// The smallest eigenvalue of a Hermitian matrix: that of the real one that does the same to real and
/// imaginary parts, for which there is a solver already.
double smallest_eigenvalue(const Complex& S) {
  Block parts(2 * S.rows(), 2 * S.rows());
  parts << S.real(), -S.imag(), S.imag(), S.real();
  return symmetric_eigenvalues(parts)[0];
}

/// The largest eigenvalue of a Hermitian matrix, or `known` if it is not larger.
double larger_of(double known, Complex S) {
  S = -S;
  S.diagonal().array() += known;
  if (known > 0 && S.llt().info() == Eigen::Success) return known;
  return known - smallest_eigenvalue(S);
}

}  // namespace

std::vector<Block> averaging_matrices(const LinkSequence& links, double s) {
  std::vector<Block> C;
  for (const Links& step : links.in_turn())
    C.emplace_back(Block::Identity(links.agents(), links.agents()) - s * Block(step.M));
  return C;
}

std::vector<Vector> periodic_weights(const std::vector<Block>& C) {
  const Index n = C.front().rows();
  Block period = Block::Identity(n, n);
  for (const Block& step : C) period = step * period;
  Block equations = period - Block::Identity(n, n);
  equations.row(n - 1).setOnes();
  Vector right = Vector::Zero(n);
  right[n - 1] = static_cast<double>(n);
  std::vector<Vector> v{equations.partialPivLu().solve(right)};
  for (std::size_t k = 0; k + 1 < C.size(); ++k) v.emplace_back(C[k] * v.back());
  return v;
}

double limit_in_turn(const LinkSequence& links, double s, double gap, Tracking kind) {
  const std::vector<Block> C = averaging_matrices(links, s);
  const Response response(C, periodic_weights(C), kind);
  double worst = 0, at = 0, apart = 0;
  const auto look = [&](double omega, double step) {
    const double larger = larger_of(worst, response.hermitian_part(omega));
    if (larger > worst) at = omega, apart = step;
    worst = std::max(worst, larger);
  };
  constexpr int points = 96;
  const double least = std::min(1.0, gap) / 100, ratio = std::pow(std::numbers::pi / least, 1.0 / points);
  look(0, least);
  double omega = least;
  for (int i = 0; i <= points; ++i, omega *= ratio)
    look(std::min(omega, std::numbers::pi), omega * (ratio - 1));
  for (int i = 1; i < 32; ++i) look(std::numbers::pi * i / 32, std::numbers::pi / 32);
  for (int round = 0; round < 3; ++round) {
    const double centre = at, width = apart;
    for (int i = -4; i <= 4; ++i) look(std::clamp(centre + width * i / 4, 0.0, std::numbers::pi), width / 4);
    apart = width / 4;
  }
  return 1 / worst;
}

}  // namespace ideal
