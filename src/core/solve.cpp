// SPDX-License-Identifier: Apache-2.0
#include "core/waves.hpp"

#include <ideal/error.hpp>
#include <ideal/solve.hpp>

#include <exception>
#include <thread>

#include <fmt/format.h>

namespace ideal {

namespace {

void check_sizes(const Problem& problem, const Topology& topology, std::span<const Index> hosted,
                 const SolveOptions& options) {
  if (std::ssize(problem.losses) != topology.agents())
    throw InputError(
        "problem", fmt::format("{} losses for {} agents", problem.losses.size(), topology.agents()),
        "every agent has one loss", "Partition the data into as many parts as the graph has agents.");
  for (const Index i : hosted)
    if (!problem.losses[i])
      throw InputError(fmt::format("loss of agent {}", i), "none", "a host has the losses of its agents",
                       "Make a loss for every hosted agent.");
  const Index first = hosted.front(), dimension = problem.losses[first]->dimension();
  for (const Index i : hosted)
    if (problem.losses[i]->dimension() != dimension)
      throw InputError(
          fmt::format("loss of agent {}", i), fmt::format("dimension {}", problem.losses[i]->dimension()),
          fmt::format("agent {} has {}", first, dimension), "Give all losses the same variables.");
  if (options.start.size() != 0 && options.start.size() != dimension)
    throw InputError("start", fmt::format("{} numbers", options.start.size()),
                     fmt::format("the losses take {}", dimension), "Leave it empty for zero.");
}

/// Where r is finite: in its box.
Vector starting_point(const SolveOptions& options, const Regulariser& r, Index dimension) {
  Vector start = options.start.size() > 0 ? options.start : Vector::Zero(dimension);
  if (!r.none())
    for (double& x : start) x = r.project(x);
  return start;
}

/// One proximal gradient step from the agents' mean. Near an optimum an agent's own entry may creep towards a
/// zero and never be one, for the multipliers that hold it there are not unique; this step has the zeros of
/// the whole problem, and is nowhere worse than the worst agent.
Block settled_together(Objective& F, Mixing& W, Block X) {
  F.add_convexity(0);
  X = W.average_over_tree(X);
  const Block mean_gradient = W.average_over_tree(F.gradient(X));
  const double step = 1 / F.L();
  W.locally(X, [&](auto own) { own(X) = F.prox(own(X) - step * own(mean_gradient), step); });
  return X;
}

/// As the row of a step that concluded a run, which now goes on.
void drop_rows_after(const Meter& checkpoint, Trace& rows) {
  std::erase_if(rows, [&](const TraceRow& row) {
    return row.meter.computations > checkpoint.computations ||
           row.meter.communications > checkpoint.communications;
  });
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

/// A host's checkpoint holds the columns of its own agents; a whole one holds all, so that it outlives the
/// hosts' assignment.
Checkpoint whole(Checkpoint part, Transport& transport) {
  for (auto& value : part.state)
    if (auto* block = std::get_if<Block>(&value)) *block = Block(transport.gather(*block));
  Block bytes = Block::Zero(1, std::ssize(transport.hosted()));
  bytes(0, 0) = static_cast<double>(part.meter.bytes);
  part.meter.bytes = static_cast<Index>(transport.gather(bytes).sum());
  return part;
}

/// All hosted agents at once, one oracle after the other.
Ran run_at_once(const Method& method, Objective& F, Network& W, const Vector& start, Monitor& monitor,
                Meter& meter, const Run::Options& options) {
  Run run(monitor, meter, options);
  Block X = method(F, W, run, start.replicate(1, F.agents()));
  return {.X = std::move(X),
          .meter = meter,
          .parameters = run.parameters(),
          .checkpoint = run.final_checkpoint(),
          .dual = run.dual(),
          .computing = F.seconds(),
          .mixing = W.seconds()};
}

}  // namespace

Checkpoint part_of(const Checkpoint& saved, std::span<const Index> hosted) {
  Checkpoint part{.passes = saved.passes, .meter = saved.meter, .state = {}};
  for (const auto& value : saved.state)
    if (const auto* block = std::get_if<Block>(&value))
      part.state.emplace_back(Block((*block)(Eigen::all, hosted)));
    else
      part.state.push_back(value);
  if (hosted.front() != 0) part.meter.bytes = 0;
  return part;
}

Result solve(const Problem& problem, const Topology& topology, const Method& method, Transport& transport,
             const SolveOptions& options) {
  if (options.watch.certified && !method.about().certifies)
    throw InputError("watch", "certified", fmt::format("method '{}' has no certificate", method.about().name),
                     "Leave it false to compare tol with the truth.");
  const auto hosted = transport.hosted();
  check_sizes(problem, topology, hosted, options);
  require_fit(method, demands_of(problem, topology));
  std::vector<std::shared_ptr<const Loss>> losses;
  for (const Index i : hosted) losses.push_back(problem.losses[i]);

  // Every host sees the same rows and checkpoints; one of them tells.
  const bool speaks = hosted.front() == 0;
  Watch watch = options.watch;
  if (!speaks) {
    watch.on_row = {};
    watch.on_note = {};
  }
  Run::Options run_options = options.run;
  run_options.on_checkpoint = [&](const Checkpoint& part) {
    const Checkpoint all = whole(part, transport);
    if (speaks && options.run.on_checkpoint) options.run.on_checkpoint(all);
  };
  const Checkpoint resume = options.run.resume ? part_of(*options.run.resume, hosted) : Checkpoint{};
  if (options.run.resume) {
    run_options.resume = &resume;
    drop_rows_after(options.run.resume->meter, watch.so_far);
  }

  Meter meter;
  Threads threads(options.threads);
  Objective F(losses, {hosted.begin(), hosted.end()}, problem.constants, options.seed, meter, threads,
              problem.regulariser);
  Network W(topology, transport, meter, threads);
  const Index passes = options.run.resume ? options.run.resume->passes + 1 : 0;
  Observer observer(losses, problem.reference, watch, transport, threads, F.L(), passes, problem.regulariser);

  const Vector start = starting_point(options, problem.regulariser, F.dimension());
  const std::optional<Wave> wave =
      transport.has_peers() ? std::nullopt : wave_for(problem, topology, method, observer, options.threads);
  std::optional<Ran> in_waves;
  if (wave)
    in_waves =
        run_in_waves(problem, topology, method, *wave, start, observer, threads, options.seed, run_options);
  Ran ran = in_waves ? *std::move(in_waves) : run_at_once(method, F, W, start, observer, meter, run_options);
  meter = ran.meter;
  Block& X = ran.X;
  const bool concluded =
      F.composite() && (observer.status() == Status::converged || observer.status() == Status::budget);
  if (concluded) {
    const Meter before = meter;
    X = settled_together(F, W, std::move(X));
    observer.conclude(X, meter);
    observer.note(
        fmt::format("the last row is one proximal step of all agents together: {} computation, {} rounds",
                    meter.computations - before.computations, meter.communications - before.communications));
  }
  if (observer.status() == Status::diverged && observer.last_finite().size() > 0) X = observer.last_finite();
  return {.X = std::move(X),
          .status = observer.status(),
          .trace = observer.trace(),
          .gaps = observer.gaps(),
          .worst_bound = observer.worst_bound(),
          .parameters = std::move(ran.parameters),
          .notes = observer.notes(),
          .concluded = concluded,
          .checkpoint = whole(std::move(ran.checkpoint), transport),
          .dual = ran.dual,
          .computing = ran.computing,
          .mixing = ran.mixing};
}

Block simulate(const Problem& problem, const Topology& topology, const Method& method, Monitor& monitor,
               const SolveOptions& options) {
  const auto transport = in_process(topology.agents());
  check_sizes(problem, topology, transport->hosted(), options);
  require_fit(method, demands_of(problem, topology));
  Run::Options run_options = options.run;
  if (!run_options.on_checkpoint) run_options.checkpoint_every = 0;  // nobody wants them
  Threads threads(options.threads);
  const Vector start = starting_point(options, problem.regulariser, problem.losses.front()->dimension());
  if (const auto wave = wave_for(problem, topology, method, monitor, options.threads))
    if (auto ran = run_in_waves(problem, topology, method, *wave, start, monitor, threads, options.seed,
                                run_options))
      return std::move(ran->X);
  Meter meter;
  const auto hosted = transport->hosted();
  Objective F(problem.losses, {hosted.begin(), hosted.end()}, problem.constants, options.seed, meter, threads,
              problem.regulariser);
  Network W(topology, *transport, meter, threads);
  return run_at_once(method, F, W, start, monitor, meter, run_options).X;
}

Result simulate(const Problem& problem, const Topology& topology, const Method& method,
                const SolveOptions& options) {
  const auto transport = in_process(topology.agents());
  return solve(problem, topology, method, *transport, options);
}

Result simulate_hosts(const Problem& problem, const Topology& topology, const Method& method,
                      std::span<const Index> host_of, const SolveOptions& options) {
  check_sizes(problem, topology, in_process(topology.agents())->hosted(), options);
  auto transports = mailboxes(topology.graph(), host_of);
  std::vector<Result> results(transports.size());
  std::vector<std::exception_ptr> failures(transports.size());
  {
    std::vector<std::jthread> hosts;
    hosts.reserve(transports.size());
    for (std::size_t h = 0; h < transports.size(); ++h)
      hosts.emplace_back([&, h, transport = std::move(transports[h])]() mutable {
        try {
          results[h] = solve(problem, topology, method, *transport, options);
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
