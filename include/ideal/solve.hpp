// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/method.hpp>
#include <ideal/objective.hpp>
#include <ideal/observer.hpp>
#include <ideal/topology.hpp>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ideal {

/// Losses of all agents, what is known about them, and the optimum if it is known.
struct Problem {
  std::vector<std::shared_ptr<const Loss>> losses;  ///< by agent; null for agents of other hosts
  Constants constants;
  std::optional<Reference> reference = {};
  Regulariser regulariser = {};  ///< the same for every agent
};

struct SolveOptions {
  Watch watch = {};
  int threads = 1;
  std::uint64_t seed = 0;  ///< of mini-batches
  Vector start = {};       ///< common starting point; empty: zero
  Run::Options run = {};
};

struct Result {
  Block X;  ///< one column per agent; the last finite iterate if the run diverged
  Status status = Status::running;
  Trace trace;
  Vector gaps;             ///< f(x_i) - f* of every agent, at the last row; NaN where f was not evaluated
  double worst_bound = 0;  ///< no agent's is larger: the last row's worst_suboptimality where that is exact
  Resolved parameters;     ///< as the method used them
  std::vector<std::string> notes;   ///< what it had to say
  bool concluded = false;           ///< the last row is a step after the method's last iterate
  Checkpoint checkpoint;            ///< of the last iterate
  std::optional<std::size_t> dual;  ///< where in its state is a block that sums to zero over the agents
  double computing = 0;  ///< seconds this host spent in gradients and what was done with them at once
  double mixing = 0;     ///< and with its neighbours

  /// The rows of the method's own iterates, up to its checkpoint.
  [[nodiscard]] std::span<const TraceRow> own_rows() const {
    return std::span(trace).first(trace.size() - (concluded ? 1 : 0));
  }
};

/// Runs a method on one host of a transport; the result holds the hosted agents' columns.
Result solve(const Problem& problem, const Topology& topology, const Method& method, Transport& transport,
             const SolveOptions& options = {});

/// The simulator: all agents in this process.
Result simulate(const Problem& problem, const Topology& topology, const Method& method,
                const SolveOptions& options = {});

/// The same with a monitor of your own in place of the observer; options.watch is not used.
Block simulate(const Problem& problem, const Topology& topology, const Method& method, Monitor& monitor,
               const SolveOptions& options = {});

/// One thread per host, exchanging messages; host_of[i] is the host of agent i. The result holds all agents.
Result simulate_hosts(const Problem& problem, const Topology& topology, const Method& method,
                      std::span<const Index> host_of, const SolveOptions& options = {});

}  // namespace ideal
