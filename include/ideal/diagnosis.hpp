// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/solve.hpp>

#include <string>
#include <vector>

namespace ideal {

/// A quantity that broke a rule, and what to set instead.
struct Finding {
  std::string quantity;  ///< "step"
  double value = 0;
  std::string rule;    ///< "below 2/L = 0.2, with the curvature L = 10 of agent 3"
  std::string remedy;  ///< "--set step=auto"
};

/// "step = 0.5, but it is to be below 2/L = 0.2, with the curvature L = 10 of agent 3. Try --set step=auto."
std::string to_string(const Finding& finding);

/// Whether the gap has not become smaller for the second half of a run.
bool stalled(std::span<const TraceRow> trace);

/// Why a run did not arrive, worst first: which quantity broke which rule. It looks at what the caller has,
/// all iterates and at least some of the losses, and takes some ten passes over their data. Empty where the
/// run broke no known rule, and was not too short either.
std::vector<Finding> diagnose(const Problem& problem, const Topology& topology, const Method& method,
                              const Result& result, double tol);

}  // namespace ideal
