// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/meter.hpp>

#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string_view>
#include <vector>

namespace ideal {

/// One recorded iterate.
struct TraceRow {
  Index iteration = 0;
  Meter meter;                     ///< bytes: of all agents
  double seconds = 0;              ///< spent in the method; observation is not counted
  double suboptimality = 0;        ///< f(mean) - f*
  double worst_suboptimality = 0;  ///< max_i f(x_i) - f*
  double consensus = 0;            ///< |X - 1 mean'|
  double distance = 0;             ///< |X - X*|^2
  /// Agents at which f was evaluated, the worst of which is recorded: with many agents, those where its bound
  /// is largest. None: every agent.
  std::optional<Index> evaluated = {};
  /// What the agents have proven last by themselves, of the mean of some rounds ago; of a run that ended by
  /// it, of this row. None: nothing yet.
  std::optional<double> certified = {};
};

using Trace = std::vector<TraceRow>;

enum class Status { running, converged, budget, diverged, interrupted };
std::string_view to_string(Status status);

/// Header and rows as CSV with 17 significant digits; `certified` is a column where the method certifies what
/// it has reached (nan before its first word), `evaluated` one where f was not evaluated at every agent.
void write_csv(const Trace& trace, std::ostream& out);

/// Reads what `write_csv` wrote, to the last bit; throws InputError naming file and line.
Trace read_trace(const std::filesystem::path& file);
Trace parse_trace(std::string_view text, std::string_view name);

}  // namespace ideal
