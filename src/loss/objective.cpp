// SPDX-License-Identifier: Apache-2.0
#include "core/cache.hpp"
#include "core/huge_pages.hpp"

#include <ideal/error.hpp>
#include <ideal/objective.hpp>
#include <ideal/random.hpp>
#include <ideal/stopwatch.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include <fmt/format.h>

namespace ideal {

namespace {

/// The largest L_i, the smallest mu_i, and how many and how steep rows there are, of all agents.
Constants extremes(std::span<const std::shared_ptr<const Loss>> hosted, bool want_curvature,
                   Transport& transport, Threads& threads) {
  Block each = Block::Zero(8, std::ssize(hosted));
  threads.each(each.cols(), [&](Index i) {
    const Curvature c = want_curvature ? hosted[i]->curvature() : Curvature{};
    each.col(i) << c.L, c.mu, static_cast<double>(hosted[i]->rows()), hosted[i]->row_smoothness(),
        hosted[i]->known_convexity(), hosted[i]->smooth() ? 1 : 0, hosted[i]->curvature_jumps() ? 1 : 0,
        hosted[i]->curvature_constant() ? 1 : 0;
  });
  const Block& all = transport.gather(each);
  return {.L = all.row(0).maxCoeff(),
          .mu = all.row(1).minCoeff(),
          .rows = static_cast<Index>(all.row(2).minCoeff()),
          .row_L = all.row(3).minCoeff() > 0 ? all.row(3).maxCoeff() : 0,
          .most_rows = static_cast<Index>(all.row(2).maxCoeff()),
          .own_l2 = all.row(4).minCoeff(),
          .smooth = all.row(5).minCoeff() > 0,
          .curvature_jumps = all.row(6).maxCoeff() > 0,
          .curvature_constant = all.row(7).minCoeff() > 0};
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
  if (L && !all.smooth)
    throw InputError("--L", fmt::format("{}", *L), "losses that are not smooth have no such constant",
                     "Leave it out, or give a positive --smoothing.");
  all.L = all.smooth ? L.value_or(all.L) : std::numeric_limits<double>::infinity();
  all.mu = mu.value_or(all.mu);
  if (!(all.mu >= 0))
    throw InputError(mu ? "--mu" : "--l2", fmt::format("strong convexity {}", all.mu),
                     "convex losses have mu >= 0", "Give a positive --l2, for example 1e-3.");
  if (!(all.L > 0))
    throw InputError("--L", fmt::format("L = {}", all.L),
                     "losses that are flat everywhere have no one minimum",
                     "Give a positive --l2, for example 1e-3.");
  if (!(all.L >= all.mu))
    throw InputError(L ? "--L" : "--mu", fmt::format("L = {} below mu = {}", all.L, all.mu),
                     "a gradient's Lipschitz constant is at least mu",
                     "Leave --L and --mu out to have them computed.");
  return all;
}

double l2_for_kappa(double kappa, std::span<const std::shared_ptr<const Loss>> bare, Transport& transport,
                    Threads& threads) {
  const Constants all = extremes(bare, true, transport, threads);
  const double L = all.L, mu = all.mu;
  if (!all.smooth)
    throw InputError("--kappa", fmt::format("{}", kappa),
                     "losses that are not smooth have no condition number",
                     "Give --l2, or a positive --smoothing.");
  if (kappa * mu > L)
    throw InputError("--kappa", fmt::format("{}", kappa),
                     fmt::format("the data alone have L/mu = {:.6g}, which l2 can only lower", L / mu),
                     fmt::format("Ask for at most {:.6g}.", L / mu));
  return (L - kappa * mu) / (kappa - 1);
}

Objective::Objective(std::vector<std::shared_ptr<const Loss>> losses, std::vector<Index> agents,
                     Constants constants, std::uint64_t seed, Meter& meter, Threads& threads,
                     const Regulariser& regulariser)
    : losses_(std::move(losses)),
      agents_(std::move(agents)),
      constants_(constants),
      seed_(seed),
      meter_(meter),
      threads_(threads),
      regulariser_(regulariser),
      first_piece_(losses_.size() + 1, 0),
      result_(dimension(), std::ssize(losses_)),
      picked_(losses_.size()) {
  prefer_huge_pages(result_);
  for (std::size_t c = 0; c < losses_.size(); ++c)
    first_piece_[c + 1] = first_piece_[c] + losses_[c]->pieces();
  further_.resize(dimension(), first_piece_.back() - std::ssize(losses_));
  constexpr Index long_agent = 64 << 10;
  const auto bytes_of = [](const auto& f) { return f->bytes(); };
  const Index bytes = std::transform_reduce(losses_.begin(), losses_.end(), Index{0}, std::plus(), bytes_of);
  back_and_forth_ =
      bytes > own_cache_bytes() && bytes <= cached_bytes() && bytes >= long_agent * std::ssize(losses_);
}

const Block& Objective::gradient(const Block& X) {
  const Stopwatch watch(seconds_);
  if (further_.cols() == 0)
    threads_.each(
        X.cols(), [&](Index c) { gradient_of_agent(c, X); }, turn());
  else
    gradient_in_pieces(X);
  meter_.computations += 1;
  return result_;
}

/// There and back in turn, if the last cache holds all rows: the second cache still has those of the agents
/// that came last. Not with short agents, whose kernels ask for the rows of the next.
Way Objective::turn() {
  if (back_and_forth_) way_ = way_ == Way::there ? Way::back : Way::there;
  return way_;
}

/// Agents and parts do not end together: a part across two ranges of agents is used when all are through.
void Objective::gradient_by_parts(const Block& X, const UseOfPart& use) {
  const Stopwatch watch(seconds_);
  const Index d = X.rows(), size = X.size(), parts = Own::parts(size);
  used_.assign(static_cast<std::size_t>(parts), 0);
  const auto use_once = [&](Index part) {
    if (std::exchange(used_[static_cast<std::size_t>(part)], 1)) return;
    const Own own(part, size);
    use(own, own(std::as_const(result_)));
  };
  if (further_.cols() > 0) {
    gradient_in_pieces(X);
  } else {
    const Way way = turn();
    const auto agents = [&](Index first, Index end) {
      // All of parts `from` ... `to`-1 belongs to these.
      Index from = Own::parts(first * d), to = end == X.cols() ? parts : end * d / Own::most;
      if (way == Way::there) {
        for (Index c = first; c < end; ++c) {
          gradient_of_agent(c, X);
          while (from < to && std::min((from + 1) * Own::most, size) <= (c + 1) * d) use_once(from++);
        }
      } else {
        for (Index c = end; c-- > first;) {
          gradient_of_agent(c, X);
          while (from < to && (to - 1) * Own::most >= c * d) use_once(--to);
        }
      }
    };
    threads_.ranges(X.cols(), agents, 2, Threads::several, way);
  }
  const auto those_left = [&](Index first, Index end) {
    for (Index part = first; part < end; ++part) use_once(part);
  };
  const bool many = std::ranges::count(used_, 0) * Own::most >= Threads::worth_waking_others;
  threads_.ranges(parts, those_left, many ? 2 : parts + 1);
  meter_.computations += 1;
}

void Objective::gradient_of_agent(Index c, const Block& X) {
  losses_[c]->gradient(X.col(c), result_.col(c));
  if (extra_convexity_ > 0) result_.col(c) += extra_convexity_ * X.col(c);
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
    if (extra_convexity_ > 0) result_.col(c) += extra_convexity_ * X.col(c);
  });
}

