// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/data.hpp>

#include <cstdint>
#include <vector>

namespace ideal {

/// Who hears whom during one step, and what it makes of it: X - M X averages where M is symmetric with rows
/// that sum to zero. On a directed network it pushes: the columns of M sum to zero, so that what an agent
/// sends and what it keeps add up to what it had.
struct Links {
  SparseRows M;                  ///< row i: what agent i hears; diagonal stored, columns ascending
  std::vector<Index> listeners;  ///< how many hear each agent
};

/// How fast a sequence of links averages, measured on the sequence itself.
struct Averaging {
  double factor;        ///< what agents differ by shrinks to this share a step, in the long run
  double least_weight;  ///< of the push-sum weights v+ = v - M v, v_0 = 1: geometric mean over the steps
  bool directed;
};

/// The links of a run, step after step.
class LinkSequence {
 public:
  /// In turn; each edge awake with probability `awake`. The weight of one that sleeps stays with its sender,
  /// so that an agent need not know more than which of its own edges are awake, and columns still sum to
  /// zero.
  explicit LinkSequence(std::vector<Links> in_turn, bool directed, double awake = 1, std::uint64_t seed = 0);

  [[nodiscard]] bool directed() const { return directed_; }
  [[nodiscard]] bool changes() const { return in_turn_.size() > 1 || awake_ < 1; }
  [[nodiscard]] const std::vector<Links>& in_turn() const { return in_turn_; }
  [[nodiscard]] double awake() const { return awake_; }
  [[nodiscard]] std::uint64_t seed() const { return seed_; }
  [[nodiscard]] Index agents() const { return in_turn_.front().M.rows(); }

  /// Those of a step, perhaps drawn into `room`, which keeps its memory from step to step. Every host draws
  /// the same.
  const Links& at(Index step, Links& room) const;

  /// With `scale` times every M; throws InputError if it is too slow to be of any use.
  [[nodiscard]] Averaging measured(double scale) const;

 private:
  void draw(const Links& all, Index step, Links& room) const;

  std::vector<Links> in_turn_;
  bool directed_;
  double awake_;
  std::uint64_t seed_;
};

}  // namespace ideal
