// SPDX-License-Identifier: Apache-2.0
#include <ideal/error.hpp>
#include <ideal/objective.hpp>
#include <ideal/random.hpp>

#include <algorithm>

#include <fmt/format.h>

namespace ideal {

Constants constants_of(std::span<const std::shared_ptr<const Loss>> losses, std::optional<double> L,
                       std::optional<double> mu, Threads& threads) {
  Constants all{.L = L.value_or(0),
                .mu = mu.value_or(0),
                .rows = std::ranges::min(losses, {}, [](const auto& f) { return f->rows(); })->rows()};
  if (!L || !mu) {
    std::vector<Curvature> curvature(losses.size());
    threads.each(std::ssize(losses), [&](Index i) { curvature[i] = losses[i]->curvature(); });
    if (!L) all.L = std::ranges::max(curvature, {}, &Curvature::L).L;
    if (!mu) all.mu = std::ranges::min(curvature, {}, &Curvature::mu).mu;
  }
  if (!(all.mu > 0))
    throw InputError(mu ? "--mu" : "--l2", fmt::format("strong convexity {}", all.mu),
                     "the methods need mu > 0", "Give a positive --l2, for example 1e-3.");
  if (!(all.L >= all.mu))
    throw InputError("--L", fmt::format("L = {} below mu = {}", all.L, all.mu),
                     "a gradient's Lipschitz constant is at least mu",
                     "Leave --L and --mu out to have them computed.");
  return all;
}

Objective::Objective(std::vector<std::shared_ptr<const Loss>> losses, std::vector<Index> agents,
                     Constants constants, std::uint64_t seed, Meter& meter, Threads& threads)
    : losses_(std::move(losses)),
      agents_(std::move(agents)),
      constants_(constants),
      seed_(seed),
      meter_(meter),
      threads_(threads),
      result_(dimension(), std::ssize(losses_)) {}

const Block& Objective::gradient(const Block& X) {
  threads_.each(X.cols(), [&](Index c) { losses_[c]->gradient(X.col(c), result_.col(c)); });
  meter_.computations += 1;
  return result_;
}

const Block& Objective::gradient(const Block& X, Index batch, Index draw) {
  threads_.each(X.cols(), [&](Index c) {
    // One stream per agent and draw: no state to carry, so hosts and restarts see the same batches.
    Random random(seed_, static_cast<std::uint64_t>(agents_[c]) << 40 | static_cast<std::uint64_t>(draw));
    std::vector<Index> rows(static_cast<std::size_t>(batch));
    std::ranges::generate(rows, [&] {
      return static_cast<Index>(random.below(static_cast<std::uint64_t>(losses_[c]->rows())));
    });
    losses_[c]->batch_gradient(X.col(c), rows, result_.col(c));
  });
  meter_.computations += std::min(1.0, static_cast<double>(batch) / static_cast<double>(constants_.rows));
  return result_;
}

const Block& Objective::dual(const Block& A, const Block& start) {
  result_ = start;
  threads_.each(A.cols(), [&](Index c) { losses_[c]->tilted_minimiser(A.col(c), 0, result_.col(c)); });
  meter_.computations += 1;
  return result_;
}

}  // namespace ideal
