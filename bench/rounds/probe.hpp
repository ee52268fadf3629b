// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/ideal.hpp>

#include <array>
#include <functional>
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

/// How long a run may go on.
struct Limits {
  double budget;      ///< computations
  double wanted = 0;  ///< until the agents certify that they are so near the optimum; 0: by the truth
  /// Whether a run that has come so far, and reached so much, tells nothing more.
  std::function<bool(const ideal::Meter&, const Costs&)> beaten = [](const ideal::Meter&, const Costs&) {
    return false;
  };
};

/// Runs a method until the worst agent has reached the last target, or the limits are met. The worst is
/// looked for among the agents farthest from the optimum, at computations 1 % apart, as soon as their mean
/// has reached a target.
Outcome probe(const ideal::Problem& problem, const ideal::Topology& topology, const ideal::Method& method,
              const Limits& limits);

}  // namespace bench
