// SPDX-License-Identifier: Apache-2.0
#include <ideal/error.hpp>
#include <ideal/solve.hpp>

#include <exception>
#include <thread>

#include <fmt/format.h>

namespace ideal {

namespace {

void check_sizes(const Problem& problem, const Topology& topology) {
  if (std::ssize(problem.losses) != topology.agents())
    throw InputError(
        "problem", fmt::format("{} losses for {} agents", problem.losses.size(), topology.agents()),
        "every agent has one loss", "Partition the data into as many parts as the graph has agents.");
}

Block starting_point(const SolveOptions& options, Index dimension, Index hosted) {
  if (options.start.size() == 0) return Block::Zero(dimension, hosted);
  return options.start.replicate(1, hosted);
}

/// A host that fails makes its neighbours lose a peer: report the failure, not its echo.
void rethrow_cause(std::span<const std::exception_ptr> failures) {
  std::exception_ptr echo;
  for (const auto& failure : failures) {
    if (!failure) continue;
    try {
      std::rethrow_exception(failure);
    } catch (const PeerLost&) {
      echo = failure;
    }
  }
  if (echo) std::rethrow_exception(echo);
}

/// Trace rows and checkpoints are the same on every host; callbacks hear of them from the host of agent 0
/// only.
SolveOptions for_host(SolveOptions options, bool speaks) {
  if (!speaks) {
    options.watch.on_row = {};
    options.run.checkpoint_every = 0;
  }
  return options;
}

}  // namespace

Result solve(const Problem& problem, const Topology& topology, const Method& method, Transport& transport,
             const SolveOptions& options) {
  check_sizes(problem, topology);
  const auto hosted = transport.hosted();
  std::vector<std::shared_ptr<const Loss>> losses;
  for (const Index i : hosted) losses.push_back(problem.losses[i]);

  Meter meter;
  Threads threads(options.threads);
  Objective F(losses, {hosted.begin(), hosted.end()}, problem.constants, options.seed, meter, threads);
  Network W(topology, transport, meter, threads);
  Observer observer(losses, problem.reference, options.watch, transport, threads);
  Run run(observer, meter, options.run);

  Block X = method(F, W, run, starting_point(options, F.dimension(), std::ssize(hosted)));
  if (observer.status() == Status::diverged) X = observer.last_finite();
  return {.X = std::move(X),
          .status = observer.status(),
          .trace = observer.trace(),
          .parameters = run.parameters(),
          .checkpoint = run.final_checkpoint()};
}

Result simulate(const Problem& problem, const Topology& topology, const Method& method,
                const SolveOptions& options) {
  const auto transport = in_process(topology.graph());
  return solve(problem, topology, method, *transport, options);
}

Result simulate_hosts(const Problem& problem, const Topology& topology, const Method& method,
                      std::span<const Index> host_of, const SolveOptions& options) {
  check_sizes(problem, topology);
  auto transports = mailboxes(topology.graph(), host_of);
  std::vector<Result> results(transports.size());
  std::vector<std::exception_ptr> failures(transports.size());
  {
    std::vector<std::jthread> hosts;
    for (std::size_t h = 0; h < transports.size(); ++h)
      hosts.emplace_back([&, h, transport = std::move(transports[h])]() mutable {
        try {
          results[h] = solve(problem, topology, method, *transport,
                             for_host(options, static_cast<Index>(h) == host_of[0]));
        } catch (...) {
          failures[h] = std::current_exception();
        }
        transport.reset();  // leaving tells the neighbours
      });
  }
  rethrow_cause(failures);

  Result whole = results[static_cast<std::size_t>(host_of[0])];
  whole.X.resize(results[0].X.rows(), topology.agents());
  std::vector<Index> taken(results.size(), 0);
  for (Index i = 0; i < topology.agents(); ++i) {
    const auto host = static_cast<std::size_t>(host_of[i]);
    whole.X.col(i) = results[host].X.col(taken[host]++);
  }
  return whole;
}

}  // namespace ideal
