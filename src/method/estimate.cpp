// SPDX-License-Identifier: Apache-2.0
#include "method/estimate.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include <Eigen/Eigenvalues>

namespace ideal {

namespace {

constexpr Index probes = 8;

// Moments are as many numbers an agent as rounds, and a dense eigenvalue problem: too much for larger
// networks.
constexpr Index most_agents = 4096, most_steps = 512;

// Power steps end below the largest eigenvalue, Ritz values inside the spectrum.
constexpr double curvature_margin = 1.03, margin_above = 1.02, margin_below = 1 / 1.03;

/// The least and the largest x for which a measure on [-1, 1] is felt, from its moments of T_0 ... T_2K:
/// Rayleigh quotients <p, x p> / <p, p> over polynomials p of degree below K. Directions in which <p, p> is
/// rounding are left out: the measure has fewer points than K.
std::pair<double, double> extreme_points(const Vector& moments) {
  constexpr double rounding = 1e-12;
  const Index K = (moments.size() - 1) / 2;
  const auto product = [&](Index j, Index k) { return (moments[j + k] + moments[std::abs(j - k)]) / 2; };
  const Block G = Block::NullaryExpr(K, K, product);
  const Block xG = Block::NullaryExpr(
      K, K, [&](Index j, Index k) { return (product(j, k + 1) + product(j, std::abs(k - 1))) / 2; });
  const Eigen::SelfAdjointEigenSolver<Block> basis(G);
  const Vector& size = basis.eigenvalues();
  Index felt = 0;
  while (felt < K && size[K - 1 - felt] > rounding * size[K - 1]) ++felt;
  const Block B =
      basis.eigenvectors().rightCols(felt) * size.tail(felt).cwiseSqrt().cwiseInverse().asDiagonal();
  const Vector points =
      Eigen::SelfAdjointEigenSolver<Block>(B.transpose() * xG * B, Eigen::EigenvaluesOnly).eigenvalues();
  return {points[0], points[felt - 1]};
}

}  // namespace

void power_step(Objective& F, const Block& X, Block& directions,
                Eigen::Ref<Eigen::RowVectorXd, 0, Eigen::InnerStride<>> largest) {
  for (Index c = 0; c < X.cols(); ++c)
    if (const double norm = directions.col(c).norm(); norm > 0 && std::isfinite(norm))
      directions.col(c) /= norm;
    else
      directions.col(c).setConstant(1 / std::sqrt(static_cast<double>(X.rows())));
  directions = F.hessian(X, directions);
  for (Index c = 0; c < X.cols(); ++c) largest[c] = std::max(largest[c], directions.col(c).norm());
}

Spectrum network_spectrum(Mixing& W, const Block& noise, double bound, Index steps) {
  Block P = noise, P_prev = noise;
  Block sums(noise.rows() + 2 * steps + 2, noise.cols());
  const Index first = noise.rows();
  sums.topRows(first) = noise;
  for (Index j = 0; j <= steps; ++j) {
    sums.row(first + 2 * j) = P.cwiseProduct(P).colwise().sum();
    if (j > 0) sums.row(first + 2 * j - 1) = P.cwiseProduct(P_prev).colwise().sum();
    if (j == steps) break;
    const Block& WP = W.mix(P);
    const double twice = j == 0 ? 1 : 2;
    W.locally(P, [&](auto own) {
      const Part next = twice * (2 / bound * own(WP) - own(P)) - (twice - 1) * own(P_prev);
      own(P_prev) = own(P);
      own(P) = next;
    });
  }
  const Vector total = W.total(sums.topRows(first + 2 * steps + 1));

  // The mean of the noise is the eigenvector of 0, where T_j is (-1)^j.
  const double at_zero = total.head(first).squaredNorm() / static_cast<double>(W.agents());
  Vector moments(2 * steps + 1);
  for (Index l = 0; l <= 2 * steps; ++l) {
    const double product = total[first + l];
    const double here = l < 2 ? product : 2 * product - total[first + l % 2];
    moments[l] = here - (l % 2 == 0 ? at_zero : -at_zero);
  }
  const auto [least, largest] = extreme_points(moments);
  return {.lambda_max = std::min(bound, margin_above * bound / 2 * (largest + 1)),
          .lambda_min = margin_below * bound / 2 * std::max(least + 1, 1e-12)};
}

Beliefs find_out(Objective& F, Mixing& W, const Block& X, Block& directions) {
  directions = F.noise(X.rows());
  Block facts = Block::Zero(3, X.cols());
  for (Index step = 0; step < power_steps; ++step) power_step(F, X, directions, facts.row(0));
  facts.row(1) = -F.known_convexity().transpose();
  facts.row(2) = W.local_bounds().transpose();
  const Vector most = W.maxima(facts);
  const Index steps = W.reach() + 4;
  const bool small = W.agents() <= most_agents && steps <= most_steps;
  return {
      .L = F.curvature_jumps() ? F.L() : curvature_margin * most[0],
      .mu = most[1] < 0 ? -most[1] : F.mu(),
      .W = small ? network_spectrum(W, F.noise(std::min(probes, X.rows())), most[2], steps) : W.spectrum()};
}

}  // namespace ideal
