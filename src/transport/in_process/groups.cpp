// SPDX-License-Identifier: Apache-2.0
#include "transport/in_process/groups.hpp"

#include <ideal/error.hpp>

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace ideal {

GroupTransport::GroupTransport(const Graph& graph, Index first, Index end, std::function<void()> wait)
    : agents_(static_cast<std::size_t>(end - first)), wait_(std::move(wait)) {
  std::iota(agents_.begin(), agents_.end(), first);
  const auto elsewhere = [&](Index agent) { return agent < first || agent >= end; };
  for (const Index i : agents_)
    if (std::ranges::any_of(graph.neighbours(i), elsewhere)) shown_.push_back(i - first);
}

void GroupTransport::connect(const Graph& graph, std::span<GroupTransport* const> groups) {
  std::vector<std::size_t> group_of(static_cast<std::size_t>(graph.agents()));
  for (std::size_t g = 0; g < groups.size(); ++g)
    for (const Index i : groups[g]->agents_) group_of[static_cast<std::size_t>(i)] = g;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    GroupTransport& here = *groups[g];
    std::vector<Index> agents;
    for (const Index i : here.agents_)
      std::ranges::copy_if(graph.neighbours(i), std::back_inserter(agents),
                           [&](Index j) { return group_of[static_cast<std::size_t>(j)] != g; });
    std::ranges::sort(agents);
    const auto [end, last] = std::ranges::unique(agents);
    agents.erase(end, last);
    for (const Index agent : agents) {
      const std::size_t other = group_of[static_cast<std::size_t>(agent)];
      const GroupTransport& there = *groups[other];
      const auto place = std::ranges::lower_bound(there.shown_, agent - there.agents_.front());
      here.neighbours_.push_back({agent, &there, place - there.shown_.begin()});
      if (here.beside_.empty() || here.beside_.back() != other) {  // agents of a group follow each other
        here.beside_.push_back(other);
        here.peers_.push_back(&there);
      }
    }
  }
}

bool GroupTransport::heard_all() const {
  return std::ranges::all_of(peers_, [this](const GroupTransport* peer) {
    return peer->sent_.load(std::memory_order_acquire) > round_;
  });
}

void GroupTransport::start(const Block& X) { send(X, nullptr); }

void GroupTransport::start_laden(const Block& X, const Block& riders) { send(X, &riders); }

void GroupTransport::send(const Block& X, const Block* riders) {
  X_ = &X;
  riders_ = riders;
  ++round_;
  Copies& copies = copies_[static_cast<std::size_t>(round_ % 2)];
  const Index d = X.rows(), more = riders ? riders->rows() : 0;
  copies.resize(d + more, std::ssize(shown_));
  double* to = copies.numbers.data();
  for (const Index c : shown_) {
    to = std::copy_n(X.col(c).data(), d, to);
    if (riders) to = std::copy_n(riders->col(c).data(), more, to);
  }
  sent_.store(round_ + 1, std::memory_order_release);
}

void GroupTransport::expect(const Block& X, const Block& riders) {
  for (Copies& copies : copies_) copies.resize(X.rows() + riders.rows(), std::ssize(shown_));
}

void GroupTransport::finish() {
  while (!heard_all()) wait_();
  const Index length = X_->rows() + (riders_ ? riders_->rows() : 0);
  for (const GroupTransport* peer : peers_)
    if (peer->copies(round_).length != length)
      throw RunError("agents are out of step: they send vectors of different lengths");
}

const double* GroupTransport::column(Index agent) const {
  return is_here(agent) ? X_->col(here(agent)).data() : copy_of(agent);
}

const double* GroupTransport::rider(Index agent) const {
  return is_here(agent) ? riders_->col(here(agent)).data() : copy_of(agent) + X_->rows();
}

const double* GroupTransport::copy_of(Index agent) const {
  const auto found = std::ranges::lower_bound(neighbours_, agent, {}, &Neighbour::agent);
  return found->group->copies(round_).column(found->place);
}

const Block& GroupTransport::gather(const Block&) { throw std::logic_error("groups of agents never gather"); }

void GroupTransport::relay(Block&, const std::function<void(Index, Block&)>&) {
  throw std::logic_error("groups of agents hand nothing on");
}

}  // namespace ideal
