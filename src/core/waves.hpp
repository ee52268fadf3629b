// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/solve.hpp>

#include <optional>

namespace ideal {

/// What a method leaves behind.
struct Ran {
  Block X;  ///< a column per hosted agent
  Meter meter;
  Resolved parameters;
  Checkpoint checkpoint;
  std::optional<std::size_t> dual;
  double computing = 0, mixing = 0;  ///< seconds
};

/// Where all agents' rows are more than a cache holds, an iteration of all agents brings each row from memory
/// once. A wave brings it once for many iterations: agents are cut into groups that fit a cache, and a group
/// goes on to the next iteration as soon as the groups beside it allow, while its rows are still there. Each
/// entry's operations and their order stay what they were, and so do the bits.
struct Wave {
  Index group;   ///< agents in each
  Index passes;  ///< between two moments at which all agents are equally far
};

/// The wave for a problem, if one pays: the method has to be local, the network the same at all times and
/// such that groups of agents that follow each other have few others beside them, and whoever watches must
/// not want to see every iterate.
std::optional<Wave> wave_for(const Problem& problem, const Topology& topology, const Method& method,
                             const Monitor& monitor, int threads);

/// Runs a method on all agents. `start` is the common starting point. None, and nothing has begun, where the
/// system has no room for a stack for each group.
std::optional<Ran> run_in_waves(const Problem& problem, const Topology& topology, const Method& method,
                                const Wave& wave, const Vector& start, Monitor& monitor, Threads& threads,
                                std::uint64_t seed, const Run::Options& options);

/// The columns of a host. Bytes already sent stay with the host of agent 0, so that their sum is right.
Checkpoint part_of(const Checkpoint& saved, std::span<const Index> hosted);

}  // namespace ideal
