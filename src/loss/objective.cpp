// SPDX-License-Identifier: Apache-2.0
#include <ideal/error.hpp>
#include <ideal/objective.hpp>
#include <ideal/random.hpp>
#include <ideal/stopwatch.hpp>

#include <algorithm>

#include <fmt/format.h>

namespace ideal {

namespace {

/// The largest L_i, the smallest mu_i and the fewest rows of all agents.
Constants extremes(std::span<const std::shared_ptr<const Loss>> hosted, bool want_curvature,
                   Transport& transport, Threads& threads) {
  Block each = Block::Zero(3, std::ssize(hosted));
  threads.each(each.cols(), [&](Index i) {
    const Curvature c = want_curvature ? hosted[i]->curvature() : Curvature{};
    each.col(i) << c.L, c.mu, static_cast<double>(hosted[i]->rows());
  });
  const Block& all = transport.gather(each);
  return {.L = all.row(0).maxCoeff(),
          .mu = all.row(1).minCoeff(),
          .rows = static_cast<Index>(all.row(2).minCoeff())};
}

}  // namespace

Constants constants_of(std::span<const std::shared_ptr<const Loss>> losses, std::optional<double> L,
                       std::optional<double> mu, Threads& threads) {
  const auto transport = in_process(std::ssize(losses));
  return constants_of(losses, L, mu, *transport, threads);
}

Constants constants_of(std::span<const std::shared_ptr<const Loss>> hosted, std::optional<double> L,
                       std::optional<double> mu, Transport& transport, Threads& threads) {
  Constants all = extremes(hosted, !L || !mu, transport, threads);
  all.L = L.value_or(all.L);
  all.mu = mu.value_or(all.mu);
  if (!(all.mu > 0))
    throw InputError(mu ? "--mu" : "--l2", fmt::format("strong convexity {}", all.mu),
                     "the methods need mu > 0", "Give a positive --l2, for example 1e-3.");
  if (!(all.L >= all.mu))
    throw InputError("--L", fmt::format("L = {} below mu = {}", all.L, all.mu),
                     "a gradient's Lipschitz constant is at least mu",
                     "Leave --L and --mu out to have them computed.");
  return all;
}

double l2_for_kappa(double kappa, std::span<const std::shared_ptr<const Loss>> bare, Transport& transport,
                    Threads& threads) {
  const auto [L, mu, rows] = extremes(bare, true, transport, threads);
  if (kappa * mu > L)
    throw InputError("--kappa", fmt::format("{}", kappa),
                     fmt::format("the data alone have L/mu = {:.6g}, which l2 can only lower", L / mu),
                     fmt::format("Ask for at most {:.6g}.", L / mu));
  return (L - kappa * mu) / (kappa - 1);
}

Objective::Objective(std::vector<std::shared_ptr<const Loss>> losses, std::vector<Index> agents,
                     Constants constants, std::uint64_t seed, Meter& meter, Threads& threads)
    : losses_(std::move(losses)),
      agents_(std::move(agents)),
      constants_(constants),
      seed_(seed),
      meter_(meter),
      threads_(threads),
      first_piece_(losses_.size() + 1, 0),
      result_(dimension(), std::ssize(losses_)) {
  for (std::size_t c = 0; c < losses_.size(); ++c)
    first_piece_[c + 1] = first_piece_[c] + losses_[c]->pieces();
  further_.resize(dimension(), first_piece_.back() - std::ssize(losses_));
}

const Block& Objective::gradient(const Block& X) {
  const Stopwatch watch(seconds_);
  if (further_.cols() == 0)
    threads_.each(X.cols(), [&](Index c) { losses_[c]->gradient(X.col(c), result_.col(c)); });
  else
    gradient_in_pieces(X);
  meter_.computations += 1;
  return result_;
}

/// One thread may compute what belongs to several agents, and several threads what belongs to one.
void Objective::gradient_in_pieces(const Block& X) {
  threads_.each(first_piece_.back(), [&](Index item) {
    const Index c = std::ranges::upper_bound(first_piece_, item) - first_piece_.begin() - 1;
    const Index piece = item - first_piece_[c];
    if (piece == 0)
      losses_[c]->piece_gradient(0, X.col(c), result_.col(c));
    else
      losses_[c]->piece_gradient(piece, X.col(c), further_.col(item - c - 1));
  });
  threads_.each(X.cols(), [&](Index c) {
    for (Index item = first_piece_[c] + 1; item < first_piece_[c + 1]; ++item)
      result_.col(c) += further_.col(item - c - 1);
  });
}

const Block& Objective::gradient(const Block& X, Index batch, Index draw) {
  if (batch >= constants_.rows) return gradient(X);
  const Stopwatch watch(seconds_);
  threads_.each(X.cols(), [&](Index c) {
    // One stream per agent and draw: no state to carry, so hosts and restarts see the same batches.
    Random random(seed_, static_cast<std::uint64_t>(agents_[c]) << 40 | static_cast<std::uint64_t>(draw));
    std::vector<Index> rows(static_cast<std::size_t>(batch));
    std::ranges::generate(rows, [&] {
      return static_cast<Index>(random.below(static_cast<std::uint64_t>(losses_[c]->rows())));
    });
    losses_[c]->batch_gradient(X.col(c), rows, result_.col(c));
  });
  meter_.computations += static_cast<double>(batch) / static_cast<double>(constants_.rows);
  return result_;
}

const Block& Objective::hessian(const Block& X, const Block& V) {
  const Stopwatch watch(seconds_);
  threads_.each(X.cols(), [&](Index c) { losses_[c]->hessian_vector(X.col(c), V.col(c), result_.col(c)); });
  meter_.computations += 1;
  return result_;
}

Block Objective::noise(Index rows) const {
  constexpr std::uint64_t stream = 1ULL << 39;  // no draw of mini-batches gets so far
  Block numbers(rows, std::ssize(agents_));
  for (Index c = 0; c < numbers.cols(); ++c) {
    Random random(seed_, static_cast<std::uint64_t>(agents_[c]) << 40 | stream);
    for (double& number : numbers.col(c)) number = random.normal();
  }
  return numbers;
}

Vector Objective::known_convexity() const {
  return Vector::NullaryExpr(std::ssize(losses_), [&](Index c) { return losses_[c]->known_convexity(); });
}

const Block& Objective::dual(const Block& A, const Block& start) {
  return tilted(A, Vector::Zero(A.cols()), start);
}

const Block& Objective::tilted(const Block& A, const Vector& c, const Block& start) {
  const Stopwatch watch(seconds_);
  result_ = start;
  threads_.each(A.cols(), [&](Index i) { losses_[i]->tilted_minimiser(A.col(i), c[i], result_.col(i)); });
  meter_.computations += 1;
  return result_;
}

Vector Objective::smoothness() const {
  Vector L(std::ssize(losses_));
  threads_.each(L.size(), [&](Index i) { L[i] = losses_[i]->curvature().L; });
  return L;
}

}  // namespace ideal
