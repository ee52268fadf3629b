// SPDX-License-Identifier: Apache-2.0
#include <ideal/mixing.hpp>
#include <ideal/stopwatch.hpp>

#include <algorithm>
#include <cmath>

namespace ideal {

namespace {

/// The diameter, or where that takes too long to find twice the distance from one agent to the farthest,
/// which is no less.
Index rounds_to_reach_all(const Graph& graph) {
  constexpr Index exact_limit = 2000;
  if (graph.agents() <= exact_limit) return graph.diameter(exact_limit).hops;
  return std::min(graph.agents() - 1, 2 * std::ranges::max(graph.hops_from(0)));
}

/// Row `agent` of W times the agents' vectors, added up one after the other; up to four in a pass, which
/// leaves the order and so the bits as they are.
void add_in_order(const SparseRows& W, Index agent, const Transport& transport, Eigen::Ref<Vector> sum) {
  const Index first = W.outerIndexPtr()[agent], end = W.outerIndexPtr()[agent + 1];
  const auto w = [&](Index k) { return W.valuePtr()[k]; };
  const auto x = [&](Index k) {
    return Eigen::Map<const Vector>(transport.column(W.innerIndexPtr()[k]), sum.size());
  };
  Index k = first;
  switch ((end - first) % 4) {
    case 0:
      sum.setZero();
      break;
    case 1:
      sum = w(k) * x(k);
      break;
    case 2:
      sum = w(k) * x(k) + w(k + 1) * x(k + 1);
      break;
    default:
      sum = w(k) * x(k) + w(k + 1) * x(k + 1) + w(k + 2) * x(k + 2);
  }
  for (k += (end - first) % 4; k < end; k += 4)
    sum = sum + w(k) * x(k) + w(k + 1) * x(k + 1) + w(k + 2) * x(k + 2) + w(k + 3) * x(k + 3);
}

/// A NaN wins, and so reaches everyone: all agents must come to the same decision.
double larger(double a, double b) { return std::isnan(a) || b <= a ? a : b; }

}  // namespace

Network::Network(const Topology& topology, Transport& transport, Meter& meter, Threads& threads)
    : topology_(topology), transport_(transport), meter_(meter), threads_(threads) {
  for (const Index i : transport.hosted()) links_ += topology.graph().degree(i);
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
  const auto hosted = transport_.hosted();
  threads_.each(X.cols(), [&](Index c) {
    add_in_order(topology_.weights(), hosted[static_cast<std::size_t>(c)], transport_, result_.col(c));
  });
  return result_;
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

Vector Network::average(const Block& X) {
  const Block& all = transport_.gather(X);
  Vector sum = all.col(0);
  for (Index j = 1; j < all.cols(); ++j) sum += all.col(j);
  return sum / static_cast<double>(all.cols());
}

}  // namespace ideal
