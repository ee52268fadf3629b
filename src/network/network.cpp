// SPDX-License-Identifier: Apache-2.0
#include "core/cache.hpp"
#include "network/weighted_sum.hpp"

#include <ideal/mixing.hpp>
#include <ideal/stopwatch.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

namespace ideal {

namespace {

/// The diameter, or where that takes too long to find twice the distance from one agent to the farthest,
/// which is no less.
Index rounds_to_reach_all(const Graph& graph) {
  constexpr Index exact_limit = 2000;
  if (graph.agents() <= exact_limit) return graph.diameter(exact_limit).hops;
  return std::min(graph.agents() - 1, 2 * std::ranges::max(graph.hops_from(0)));
}

/// Asks for the beginning of a vector that is needed soon; the CPU sees the rest coming.
void prefetch(const double* column, Index size) {
  constexpr Index line = 8, most = 16 * line;
  for (Index i = 0; i < std::min(size, most); i += line) __builtin_prefetch(column + i);
}

constexpr Index worth_waking_others = 4096;  // numbers: fewer are mixed in the time that takes

constexpr Index recent = 32 * 1024;  // numbers: what was read so lately is still near, what comes so soon too

/// Asks for those neighbours' vectors that no pass from agent to agent brings by itself.
void prefetch_far_neighbours(const SparseRows& W, Index agent, const Transport& transport, Index size) {
  for (Index k = W.outerIndexPtr()[agent]; k < W.outerIndexPtr()[agent + 1]; ++k) {
    const Index neighbour = W.innerIndexPtr()[k];
    if (std::abs(neighbour - agent) * size > recent) prefetch(transport.column(neighbour), size);
  }
}

/// A NaN wins, and so reaches everyone: all agents must come to the same decision.
double larger(double a, double b) { return std::isnan(a) || b <= a ? a : b; }

}  // namespace

Network::Network(const Topology& topology, Transport& transport, Meter& meter, Threads& threads)
    : topology_(topology), transport_(transport), meter_(meter), threads_(threads) {
  const auto* rows = topology.weights().outerIndexPtr();
  for (const Index i : transport.hosted()) {
    links_ += topology.graph().degree(i);
    largest_row_ = std::max<Index>(largest_row_, rows[i + 1] - rows[i]);
  }
  neighbours_.resize(static_cast<std::size_t>(threads.count() * largest_row_));
}

void Network::count(Index numbers) {
  ++meter_.communications;
  meter_.bytes += links_ * numbers * static_cast<Index>(sizeof(double));
}

void Network::start(const Block& X) {
  const Stopwatch watch(seconds_);
  sent_ = &X;
  transport_.start(X);
}

const Block& Network::finish() {
  const Stopwatch watch(seconds_);
  transport_.finish();
  const Block& X = *sent_;
  count(X.rows());
  result_.resizeLike(X);
  const Stores stores =
      2 * X.size() > cached_bytes() / static_cast<Index>(sizeof(double)) ? Stores::streaming : Stores::cached;
  const Index ranges = X.size() < worth_waking_others ? 1 : threads_.count();
  threads_.each(ranges, [&](Index range) { sum_neighbours(range, ranges, stores); });
  return result_;
}

/// The columns of one range of the result.
void Network::sum_neighbours(Index range, Index ranges, Stores stores) {
  const SparseRows& W = topology_.weights();
  const auto hosted = transport_.hosted();
  const Index d = result_.rows(), n = result_.cols();
  const Index first = range * n / ranges, end = (range + 1) * n / ranges;
  const double** const x = neighbours_.data() + range * largest_row_;
  for (Index c = first; c < end; ++c) {
    if (c + 1 < end) prefetch_far_neighbours(W, hosted[c + 1], transport_, d);
    const Index begin = W.outerIndexPtr()[hosted[c]], terms = W.outerIndexPtr()[hosted[c] + 1] - begin;
    for (Index k = 0; k < terms; ++k) x[k] = transport_.column(W.innerIndexPtr()[begin + k]);
    weighted_sum(W.valuePtr() + begin, x, terms, result_.data() + c * d, d, stores);
  }
  if (stores == Stores::streaming) end_streams();
}

double Network::maximum(const Vector& one_per_hosted_agent) {
  const Stopwatch watch(seconds_);
  if (!flood_rounds_) flood_rounds_ = rounds_to_reach_all(topology_.graph());
  const auto hosted = transport_.hosted();
  Block known = one_per_hosted_agent.transpose();
  for (Index round = 0; round < *flood_rounds_; ++round) {
    transport_.exchange(known);
    count(1);
    Block next = known;
    for (Index c = 0; c < known.cols(); ++c)
      for (const Index j : topology_.graph().neighbours(hosted[static_cast<std::size_t>(c)]))
        next(0, c) = larger(next(0, c), *transport_.column(j));
    known = std::move(next);
  }
  return known(0, 0);
}

const Block& Network::average(const Block& X) {
  const Block& all = transport_.gather(X);
  result_.resizeLike(X);
  auto mean = result_.col(0);
  mean = all.col(0);
  for (Index j = 1; j < all.cols(); ++j) mean += all.col(j);
  mean /= static_cast<double>(all.cols());
  threads_.each(result_.cols() - 1, [&](Index c) { result_.col(c + 1) = mean; });
  return result_;
}

}  // namespace ideal
