// SPDX-License-Identifier: Apache-2.0
#include "core/cache.hpp"
#include "core/huge_pages.hpp"
#include "network/weighted_sum.hpp"

#include <ideal/mixing.hpp>
#include <ideal/stopwatch.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

namespace ideal {

namespace {

/// The agent that has the farthest nearest, or where finding that takes too long the first.
Centre centre_of(const Graph& graph) {
  constexpr Index exact_limit = 2000;
  Centre best{.agent = 0, .radius = std::ranges::max(graph.hops_from(0))};
  for (Index i = 1; i < graph.agents() && graph.agents() <= exact_limit; ++i)
    if (const Index hops = std::ranges::max(graph.hops_from(i)); hops < best.radius) best = {i, hops};
  return best;
}

/// Asks for the beginning of a vector that is needed soon; the CPU sees the rest coming.
void prefetch(const double* column, Index size) {
  constexpr Index line = 8, most = 16 * line;
  for (Index i = 0; i < std::min(size, most); i += line) __builtin_prefetch(column + i);
}

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
    : topology_(topology), transport_(transport), meter_(meter), threads_(threads), M_(&topology.weights()) {
  const auto* rows = topology.weights().outerIndexPtr();
  Index longest_row = 0;
  for (const Index i : transport.hosted()) {
    links_ += topology.graph().degree(i);
    longest_row = std::max<Index>(longest_row, rows[i + 1] - rows[i]);
  }
  // What two threads write for every agent lies on no common line, nor on one of a pair.
  constexpr Index apart = 2 * cache_line / sizeof(double*);
  list_to_list_ = longest_row + apart;
  neighbours_.resize(static_cast<std::size_t>(threads.count() * list_to_list_));
}

void Network::count(Index numbers) {
  ++meter_.communications;
  meter_.bytes += links_ * numbers * static_cast<Index>(sizeof(double));
}

/// A step lasts from one gradient to the next. The meter counts them, so that a resumed run is at the step it
/// was at.
void Network::look_around() {
  const LinkSequence* const sequence = topology_.sequence();
  const Index step = std::max<Index>(0, static_cast<Index>(meter_.computations) - 1);
  if (!sequence || step == step_) return;
  step_ = step;
  const Links& links = sequence->at(step, drawn_);
  M_ = &links.M;
  links_ = 0;
  for (const Index i : transport_.hosted()) links_ += links.listeners[static_cast<std::size_t>(i)];
}

void Network::start(const Block& X) {
  const Stopwatch watch(seconds_);
  look_around();
  sent_ = &X;
  if (load() > 0)
    transport_.start_laden(X, riders(X.cols()));
  else
    transport_.start(X);
}

/// A passenger's numbers, and below them what is carried.
const Block& Network::riders(Index agents) {
  riders_.resize(load(), agents);
  if (passenger_) riders_.topRows(passengers()) = passenger_->leaving();
  if (carried_) riders_.bottomRows(carried_->rows()) = *carried_;
  return riders_;
}

void Network::expect_load(const Block& X, const Block& numbers) {
  riders_.resizeLike(numbers);
  transport_.expect(X, numbers);
}

/// What neighbours have sent, and what came with it.
void Network::receive() {
  transport_.finish();
  count(sent_->rows() + load());
  if (passenger_) tell(*passenger_, [this](Index agent) { return transport_.rider(agent); });
  if (carried_) {
    keep_largest(*carried_, [this](Index agent) { return transport_.rider(agent) + passengers(); });
    ++rounds_carried_;
  }
}

Index Network::ranges_of(const Block& X) const {
  return X.size() < Threads::worth_waking_others ? 1 : threads_.count();
}

const Block& Network::finish() {
  const Stopwatch watch(seconds_);
  receive();
  const Block& X = *sent_;
  room_for(X);
  const Stores stores =
      2 * X.size() > cached_bytes() / static_cast<Index>(sizeof(double)) ? Stores::streaming : Stores::cached;
  const Index ranges = ranges_of(X);
  threads_.each(ranges, [&](Index range) { sum_neighbours(range, ranges, stores); });
  return *result_;
}

void Network::finish_by_parts(const UseOfPart& use) {
  const Stopwatch watch(seconds_);
  receive();
  const Index size = sent_->size(), parts = Own::parts(size), ranges = ranges_of(*sent_);
  threads_.each(ranges, [&](Index range) {
    alignas(cache_line) double sum[Own::most];
    for (Index part = range * parts / ranges; part < (range + 1) * parts / ranges; ++part) {
      const Own own(part, size);
      sum_stretch(own.first(), own.count(), neighbours_of_range(range), sum);
      use(own, MixedPart(sum, own.count()));
    }
  });
}

Block& Network::room_for(const Block& X) {
  result_ = &results_[X.rows()];
  if (result_->rows() != X.rows() || result_->cols() != X.cols()) {
    result_->resizeLike(X);
    prefer_huge_pages(*result_);
  }
  return *result_;
}

/// The columns of one range of the result.
void Network::sum_neighbours(Index range, Index ranges, Stores stores) {
  const SparseRows& W = *M_;
  const auto hosted = transport_.hosted();
  const Index d = result_->rows(), n = result_->cols();
  const Index first = range * n / ranges, end = (range + 1) * n / ranges;
  const double** const x = neighbours_of_range(range);
  for (Index c = first; c < end; ++c) {
    if (c + 1 < end) prefetch_far_neighbours(W, hosted[c + 1], transport_, d);
    const Index begin = W.outerIndexPtr()[hosted[c]], terms = W.outerIndexPtr()[hosted[c] + 1] - begin;
    for (Index k = 0; k < terms; ++k) x[k] = transport_.column(W.innerIndexPtr()[begin + k]);
    weighted_sum(W.valuePtr() + begin, x, terms, result_->data() + c * d, d, stores);
  }
  if (stores == Stores::streaming) end_streams();
}

/// Entries first ... first+count-1 of the result, which may belong to several agents, or to some of one's.
void Network::sum_stretch(Index first, Index count, const double** x, double* result) const {
  const SparseRows& W = *M_;
  const auto hosted = transport_.hosted();
  const Index d = sent_->rows(), end = first + count;
  for (Index at = first; at < end;) {
    const Index c = at / d, row = at % d, some = std::min(d - row, end - at);
    if (row == 0 && c + 1 < std::ssize(hosted)) prefetch_far_neighbours(W, hosted[c + 1], transport_, d);
    const Index begin = W.outerIndexPtr()[hosted[c]], terms = W.outerIndexPtr()[hosted[c] + 1] - begin;
    for (Index k = 0; k < terms; ++k) x[k] = transport_.column(W.innerIndexPtr()[begin + k]) + row;
    weighted_sum(W.valuePtr() + begin, x, terms, result + (at - first), some, Stores::cached);
    at += some;
  }
}

/// Of its own numbers and its neighbours'.
template <class Theirs>
void Network::keep_largest(Block& numbers, const Theirs& theirs_of) {
  const auto hosted = transport_.hosted();
  for (Index c = 0; c < numbers.cols(); ++c)
    for (const Index j : topology_.graph().neighbours(hosted[static_cast<std::size_t>(c)])) {
      const double* const theirs = theirs_of(j);
      for (Index k = 0; k < numbers.rows(); ++k) numbers(k, c) = larger(numbers(k, c), theirs[k]);
    }
}

template <class Theirs>
void Network::tell(Passenger& passenger, const Theirs& theirs_of) {
  const auto hosted = transport_.hosted();
  for (Index c = 0; c < std::ssize(hosted); ++c) {
    const Index agent = hosted[static_cast<std::size_t>(c)];
    for (const Index j : topology_.graph().neighbours(agent))
      passenger.heard(c, j, topology_.weights().coeff(agent, j), theirs_of(j));
  }
  passenger.round_over();
}

void Network::send(Passenger& passenger) {
  const Stopwatch watch(seconds_);
  riders_ = passenger.leaving();
  transport_.exchange(riders_);
  count(riders_.rows());
  tell(passenger, [this](Index agent) { return transport_.column(agent); });
}

Index Network::reach() { return topology_.reach(); }

Vector Network::maxima(const Block& column_per_hosted_agent) {
  (void)reach();  // looks at the whole graph once; no part of a round's time
  const Stopwatch watch(seconds_);
  Block known = column_per_hosted_agent, sent;
  for (Index round = 0; round < reach(); ++round) {
    sent = known;
    transport_.exchange(sent);
    count(sent.rows());
    keep_largest(known, [this](Index agent) { return transport_.column(agent); });
  }
  return known.col(0);
}

/// Gershgorin's: the sum of a row's absolute values.
Vector Network::local_bounds() const {
  const auto hosted = transport_.hosted();
  Vector sums = Vector::Zero(std::ssize(hosted));
  for (Index c = 0; c < sums.size(); ++c)
    for (SparseRows::InnerIterator entry(topology_.weights(), hosted[c]); entry; ++entry)
      sums[c] += std::abs(entry.value());
  return sums;
}

const Centre& Network::centre() {
  if (!centre_) centre_ = centre_of(topology_.graph());
  return *centre_;
}

/// Like the connections, it is there before a run begins. An agent's parent is its first neighbour one hop
/// nearer to the centre.
const Tree& Network::tree() {
  if (!tree_.parents.empty()) return tree_;
  tree_.radius = centre().radius;
  const std::vector<Index> hops = topology_.graph().hops_from(centre().agent);
  for (const Index agent : transport_.hosted()) {
    const auto neighbours = topology_.graph().neighbours(agent);
    const auto parent = std::ranges::find(neighbours, hops[agent] - 1,
                                          [&](Index j) { return hops[static_cast<std::size_t>(j)]; });
    tree_.agents.push_back(agent);
    tree_.parents.push_back(parent == neighbours.end() ? -1 : *parent);
    tree_.hops.push_back(hops[static_cast<std::size_t>(agent)]);
  }
  return tree_;
}

/// Children are added in agent order, so that every transport gives the same bits. A message says in its last
/// number whom it is for: the sender's parent.
Vector Network::total(const Block& column_per_hosted_agent) {
  const auto& [agents, parents, hops, radius] = tree();
  const Stopwatch watch(seconds_);
  const auto hosted = transport_.hosted();
  const Index count_of = column_per_hosted_agent.rows();
  Block sums(count_of + 1, std::ssize(hosted)), sent;
  sums << column_per_hosted_agent, Block::Constant(1, sums.cols(), -1);
  const auto exchange = [&] {
    sent = sums;
    transport_.exchange(sent);
    count(sums.rows());
  };
  const auto add_children = [&](Index c) {
    for (const Index j : topology_.graph().neighbours(hosted[c])) {
      const Eigen::Map<const Vector> theirs(transport_.column(j), sums.rows());
      if (theirs[count_of] == static_cast<double>(hosted[c]))
        sums.col(c).head(count_of) += theirs.head(count_of);
    }
  };
  const auto take_from_parent = [&](Index c) {
    sums.col(c) = Eigen::Map<const Vector>(transport_.column(parents[c]), sums.rows());
  };
  for (Index level = radius; level > 0; --level) {
    for (Index c = 0; c < sums.cols(); ++c)
      sums(count_of, c) = static_cast<double>(hops[c] == level ? parents[c] : -1);
    exchange();
    for (Index c = 0; c < sums.cols(); ++c) add_children(c);
  }
  for (Index level = 1; level <= radius; ++level) {
    exchange();
    for (Index c = 0; c < sums.cols(); ++c)
      if (hops[c] == level) take_from_parent(c);
  }
  return sums.col(0).head(count_of);
}

const Block& Network::average(const Block& X) {
  const Block& all = transport_.gather(X);
  Block& result = room_for(X);
  auto mean = result.col(0);
  mean = all.col(0);
  for (Index j = 1; j < all.cols(); ++j) mean += all.col(j);
  mean /= static_cast<double>(all.cols());
  threads_.each(result.cols() - 1, [&](Index c) { result.col(c + 1) = mean; });
  return result;
}

const Block& Network::average_over_tree(const Block& X) {
  const Stopwatch watch(seconds_);
  for (Index round = 0; round < 2 * centre().radius; ++round) count(X.rows());
  return average(X);
}

Neighbourhood Network::neighbourhood() const {
  const auto hosted = transport_.hosted();
  const Neighbourhood& all = topology_.neighbourhood();
  Neighbourhood known{.diagonal = Vector(std::ssize(hosted)),
                      .least = all.least,
                      .most = all.most,
                      .colours = {},
                      .colour_count = all.colour_count};
  for (Index c = 0; c < std::ssize(hosted); ++c) {
    const Index agent = hosted[static_cast<std::size_t>(c)];
    known.diagonal[c] = all.diagonal[agent];
    known.colours.push_back(all.colours[static_cast<std::size_t>(agent)]);
  }
  return known;
}

}  // namespace ideal
