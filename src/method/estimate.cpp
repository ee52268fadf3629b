// SPDX-License-Identifier: Apache-2.0
#include "method/estimate.hpp"

#include "core/symmetric.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numbers>
#include <utility>

namespace ideal {

namespace {

// Moments are as many numbers an agent as rounds, and a dense eigenvalue problem: too much for larger
// networks.
constexpr Index most_agents = 4096, most_steps = 512;

// Ritz values lie inside the spectrum.
constexpr double margin_above = 1.02, margin_below = 1 / 1.03;

// In a survey's message, after the vectors: sums of these numbers for the parent, who that is, the result.
enum InMessage : Index { square, product, start, addressee, lambda_max, lambda_min, rows_beside };
constexpr Index summed = addressee;

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// Of W, no more than a bound known: the smallest as if the graph were a cycle or a line.
Spectrum guess(Mixing& W, double bound) {
  const double as_on_a_line = 2 * static_cast<double>(W.reach()) / std::numbers::pi;
  return {bound, bound / std::max(1.0, as_on_a_line * as_on_a_line)};
}

/// The least and the largest x for which a measure on [-1, 1] is felt, from its moments of T_0 ... T_2K:
/// Rayleigh quotients <p, x p> / <p, p> over polynomials p of degree below K. Directions in which <p, p> is
/// rounding are left out: the measure has fewer points than K. NaN where there is no such direction.
std::pair<double, double> extreme_points(const Vector& moments) {
  constexpr double rounding = 1e-12;
  const Index K = (moments.size() - 1) / 2;
  const auto product = [&](Index j, Index k) { return (moments[j + k] + moments[std::abs(j - k)]) / 2; };
  const Block G = Block::NullaryExpr(K, K, product);
  const Block xG = Block::NullaryExpr(
      K, K, [&](Index j, Index k) { return (product(j, k + 1) + product(j, std::abs(k - 1))) / 2; });
  const auto [size, vectors] = symmetric_eigen(G);
  Index felt = 0;
  while (felt < K && size[K - 1 - felt] > rounding * size[K - 1]) ++felt;
  if (felt == 0) return {unknown, unknown};
  const Block B = vectors.rightCols(felt) * size.tail(felt).cwiseSqrt().cwiseInverse().asDiagonal();
  const Vector points = symmetric_eigenvalues(B.transpose() * xG * B);
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

bool Survey::possible(Mixing& W) {
  return W.agents() > 1 && W.agents() <= most_agents && W.reach() + 4 <= most_steps;
}

void Survey::begin(const Block& noise, double bound) {
  const Index p = std::min(steps() + 1, noise.rows()), n = noise.cols();
  state = {.rounds = 0,
           .bound = bound,
           .numbers = Block::Zero(p + rows_beside, n),
           .previous = Block::Zero(p, n),
           .mixed = Block::Zero(p, n),
           .products = Block::Zero(summed * (steps() + 1), n)};
  state.numbers.topRows(p) = noise.topRows(p);
  for (Index k = 0; k < p; ++k) state.products.row(summed * k + start) = noise.row(k);
  note_products();
  report();
}

Spectrum Survey::found() const {
  const Index p = probes();
  return {state.numbers(p + lambda_max, 0), state.numbers(p + lambda_min, 0)};
}

void Survey::heard(Index c, Index neighbour, double weight, const double* numbers) {
  const Tree& tree = W_.tree();
  const auto here = static_cast<std::size_t>(c);
  const Index p = probes();
  state.mixed.col(c) += weight * Eigen::Map<const Vector>(numbers, p);
  if (numbers[p + addressee] == static_cast<double>(tree.agents[here])) {
    const Index step = state.rounds - (tree.radius - tree.hops[here] - 1);
    state.products.col(c).segment(summed * step, summed) += Eigen::Map<const Vector>(numbers + p, summed);
  }
  if (neighbour == tree.parents[here])
    for (const InMessage row : {lambda_max, lambda_min}) state.numbers(p + row, c) = numbers[p + row];
}

/// The next polynomial: T_0 = 1, T_1 = x, T_j+1 = 2 x T_j - T_j-1 of x = 2 W / bound - 1.
void Survey::round_over() {
  const double twice = state.rounds == 0 ? 1 : 2;
  if (++state.rounds <= steps()) {
    auto P = state.numbers.topRows(probes());
    const Block next = twice * (2 / state.bound * state.mixed - Block(P)) - (twice - 1) * state.previous;
    state.previous = P;
    P = next;
    note_products();
  }
  if (state.rounds == steps() + W_.tree().radius) conclude();
  report();
}

/// Of the polynomials of now, once and for all. And each agent's own part of the next W times them.
void Survey::note_products() {
  if (diagonal_.size() == 0) diagonal_ = W_.neighbourhood().diagonal;
  const auto P = state.numbers.topRows(probes());
  state.products.row(summed * state.rounds + square) += P.cwiseProduct(P).colwise().sum();
  state.products.row(summed * state.rounds + product) += P.cwiseProduct(state.previous).colwise().sum();
  state.mixed = P * diagonal_.asDiagonal();
}

/// Products of some rounds ago go to the parent, as many ago as those below needed to come.
void Survey::report() {
  const Tree& tree = W_.tree();
  const Index p = probes();
  for (Index c = 0; c < state.numbers.cols(); ++c) {
    const auto here = static_cast<std::size_t>(c);
    const Index step = state.rounds - (tree.radius - tree.hops[here]);
    const bool has_news = step >= 0 && step <= steps();
    state.numbers(p + addressee, c) = has_news ? static_cast<double>(tree.parents[here]) : -1;
    if (has_news)
      state.numbers.col(c).segment(p, summed) = state.products.col(c).segment(summed * step, summed);
  }
}

/// At the root. The mean of the noise is the eigenvector of 0, where T_j is (-1)^j.
void Survey::conclude() {
  const auto& hops = W_.tree().hops;
  const auto root = std::ranges::find(hops, 0);
  if (root == hops.end()) return;
  const Index c = root - hops.begin(), K = steps();
  const Eigen::Map<const Block> sums(state.products.col(c).data(), summed, K + 1);
  const double at_zero = sums.row(start).head(probes()).squaredNorm() / static_cast<double>(W_.agents());
  Vector moments(2 * K + 1);
  for (Index l = 0; l <= 2 * K; ++l) {
    const double here = l % 2 == 0 ? sums(square, l / 2) : sums(product, (l + 1) / 2);
    const double first = l % 2 == 0 ? sums(square, 0) : sums(product, 1);
    moments[l] = (l < 2 ? here : 2 * here - first) - (l % 2 == 0 ? at_zero : -at_zero);
  }
  const auto [least, largest] = extreme_points(moments);
  const double half = state.bound / 2;
  Spectrum result = guess(W_, state.bound);
  if (std::isfinite(least) && std::isfinite(largest))
    result = {.lambda_max = std::min(state.bound, margin_above * half * (largest + 1)),
              .lambda_min = margin_below * half * std::max(least + 1, 1e-12)};
  state.numbers(probes() + lambda_max, c) = result.lambda_max;
  state.numbers(probes() + lambda_min, c) = result.lambda_min;
}

Beliefs find_out(Objective& F, Mixing& W, const Block& X, Block& directions) {
  directions = F.noise(X.rows());
  Block facts = Block::Zero(3, X.cols());
  for (Index step = 0; step < power_steps; ++step) power_step(F, X, directions, facts.row(0));
  facts.row(1) = -F.known_convexity().transpose();
  facts.row(2) = W.local_bounds().transpose();
  const Vector most = W.maxima(facts);
  return {.L = F.curvature_jumps() ? F.L() : curvature_margin * most[0],
          .mu = most[1] < 0 ? -most[1] : F.mu(),
          .W = guess(W, most[2])};
}

}  // namespace ideal
