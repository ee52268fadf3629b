// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/problems.hpp"

#include <vector>

namespace ideal::test {

/// What a method did, pass by pass.
struct Recording {
  std::vector<Block> X;          // before each computation; X[0] is the start
  std::vector<Index> iteration;  // the iteration the method reported
  std::vector<Meter> meter;
  std::vector<Checkpoint> states;  // everything the method keeps

  /// The iterate at the end of each outer iteration, X_1, X_2, ...
  [[nodiscard]] std::vector<Block> outer() const {
    std::vector<Block> ends;
    for (std::size_t p = 1; p < X.size(); ++p)
      if (iteration[p] > iteration[p - 1]) ends.push_back(X[p]);
    return ends;
  }
};

/// Runs a method for a number of passes in the simulator and keeps every iterate.
Recording record(const Problem& problem, const Topology& topology, const Method& method, std::size_t passes);

/// Largest relative difference between the first `count` iterates of two sequences; not finite where one is
/// shorter or not finite.
double difference(const std::vector<Block>& a, const std::vector<Block>& b, std::size_t count);

/// |sum of the columns| / |X|: zero to rounding for dual variables.
double relative_column_sum(const Block& X);

/// From one vector to those of all agents together.
double squared_distance(const Block& X, const Vector& best);

}  // namespace ideal::test
