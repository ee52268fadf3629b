// SPDX-License-Identifier: Apache-2.0
#include "job.hpp"

#include "bytes.hpp"
#include "report/report.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace ideal::cli {
namespace {

namespace fs = std::filesystem;

/// What the options led to. A comment, because most of it follows from them and must not be given twice.
std::string resolved_comment(const nlohmann::ordered_json& summary) {
  std::string text = "\n";
  const auto line = [&](const std::string& key, const nlohmann::ordered_json& value) {
    text += fmt::format("# resolved: {} = {}\n", key, value.dump());
  };
  for (const char* constant : {"L", "mu"}) line(constant, summary[constant]);
  for (const auto& [key, value] : summary["parameters"].items()) line(key, value);
  return text;
}

std::string weights_key(const SparseRows& W) {
  std::string bytes;
  for (Index i = 0; i < W.outerSize(); ++i)
    for (SparseRows::InnerIterator entry(W, i); entry; ++entry)
      bytes += fmt::format("{} {} {:a}\n", i, entry.col(), entry.value());
  return hash_of(bytes);
}

std::string weights_key(const Topology& topology) {
  const LinkSequence* const sequence = topology.sequence();
  if (!sequence) return weights_key(topology.weights());
  std::string keys = fmt::format("{:a} {}", sequence->awake(), sequence->seed());
  for (const Links& links : sequence->in_turn()) keys += " " + weights_key(links.M);
  return hash_of(keys);
}

}  // namespace

Reference reference_of(const Loaded& loaded, const fs::path& cache, Cluster& cluster, Threads& threads) {
  const auto hosted = loaded.hosted();
  const ReferenceCache known(cache, loaded.key);
  // Rank 0 looks and stores, for only its disk is surely the user's.
  const bool looks = cluster.rank() == 0 && !cache.empty();
  Vector start = numbers_of(told_by_first(cluster, bytes_of(looks ? known.find() : Vector())));
  if (start.size() == 0) {
    start = solve_reference(hosted, *loaded.transport, threads, {}, loaded.problem.regulariser).x;
    if (looks) known.store(start);
  }
  // Also where it was just found: the answer has the same bits whether the cache knew it or not.
  return solve_reference(hosted, *loaded.transport, threads, start, loaded.problem.regulariser);
}

Result run(const Settings& settings, const Loaded& loaded, const Topology& topology, const Method& method,
           Cluster& cluster, Beside beside) {
  SolveOptions options{.watch = {.tol = settings.tol,
                                 .certified = stops_by_certificate(settings, method),
                                 .computations = static_cast<double>(settings.rounds),
                                 .every = settings.every.value_or(default_every(topology.agents())),
                                 .cancelled = std::move(beside.cancelled),
                                 .on_row = std::move(beside.on_row),
                                 .on_note = std::move(beside.on_note)},
                       .threads = static_cast<int>(settings.threads),
                       .seed = static_cast<std::uint64_t>(settings.batch_seed.value_or(settings.seed))};
  if (beside.on_checkpoint) {
    options.run.checkpoint_every = settings.checkpoint;
    options.run.on_checkpoint = std::move(beside.on_checkpoint);
  }
  if (beside.resume) {
    options.run.resume = &beside.resume->checkpoint;
    options.watch.so_far = beside.resume->trace;
  }
  if (cluster.size() > 1) {
    Result result = solve(loaded.problem, topology, method, *loaded.transport, options);
    result.X = Block(loaded.transport->gather(result.X));
    return result;
  }
  if (settings.hosts == 0) return simulate(loaded.problem, topology, method, options);

  options.threads = static_cast<int>(std::max<Index>(1, settings.threads / settings.hosts));
  std::vector<Index> host_of(static_cast<std::size_t>(topology.agents()));
  for (Index i = 0; i < topology.agents(); ++i) host_of[i] = i % settings.hosts;
  return simulate_hosts(loaded.problem, topology, method, host_of, options);
}

std::string key_of(const Graph& graph) {
  std::string text = fmt::format("{}", graph.agents());
  for (const auto& [a, b, weight] : graph.edges()) text += fmt::format(" {} {} {:a}", a, b, weight);
  return hash_of(text);
}

std::string iterates_key(const Settings& s, const Loaded& loaded, const Topology& topology,
                         const Method& method) {
  std::string text = fmt::format("{} {} {} {}", IDEAL_VERSION, loaded.key, weights_key(topology), s.method);
  // tau is part of such a run's state: told, measured on a network, or 1 in the simulator.
  for (const Parameter& parameter : method.parameters())
    if (parameter.key != "tau") text += fmt::format(" {}={}", parameter.key, parameter.value);
  if (s.batch_seed) text += fmt::format(" batch-seed={}", *s.batch_seed);
  return hash_of(text + fmt::format(" L={:a} mu={:a} seed={}", s.L.value_or(0), s.mu.value_or(0), s.seed));
}

RunFiles files_of(const Outcome& outcome, const nlohmann::ordered_json& summary) {
  const std::string config = toml_of(outcome.settings) + resolved_comment(summary);
  report::Run run{.directory = "", .config = config, .summary = summary, .trace = outcome.result.trace};
  report::name(run);
  const report::Subject subject{
      .title = fmt::format("{} on {}", outcome.settings.method, outcome.settings.graph),
      .command = "ideal solve --config config.toml",
      .config = config,
      .taus = {tau_of(outcome.settings)},
      .jobs = 1,
      .runs = {std::move(run)}};
  return {.config = config,
          .trace = outcome.result.trace,
          .X = outcome.result.X,
          .summary = summary.dump(2) + "\n",
          .report = report::html(report::data_of(subject))};
}

}  // namespace ideal::cli
