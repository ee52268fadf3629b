// SPDX-License-Identifier: Apache-2.0
#include <ideal/error.hpp>
#include <ideal/links.hpp>
#include <ideal/random.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace ideal {
namespace {

/// Whether each edge is awake at one step: any host can tell of any edge, whatever it has drawn before.
class AwakeEdges {
 public:
  AwakeEdges(std::uint64_t seed, Index step, Index agents, bool directed, double p)
      : key_(Random(seed, static_cast<std::uint64_t>(step)).next()),
        agents_(agents),
        directed_(directed),
        p_(p) {}

  [[nodiscard]] bool awake(Index to, Index from) const {
    if (!directed_ && to > from) std::swap(to, from);  // the two ends of an edge wake together
    return Random(key_, static_cast<std::uint64_t>(to * agents_ + from)).uniform() < p_;
  }

 private:
  std::uint64_t key_;
  Index agents_;
  bool directed_;
  double p_;
};

Index most_entries(const std::vector<Links>& in_turn) {
  Index most = 0;
  for (const Links& links : in_turn) most = std::max(most, links.M.nonZeros());
  return most;
}

}  // namespace

LinkSequence::LinkSequence(std::vector<Links> in_turn, bool directed, double awake, std::uint64_t seed)
    : in_turn_(std::move(in_turn)), directed_(directed), awake_(awake), seed_(seed) {}

const Links& LinkSequence::at(Index step, Links& room) const {
  const Links& all = in_turn_[static_cast<std::size_t>(step) % in_turn_.size()];
  if (awake_ == 1) return all;
  if (room.M.rows() != agents()) {
    room.M.resize(agents(), agents());
    room.M.reserve(most_entries(in_turn_));
    room.listeners.resize(static_cast<std::size_t>(agents()));
  }
  draw(all, step, room);
  return room;
}

void LinkSequence::draw(const Links& all, Index step, Links& room) const {
  const AwakeEdges edges(seed_, step, agents(), directed_, awake_);
  room.M.resizeNonZeros(all.M.nonZeros());
  int* const starts = room.M.outerIndexPtr();
  int* const columns = room.M.innerIndexPtr();
  double* const values = room.M.valuePtr();
  std::ranges::fill(room.listeners, 0);

  int at = 0;
  for (Index to = 0; to < agents(); ++to) {
    starts[to] = at;
    for (SparseRows::InnerIterator entry(all.M, to); entry; ++entry) {
      const bool own = entry.col() == to;
      if (!own && !edges.awake(to, entry.col())) continue;
      columns[at] = static_cast<int>(entry.col());
      values[at++] = own ? 0 : entry.value();
      if (!own) ++room.listeners[static_cast<std::size_t>(entry.col())];
    }
  }
  starts[agents()] = at;
  room.M.resizeNonZeros(at);

  // What an agent does not send it keeps: each column sums to zero.
  const auto diagonal = [&](Index agent) -> double& {
    return *(values + (std::lower_bound(columns + starts[agent], columns + starts[agent + 1],
                                        static_cast<int>(agent)) -
                       columns));
  };
  for (Index to = 0; to < agents(); ++to)
    for (int k = starts[to]; k < starts[to + 1]; ++k)
      if (columns[k] != to) diagonal(columns[k]) -= values[k];
}

Averaging LinkSequence::measured(double scale) const {
  constexpr double slowest = 1e-6, settled = 0.02;
  constexpr Index most_steps = 1 << 20;
  constexpr double most_work = 5e7;  // entries of links looked at
  const Index n = agents();

  // A sum of zero is what no step changes, so Z dies out as fast as agents come to agree.
  Random random(1);
  Vector Z(n), v = Vector::Ones(n);
  for (double& z : Z) z = random.uniform() - 0.5;
  Z.array() -= Z.mean();
  double logarithm = 0, before = std::numeric_limits<double>::infinity(), gap = 0, least = 1;
  Links room;
  Index step = 0;
  const auto take_step = [&] {
    const SparseRows& M = at(step++, room).M;
    Z -= scale * (M * Z);
    v -= scale * (M * v);
    least = std::min(least, v.minCoeff());
    const double norm = Z.norm();
    logarithm += std::log(norm);
    if (norm > 0) Z *= 1 / norm;
    return norm > 0;
  };
  // Ever longer stretches, whole periods each, until two of them agree. Where chance wakes the edges, rare
  // steps matter, too.
  const auto period = static_cast<Index>(in_turn_.size());
  const auto affordable = static_cast<Index>(most_work / static_cast<double>(most_entries(in_turn_)));
  const Index first_stretch = std::min<Index>(awake_ < 1 ? 2048 : 64, std::max<Index>(64, affordable));
  Z.array() /= Z.norm();
  for (Index periods = 1 + (first_stretch - 1) / period;; periods *= 2) {
    logarithm = 0;
    for (Index k = 0; k < periods * period; ++k) {
      if (!take_step()) return {.factor = 0, .least_weight = least, .directed = directed_};
      if (k % 16 == 0) Z.array() -= Z.mean();
    }
    gap = 1 - std::exp(logarithm / static_cast<double>(periods * period));
    const bool spent = step > std::min(most_steps, affordable);
    if (spent || std::abs(gap - before) < settled * gap) break;
    before = gap;
  }
  if (!(gap > slowest))
    throw InputError("--graph", fmt::format("agents come to agree by {:.2g} a step", gap),
                     fmt::format("at least {}", slowest), "Add edges, or wake them more often.");
  return {.factor = 1 - gap, .least_weight = least, .directed = directed_};
}

}  // namespace ideal
