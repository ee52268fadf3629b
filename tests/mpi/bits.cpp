// SPDX-License-Identifier: Apache-2.0
// Under mpirun, on any number of ranks: every method gives the bits of the simulator.
#include "support/quadratics.hpp"

#include <ideal/checkpoint.hpp>
#include <ideal/error.hpp>
#include <ideal/mpi.hpp>

#include <cstdio>
#include <exception>

#include <fmt/format.h>

namespace ideal::test {
namespace {

int failures = 0;

void expect(bool holds, const std::string& what) {
  if (holds) return;
  ++failures;
  fmt::print(stderr, "FAILED: {}\n", what);
}

bool same(const TraceRow& a, const TraceRow& b) {
  return a.iteration == b.iteration && a.meter == b.meter && a.suboptimality == b.suboptimality &&
         a.worst_suboptimality == b.worst_suboptimality && a.consensus == b.consensus &&
         a.distance == b.distance;
}

void expect_same_bits(const Result& a, const Result& b, const std::string& what) {
  expect(a.X == b.X, what + ": iterates");
  expect(a.status == b.status, what + ": status");
  expect(std::ranges::equal(a.trace, b.trace, same), what + ": trace");
}

/// Keeps the losses of this rank's agents only.
Problem own_part(const Problem& whole, Transport& transport) {
  Problem part = whole;
  for (auto& loss : part.losses) loss = nullptr;
  std::vector<std::shared_ptr<const Loss>> hosted;
  for (const Index i : transport.hosted()) hosted.push_back(part.losses[i] = whole.losses[i]);
  Threads threads;
  part.constants = constants_of(hosted, {}, {}, transport, threads);
  part.reference = solve_reference(hosted, transport, threads);
  return part;
}

Result on_ranks(const Problem& part, const Topology& topology, const Method& method, Transport& transport,
                const SolveOptions& options) {
  Result result = solve(part, topology, method, transport, options);
  result.X = Block(transport.gather(result.X));
  return result;
}

void every_method_on(const char* graph, const Shape& shape, Cluster& cluster) {
  const Topology topology = Topology::parse(graph, "laplacian");
  if (topology.agents() < cluster.size()) return;
  const Problem whole = make_problem(shape, topology.agents());
  const auto host_of = place(topology.graph(), cluster.size());
  const auto transport = cluster.transport(topology.graph(), host_of);
  const Problem part = own_part(whole, *transport);
  expect(part.constants.L == whole.constants.L && part.constants.mu == whole.constants.mu, "L and mu");
  expect(part.reference->x == whole.reference->x && part.reference->value == whole.reference->value,
         "optimum");

  for (const std::string& name : method_names()) {
    SolveOptions options;
    options.watch = {.computations = 36, .every = 4};
    const Method m = method(name);
    if (!m.about().meets.includes(demands_of(whole, topology))) continue;
    const std::string what = fmt::format("{} on {}, {}, rank {} of {}", name, graph, to_string(shape.loss),
                                         cluster.rank(), cluster.size());
    const Result parallel = on_ranks(part, topology, m, *transport, options);
    if (cluster.rank() == 0) expect_same_bits(simulate(whole, topology, m, options), parallel, what);
  }
}

/// Vectors so long that a survey of the network rides on messages, beside what tells agents to go back or
/// stop.
void what_rides_on_messages(Cluster& cluster) {
  const Topology topology = Topology::parse("torus:4x4", "laplacian");
  const Problem whole = make_problem({.columns = 20}, topology.agents());
  const auto transport = cluster.transport(topology.graph(), place(topology.graph(), cluster.size()));
  const Problem part = own_part(whole, *transport);
  for (const char* lambda_max : {"auto", "2"}) {
    const Method m = with("auto", {{"tau", "1"}, {"lambda-max", lambda_max}});
    SolveOptions options;
    options.watch = {.tol = 1e-7, .certified = true, .computations = 3000, .every = 20};
    const Result parallel = on_ranks(part, topology, m, *transport, options);
    if (cluster.rank() != 0) continue;
    const Result simulated = simulate(whole, topology, m, options);
    const std::string what = fmt::format("auto, lambda-max={}, on {} ranks", lambda_max, cluster.size());
    expect(simulated.status == Status::converged, what + ": certified");
    expect_same_bits(simulated, parallel, what);
    expect(simulated.notes == parallel.notes, what + ": notes");
  }
}

/// A checkpoint of the simulator goes on here, and one of ours in the simulator.
void checkpoints_pass_between_runtimes(Cluster& cluster) {
  const Topology topology = Topology::parse("cycle:8", "laplacian");
  const Problem whole = make_problem({}, 8);
  const auto transport = cluster.transport(topology.graph(), place(topology.graph(), cluster.size()));
  const Problem part = own_part(whole, *transport);
  for (const char* name : {"ideal", "mideal", "extra", "msda"}) {
    const Method m = method(name);
    SolveOptions options;
    options.watch = {.computations = 60, .every = 1};
    const Result uninterrupted = simulate(whole, topology, m, options);
    std::optional<Checkpoint> saved;
    SolveOptions saving = options;
    saving.watch.computations = 31;
    saving.run.checkpoint_every = 30;
    saving.run.on_checkpoint = [&](const Checkpoint& c) { saved = c; };
    (void)on_ranks(part, topology, m, *transport, saving);
    // The host of agent 0 has it; all need it.
    const std::string bytes = told_by_first(cluster, saved ? to_bytes({"", *saved, {}}) : "");
    const Checkpoint told = parse_checkpoint(bytes, "told").checkpoint;
    SolveOptions resuming = options;
    resuming.run.resume = &told;
    const std::string what = fmt::format("{} resumed, rank {} of {}", name, cluster.rank(), cluster.size());
    expect(on_ranks(part, topology, m, *transport, resuming).X == uninterrupted.X, what);
    expect(simulate(whole, topology, m, resuming).X == uninterrupted.X, what + " in the simulator");
  }
}

void differences_are_named(Cluster& cluster) {
  require_same(cluster, "version", "1.2.3");
  if (cluster.size() == 1) return;
  try {
    require_same(cluster, "version", cluster.rank() == 1 ? "1.2.4" : "1.2.3");
    expect(false, "a different version is refused");
  } catch (const InputError& error) {
    expect(std::string_view(error.what()) ==
               "rank 1: version 1.2.4 (rank 0 has 1.2.3). Start every rank the same way.",
           error.what());
  }
}

void bad_placements_are_refused(Cluster& cluster) {
  const Graph graph = Graph::parse("cycle:8");
  const std::vector<Index> beyond(8, cluster.size());
  try {
    (void)cluster.transport(graph, beyond);
    expect(false, "a rank that is not there is refused");
  } catch (const InputError&) {
  }
}

int run(MPI_Comm communicator) try {
  const auto cluster = mpi_cluster(communicator);
  for (const char* graph : {"cycle:8", "barbell:8", "torus:4x4", "regular:16,3"})
    for (const Shape& shape : {Shape{.loss = LossKind::logistic}, {.loss = LossKind::ridge, .density = 0.4}})
      every_method_on(graph, shape, *cluster);
  every_method_on("cycle:8", {.loss = LossKind::softmax, .classes = 3}, *cluster);
  for (const char* graph : {"awake:0.4:torus:4x4", "periodic:cycle:8+star:8", "awake:0.6:directed-cycle:8"})
    every_method_on(graph, {}, *cluster);
  what_rides_on_messages(*cluster);
  checkpoints_pass_between_runtimes(*cluster);
  differences_are_named(*cluster);
  bad_placements_are_refused(*cluster);
  return failures == 0 ? 0 : 1;
} catch (const std::exception& error) {
  fmt::print(stderr, "FAILED: {}\n", error.what());
  return 1;
}

}  // namespace
}  // namespace ideal::test

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  const int code = ideal::test::run(MPI_COMM_WORLD);
  if (code != 0) MPI_Abort(MPI_COMM_WORLD, code);
  MPI_Finalize();
  return code;
}
