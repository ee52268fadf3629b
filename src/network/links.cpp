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

/// Lets what agents differ by die out, and push-sum weights find their place.
class Decay {
 public:
  Decay(const LinkSequence& sequence, double scale)
      : sequence_(sequence), scale_(scale), Z_(sequence.agents()), v_(Vector::Ones(sequence.agents())) {
    Random random(1);
    for (double& z : Z_) z = random.uniform() - 0.5;
    normalise();
  }

  /// One minus the share of Z that a step leaves, the geometric mean over the next ones.
  double gap_over(Index steps) {
    double logarithm = 0, weights = 0;
    for (Index k = 0; k < steps; ++k) {
      const SparseRows& M = sequence_.at(step_++, room_).M;
      Z_ -= scale_ * (M * Z_);
      v_ -= scale_ * (M * v_);
      weights += std::log(v_.minCoeff());
      logarithm += std::log(normalise());
    }
    least_weight_ = std::exp(weights / static_cast<double>(steps));
    return 1 - std::exp(logarithm / static_cast<double>(steps));
  }

  /// Over the same steps.
  [[nodiscard]] double least_weight() const { return least_weight_; }
  [[nodiscard]] Index steps() const { return step_; }

 private:
  /// No step changes the sum, which is zero but for rounding. Nothing left counts as rounding, too.
  double normalise() {
    Z_.array() -= Z_.mean();
    const double norm = Z_.norm();
    if (norm < std::numeric_limits<double>::min()) {
      Z_.setZero();
      return std::numeric_limits<double>::min();
    }
    Z_ /= norm;
    return norm;
  }

  const LinkSequence& sequence_;
  double scale_;
  Vector Z_, v_;
  double least_weight_ = 1;
  Links room_;
  Index step_ = 0;
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
  constexpr double most_steps = 1e6, most_work = 5e7;  // entries of links looked at
  const double affordable = std::min(most_steps, most_work / static_cast<double>(most_entries(in_turn_)));

  // Ever longer stretches, whole periods each, until two of them agree. Where chance wakes the edges, rare
  // steps matter, too.
  Decay decay(*this, scale);
  const auto period = static_cast<Index>(in_turn_.size());
  const double first = std::min(awake_ < 1 ? 2048.0 : 64.0, std::max(64.0, affordable));
  double gap = decay.gap_over(period), before = std::numeric_limits<double>::infinity();
  for (Index periods = 1 + static_cast<Index>(first) / period;
       std::abs(gap - before) > settled * gap && static_cast<double>(decay.steps()) < affordable;
       periods *= 2)
    before = std::exchange(gap, decay.gap_over(periods * period));
  if (!(gap > slowest))
    throw InputError("--graph", fmt::format("agents come to agree by {:.2g} a step", gap),
                     fmt::format("at least {}", slowest), "Add edges, or wake them more often.");
  return {.factor = 1 - gap, .least_weight = decay.least_weight(), .directed = directed_};
}

}  // namespace ideal
