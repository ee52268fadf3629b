// SPDX-License-Identifier: Apache-2.0
#include <ideal/trace.hpp>

#include <array>
#include <ostream>

#include <fmt/ostream.h>

namespace ideal {

std::string_view to_string(Status status) {
  static constexpr std::array<std::string_view, 5> names{"running", "converged", "budget", "diverged",
                                                         "interrupted"};
  return names[static_cast<std::size_t>(status)];
}

void write_csv(const Trace& trace, std::ostream& out) {
  out << "iteration,computations,communications,bytes,seconds,suboptimality,worst_suboptimality,consensus,"
         "distance\n";
  for (const TraceRow& row : trace)
    fmt::print(out, "{},{:.17g},{},{},{:.17g},{:.17g},{:.17g},{:.17g},{:.17g}\n", row.iteration,
               row.meter.computations, row.meter.communications, row.meter.bytes, row.seconds,
               row.suboptimality, row.worst_suboptimality, row.consensus, row.distance);
}

}  // namespace ideal
