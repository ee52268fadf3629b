// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/mixing.hpp>

namespace ideal {

/// The sums of each row over all agents, bit for bit as Mixing::total has them, without a round of their own:
/// they ride on messages up a spanning tree and down again.
class RidingTotal final : public Passenger {
 public:
  /// Its state, to be kept with a method's.
  struct State {
    Index rounds_left = 0;
    Block numbers;  ///< by agent: the sums it knows of, and to whom it tells them
  };

  /// Of so many numbers an agent.
  RidingTotal(Mixing& W, Index numbers, Index hosted_agents);

  /// A column per hosted agent of both, the second below the first.
  void begin(const Block& first, const Block& second);
  [[nodiscard]] bool over() const { return state.rounds_left == 0; }

  /// At every agent the same, when it is over.
  [[nodiscard]] Vector result() const { return state.numbers.col(0).head(state.numbers.rows() - 1); }

  [[nodiscard]] const Block& leaving() const override { return state.numbers; }
  void heard(Index c, Index neighbour, double weight, const double* numbers) override;
  void round_over() override;

  State state;

 private:
  void address();

  Mixing& W_;
};

}  // namespace ideal
