// SPDX-License-Identifier: Apache-2.0
#include "method/riding_total.hpp"

#include <algorithm>

namespace ideal {

RidingTotal::RidingTotal(Mixing& W, Index numbers, Index hosted_agents) : W_(W) {
  state.numbers = Block::Zero(numbers + 1, hosted_agents);
}

void RidingTotal::begin(const Block& first, const Block& second) {
  state.rounds_left = 2 * W_.tree().radius;
  state.numbers.topRows(first.rows()) = first;
  state.numbers.middleRows(first.rows(), second.rows()) = second;
  address();
}

/// In the first half level after level tells its parents, from the farthest on; in the second each takes from
/// its parent what that knows.
void RidingTotal::heard(Index c, Index neighbour, double /*weight*/, const double* numbers) {
  const Tree& tree = W_.tree();
  const auto here = static_cast<std::size_t>(c);
  const Index size = state.numbers.rows() - 1;
  const Eigen::Map<const Vector> theirs(numbers, size);
  if (numbers[size] == static_cast<double>(tree.agents[here]))
    state.numbers.col(c).head(size) += theirs;
  else if (neighbour == tree.parents[here] && tree.hops[here] == tree.radius - state.rounds_left + 1)
    state.numbers.col(c).head(size) = theirs;
}

void RidingTotal::round_over() {
  state.rounds_left = std::max<Index>(state.rounds_left - 1, 0);
  address();
}

void RidingTotal::address() {
  const Tree& tree = W_.tree();
  const Index level = state.rounds_left - tree.radius;  // 0 and less: down again
  for (Index c = 0; c < state.numbers.cols(); ++c) {
    const auto here = static_cast<std::size_t>(c);
    const bool tells = level > 0 && tree.hops[here] == level;
    state.numbers(state.numbers.rows() - 1, c) = tells ? static_cast<double>(tree.parents[here]) : -1;
  }
}

}  // namespace ideal
