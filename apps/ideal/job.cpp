// SPDX-License-Identifier: Apache-2.0
#include "job.hpp"

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

}  // namespace

Reference reference_of(const Loaded& loaded, const fs::path& cache, Threads& threads) {
  if (cache.empty()) return solve_reference(loaded.problem.losses, threads);
  return cached_reference(loaded.problem.losses, threads, cache, loaded.key);
}

Result run(const Settings& settings, const Loaded& loaded, const Topology& topology, const Method& method,
           std::function<void(const TraceRow&)> on_row, std::stop_token cancelled) {
  SolveOptions options{.watch = {.tol = settings.tol,
                                 .computations = static_cast<double>(settings.rounds),
                                 .every = settings.every,
                                 .cancelled = std::move(cancelled),
                                 .on_row = std::move(on_row)},
                       .threads = static_cast<int>(settings.threads),
                       .seed = static_cast<std::uint64_t>(settings.seed)};
  if (settings.hosts == 0) return simulate(loaded.problem, topology, method, options);

  options.threads = static_cast<int>(std::max<Index>(1, settings.threads / settings.hosts));
  std::vector<Index> host_of(static_cast<std::size_t>(topology.agents()));
  for (Index i = 0; i < topology.agents(); ++i) host_of[i] = i % settings.hosts;
  return simulate_hosts(loaded.problem, topology, method, host_of, options);
}

RunFiles files_of(const Outcome& outcome, const nlohmann::ordered_json& summary) {
  const std::string config = toml_of(outcome.settings) + resolved_comment(summary);
  report::Run run{.directory = "", .config = config, .summary = summary, .trace = outcome.result.trace};
  report::name(run);
  const report::Subject subject{
      .title = fmt::format("{} on {}", outcome.settings.method, outcome.settings.graph),
      .command = "ideal solve --config config.toml",
      .config = config,
      .taus = {outcome.settings.tau},
      .jobs = 1,
      .runs = {std::move(run)}};
  return {.config = config,
          .trace = outcome.result.trace,
          .X = outcome.result.X,
          .summary = summary.dump(2) + "\n",
          .report = report::html(report::data_of(subject))};
}

}  // namespace ideal::cli