/// Rows whose smoothness nobody tells have at most as much as the sum of all.
double Objective::row_L() const {
  return constants_.row_L > 0 ? constants_.row_L : static_cast<double>(rows()) * L();
}

/// Room for rows that an agent picks, at most so many: taken once, not by whichever thread comes first.
std::vector<Index>& Objective::picked(Index c, Index most) {
  auto& rows = picked_[static_cast<std::size_t>(c)];
  rows.reserve(static_cast<std::size_t>(most));
  return rows;
}

void Objective::batch_gradients(const Block& X, Index batch, Index draw, Block& out) {
  threads_.each(X.cols(), [&](Index c) {
    // One stream per agent and draw: no state to carry, so hosts and restarts see the same batches.
    Random random(seed_, static_cast<std::uint64_t>(agents_[c]) << 40 | static_cast<std::uint64_t>(draw));
    std::vector<Index>& rows = picked(c, batch);
    rows.resize(static_cast<std::size_t>(batch));
    std::ranges::generate(rows, [&] {
      return static_cast<Index>(random.below(static_cast<std::uint64_t>(losses_[c]->rows())));
    });
    losses_[c]->batch_gradient(X.col(c), rows, out.col(c));
  });
  if (extra_convexity_ > 0) out += extra_convexity_ * X;
  meter_.computations += static_cast<double>(batch) / static_cast<double>(constants_.rows);
}

