// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/ideal.hpp>

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace bench {

constexpr std::array<double, 3> targets{1e-4, 1e-8, 1e-10};

/// What it took to come so far, by target; none if it did not.
using Costs = std::array<std::optional<ideal::Meter>, targets.size()>;

struct Outcome {
  Costs reached;  ///< by the truth
  bool diverged = false;
  std::optional<ideal::Meter> certified;  ///< when the agents themselves knew it
  bool wrong = false;                     ///< a certificate was given that does not hold
  double first_gap = 0;
  ideal::Resolved parameters;
};

/// Runs a method until the worst agent has reached the last target, or, if `wanted` is not 0, until the
/// agents certify that they are so near the optimum; or until a budget of computations is spent. The worst is
/// looked for among the agents farthest from the optimum, at computations 1 % apart.
Outcome probe(const ideal::Problem& problem, const ideal::Topology& topology, const ideal::Method& method,
              double budget, double wanted = 0);

}  // namespace bench