const Block& Objective::gradient(const Block& X, Index batch, Index draw) {
  if (batch >= constants_.rows) return gradient(X);
  const Stopwatch watch(seconds_);
  batch_gradients(X, batch, draw, result_);
  return result_;
}

const Block& Objective::change(const Block& X, const Block& S, Index batch, Index draw) {
  before_.resizeLike(result_);
  if (batch >= constants_.rows) {
    before_ = gradient(S);
    gradient(X);
  } else {
    const Stopwatch watch(seconds_);
    batch_gradients(S, batch, draw, before_);
    batch_gradients(X, batch, draw, result_);
  }
  result_ -= before_;
  return result_;
}

double Objective::part_L(Index parts) const {
  const auto fewest = static_cast<double>(constants_.rows), count = static_cast<double>(parts);
  // A part may have a row more than its share, and so weigh more than 1 / parts.
  const double heaviest = constants_.most_rows <= constants_.rows ? count * std::ceil(fewest / count) / fewest
                                                                  : 1 + count / fewest;
  return std::min(heaviest * row_L(), count * L());
}

const Block& Objective::part_gradient(const Block& X, Index parts, std::span<const Index> which) {
  const Stopwatch watch(seconds_);
  threads_.each(X.cols(), [&](Index c) {
    const Loss& f = *losses_[c];
    const Index part = which[static_cast<std::size_t>(c)], first = part * f.rows() / parts,
                end = (part + 1) * f.rows() / parts;
    std::vector<Index>& rows = picked(c, f.rows() / parts + 1);
    rows.resize(static_cast<std::size_t>(end - first));
    std::ranges::generate(rows, [row = first]() mutable { return row++; });
    f.batch_gradient(X.col(c), rows, result_.col(c));
    const double weight = static_cast<double>((end - first) * parts) / static_cast<double>(f.rows());
    // As much regulariser in each part, whatever its weight.
    result_.col(c) = weight * result_.col(c) + (1 - weight) * own_l2() * X.col(c);
  });
  meter_.computations += 1 / static_cast<double>(parts);
  return result_;
}

void Objective::draw_parts(Index parts, Index draw, std::span<Index> which) const {
  for (std::size_t c = 0; c < which.size(); ++c) {
    Random random(seed_, static_cast<std::uint64_t>(agents_[c]) << 40 | static_cast<std::uint64_t>(draw));
    which[c] = static_cast<Index>(random.below(static_cast<std::uint64_t>(parts)));
  }
}

double Objective::common_draw(Index draw) const {
  constexpr std::uint64_t stream = 1ULL << 63;  // no agent's number gets so far
  return Random(seed_, stream | static_cast<std::uint64_t>(draw)).uniform();
}

Vector Objective::row_variance(const Block& X, const Block& G) {
  const Stopwatch watch(seconds_);
  Vector variance(X.cols());
  threads_.each(X.cols(), [&](Index c) {
    const Index rows = losses_[c]->rows();
    Vector g(X.rows());
    double sum = 0;
    for (Index j = 0; j < rows; ++j) {
      losses_[c]->batch_gradient(X.col(c), std::span(&j, 1), g);
      sum += (g - G.col(c)).squaredNorm();
    }
    variance[c] = sum / static_cast<double>(rows);
  });
  meter_.computations += 1;
  return variance;
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

void Objective::shared_noise(Index draw, Block& numbers) const {
  constexpr std::uint64_t stream = 1ULL << 63;  // of no agent
  Random random(seed_, stream | static_cast<std::uint64_t>(draw));
  for (double& number : numbers.col(0)) number = random.normal();
  for (Index c = 1; c < numbers.cols(); ++c) numbers.col(c) = numbers.col(0);
}

Vector Objective::lipschitz() const {
  Vector G(std::ssize(losses_));
  threads_.each(G.size(), [&](Index i) { G[i] = losses_[i]->lipschitz(); });
  return G;
}

Vector Objective::values(const Block& X) {
  const Stopwatch watch(seconds_);
  Vector f(X.cols());
  threads_.each(f.size(), [&](Index c) {
    f[c] = losses_[c]->value(X.col(c)) + extra_convexity_ / 2 * X.col(c).squaredNorm();
  });
  meter_.computations += 1;
  return f;
}

Vector Objective::lower_bounds() const {
  return Vector::NullaryExpr(std::ssize(losses_), [&](Index c) { return losses_[c]->lower_bound(); });
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
