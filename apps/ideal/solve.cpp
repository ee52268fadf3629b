// SPDX-License-Identifier: Apache-2.0
#include "cache.hpp"
#include "command.hpp"
#include "interrupt.hpp"
#include "job.hpp"
#include "launch.hpp"
#include "options.hpp"
#include "progress.hpp"

#include <ideal/cpu.hpp>
#include <ideal/error.hpp>

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <thread>

#include <fmt/format.h>

namespace ideal::cli {
namespace {

namespace fs = std::filesystem;

struct Solve {
  explicit Solve(CLI::App& page);
  int operator()();

 private:
  void describe(CLI::App& page);
  void resolve();
  void resolve_threads();
  [[nodiscard]] GraphSequence checked_graphs(Index ranks) const;
  [[nodiscard]] std::optional<SavedRun> saved_run(Cluster& cluster, const Method& method) const;
  void print(const nlohmann::ordered_json& summary, const fs::path& written) const;

  // What is computed, and with it config.toml.
  Settings settings_;
  Options options_;
  // Where it comes from and goes to.
  std::string config_, out_, resume_;
  bool force_ = false, json_ = false, quiet_ = false;
};

Solve::Solve(CLI::App& page) : options_(page) {
  describe(page);
  page.footer(
      "Examples:\n"
      "  ideal solve --graph barbell:8 --method mideal --tau 10\n"
      "  ideal solve --data heart.svm --normalize --l2 1e-3 --partition by-label --out runs/heart\n"
      "  ideal solve --data mnist --test mnist:test --classes 4,9 --normalize\n"
      "  ideal solve --config runs/heart/config.toml --method extra --out runs/heart-extra\n"
      "  mpirun -n 4 ideal solve --data shards/part-%04d.svm --graph torus:8x8 --checkpoint 100 --out "
      "runs/big\n"
      "  mpirun -n 8 ideal solve --resume runs/big\n"
      "\n"
      "Graphs: cycle:8 line:8 complete:8 star:8 grid:3x4 torus:3x4 hypercube:3 barbell:8 er:20,0.3\n"
      "  regular:20,4 geometric:20,0.4 smallworld:20,4,0.1 tree:20 file:EDGES\n"
      "Directed ones, and some that change: directed-cycle:8 directed:ARCS periodic:cycle:8+star:8\n"
      "  rounds:FILE awake:0.3:cycle:8, for --method diging (undirected) or push-diging\n"
      "The run directory holds config.toml, trace.csv, solution.npy, summary.json and report.html.\n"
      "Ctrl-C writes it with what is there, and a checkpoint, and exits with 130; a second one ends at "
      "once.");
}

void Solve::describe(CLI::App& page) {
  declare(settings_, options_);
  page.add_option("--config", config_, "Repeat the run of this config.toml; options given here win")
      ->type_name("FILE")
      ->group("Files");
  page.add_option("--out", out_, "Run directory; default runs/<time>-<method>")
      ->type_name("DIR")
      ->group("Files");
  page.add_option("--resume", resume_, "Go on with the run of this directory; options given here win")
      ->type_name("DIR")
      ->group("Files");
  page.add_flag("--force", force_, "Replace a run directory that is there")->group("Files");
  page.add_option("--cache", settings_.cache, "Optima and named data sets; default $XDG_CACHE_HOME/ideal")
      ->type_name("DIR")
      ->group("Files");
  page.add_flag("--json", json_, "Print summary.json instead of a table")->group("Files");
  page.add_flag("--quiet", quiet_, "Print errors only")->group("Files");
}

// ---- before anything is read or computed --------------------------------------------------------------

GraphSequence Solve::checked_graphs(Index ranks) const {
  require_mixing(settings_.mixing);
  GraphSequence graphs = GraphSequence::parse(settings_.graph, static_cast<std::uint64_t>(settings_.seed));
  if (settings_.hosts > graphs.agents())
    throw InputError("--hosts", fmt::format("{} for {} agents", settings_.hosts, graphs.agents()),
                     "every host has an agent", fmt::format("Give at most {}.", graphs.agents()));
  if (settings_.hosts > 0 && ranks > 1)
    throw InputError("--hosts", fmt::format("{} under mpirun", settings_.hosts), "ranks are the hosts",
                     "Leave --hosts out.");
  return graphs;
}

void Solve::resolve() {
  if (!resume_.empty()) {
    if (!config_.empty() || !out_.empty())
      throw InputError("--resume", resume_, "goes on with that run, in its place",
                       "Leave --config and --out out.");
    config_ = (fs::path(resume_) / "config.toml").string();
    out_ = resume_;
    force_ = true;
  }
  // What a run was started on is not what it goes on with.
  const Index threads = settings_.threads, hosts = settings_.hosts;
  if (!config_.empty()) options_.read(config_, resume_.empty() ? "--config" : "--resume");
  if (!resume_.empty()) {
    settings_.threads = threads;
    settings_.hosts = hosts;
  }
  if (settings_.l2 && settings_.kappa)
    throw InputError(config_, "both l2 and kappa", "kappa decides l2", "Remove one of the two.");
  ideal::cli::resolve(settings_);
}

void Solve::resolve_threads() {
  if (settings_.threads == 0) settings_.threads = cores();
}

/// The run to go on with; rank 0 reads it and tells the others.
std::optional<SavedRun> Solve::saved_run(Cluster& cluster, const Method& method) const {
  if (resume_.empty()) return {};
  const std::string place = fmt::format("--resume {}", resume_);
  std::string bytes;
  if (cluster.rank() == 0) {
    const auto newest = newest_checkpoint(resume_);
    if (!newest)
      throw InputError(place, "no whole checkpoint in it",
                       "runs with --checkpoint, and interrupted ones, have one", "Start the run anew.");
    bytes = to_bytes(*newest);
  }
  SavedRun saved = parse_checkpoint(told_by_first(cluster, bytes), place);
  if (saved.checkpoint.meter.computations >= static_cast<double>(settings_.rounds))
    throw InputError(place, fmt::format("its {} computations are spent", settings_.rounds),
                     "a run goes on until its budget is spent", "Give a larger --rounds.");
  const auto reached = [&](const TraceRow& row) {
    if (!stops_by_certificate(settings_, method)) return row.worst_suboptimality;
    return row.certified.value_or(std::numeric_limits<double>::infinity());
  };
  if (settings_.tol > 0 && !saved.trace.empty() && reached(saved.trace.back()) <= settings_.tol)
    throw InputError(place, fmt::format("it has reached {}", settings_.tol),
                     "a run goes on until it reaches --tol", "Give a smaller --tol.");
  return saved;
}

// ---- the run -------------------------------------------------------------------------------------------

namespace {

/// Keeps the rows of a run for its checkpoints, and writes them. Only the process that tells of the run has
/// rows.
class Saver {
 public:
  Saver(std::string key, RunDirectory& directory, const SavedRun* resumed)
      : key_(std::move(key)), directory_(directory), rows_(resumed ? resumed->trace : Trace()) {}

  void note(const TraceRow& row) { rows_.push_back(row); }

  void save(const Checkpoint& checkpoint) { save({key_, checkpoint, rows_}); }
  void save(const SavedRun& run) { (void)write_checkpoint(run, directory_.path()); }

  /// The state a run ended with. Last rows that were not due would not be there had it gone on.
  [[nodiscard]] SavedRun last(const Result& result, Index every) const {
    const auto rows = result.own_rows();
    SavedRun saved{key_, result.checkpoint, {rows.begin(), rows.end()}};
    if (result.checkpoint.passes % every != 0) saved.trace.pop_back();
    return saved;
  }

 private:
  std::string key_;
  RunDirectory& directory_;
  Trace rows_;
};

std::string advice_on_loss(const Settings& settings, const fs::path& directory) {
  if (settings.checkpoint == 0)
    return " This part was not saved: --checkpoint K saves a run every K computations.";
  return fmt::format(" Go on from the last checkpoint with: ideal solve --resume {}", directory.string());
}

}  // namespace

int Solve::operator()() {
  Interrupt interrupt;
  resolve();
  Cluster& cluster = job();
  const Method method = chosen_method(settings_, cluster.size() == 1 && settings_.hosts == 0);
  stops_by_certificate(settings_, method);
  require_same(cluster, "version", IDEAL_VERSION);
  require_same(cluster, "a CPU", cpu_fuses() ? "with fused multiply-add" : "without fused multiply-add");
  require_same_settings(cluster, settings_);
  require_same(cluster, "--resume", resume_);
  resolve_threads();
  std::optional<RunDirectory> directory;
  if (speaks()) directory.emplace(out_, settings_.method, force_);
  GraphSequence graphs = checked_graphs(cluster.size());
  require_fit(method, demands_of(graphs));
  const Graph graph = graphs.joined();
  require_same(cluster, "a graph whose hash is", key_of(graph));
  if (!settings_.every) settings_.every = default_every(graph.agents());
  const std::optional<SavedRun> saved = saved_run(cluster, method);

  ProgressLine line(!quiet_ && !json_ && speaks());
  Threads threads(static_cast<int>(settings_.threads));
  line.show("reading the data");
  Loaded loaded = load(settings_, graph, cluster, threads, {CknProgress(line), {}});
  settings_.l2 = loaded.l2;  // what repeats the run, also where it was chosen for a condition number
  settings_.kappa.reset();
  const auto show = [&](std::string_view text) { line.show(text); };
  const Topology topology = Topology::parse(std::move(graphs), settings_.mixing, show);
  const std::string key = iterates_key(settings_, loaded, topology, method);
  require_same(cluster, "a run whose hash is", key);  // as weights from different files would make it
  if (saved && saved->key != key)
    throw InputError(fmt::format("--resume {}", resume_), "a run of another problem, method or version",
                     "a run goes on with what it was started with",
                     "Restore the data and options, or start anew.");
  require_fit(method, demands_of(loaded.problem, topology));
  line.show("finding the optimum");
  loaded.problem.reference = reference_of(loaded, cache_directory(settings_.cache), cluster, threads);

  RunProgress progress(line, settings_.tol, static_cast<double>(settings_.rounds));
  std::optional<Saver> saver;
  if (speaks()) saver.emplace(key, *directory, saved ? &*saved : nullptr);
  if (speaks() && settings_.checkpoint > 0)
    directory->begin(toml_of(settings_), saved ? saved->checkpoint.passes : -1);
  const std::string where = told_by_first(cluster, speaks() ? directory->path().string() : "");
  remember(loaded.host_of, advice_on_loss(settings_, where));
  Beside beside{.on_row =
                    [&](const TraceRow& row) {
                      progress(row);
                      saver->note(row);
                    },
                .on_note = [&](std::string_view text) { line.note(text); },
                .cancelled = interrupt.token()};
  if (settings_.checkpoint > 0) beside.on_checkpoint = [&](const Checkpoint& c) { saver->save(c); };
  if (saved) beside.resume = &*saved;
  const Result result = run(settings_, loaded, topology, method, cluster, std::move(beside));
  line.clear();
  if (const auto used = result.parameters.find("tau"); !settings_.tau && used != result.parameters.end())
    settings_.tau = std::get<double>(used->second);  // what repeats the run, also where it was measured
  // First what can be gone on with: whoever asked to stop may not wait for more.
  if (speaks() && settings_.checkpoint > 0) saver->save(saver->last(result, *settings_.every));
  if (speaks()) {
    const Outcome outcome{settings_, method, topology, loaded, result, saved ? &*saved : nullptr};
    const auto summary = summary_of(outcome);
    RunFiles files = files_of(outcome, summary);
    if (settings_.checkpoint == 0 && result.status == Status::interrupted)
      files.saved = saver->last(result, *settings_.every);
    print(summary, directory->write(files));
  }
  if (result.status == Status::interrupted) return interrupted;
  return result.status == Status::diverged ? failed : reached;
}

// ---- afterwards ----------------------------------------------------------------------------------------

void Solve::print(const nlohmann::ordered_json& summary, const fs::path& written) const {
  if (summary["status"] == "diverged")
    fmt::print(stderr, "ideal: diverged: {}\n", summary["message"].get<std::string>());
  if (quiet_) return;
  if (json_) return fmt::print("{}\n", summary.dump(2));
  for (const auto& [label, text] : rows_of(summary)) fmt::print("{:<32} {}\n", label, text);
  const std::string beneath = written.lexically_relative(fs::current_path()).string();
  fmt::print("{:<32} {}\n", "run directory", beneath.starts_with("..") ? written.string() : beneath);
}

}  // namespace

Command add_solve(CLI::App& program) {
  CLI::App* page = program.add_subcommand("solve", "Solve one problem with one method");
  return {page, [solve = std::make_shared<Solve>(*page)] { return (*solve)(); }};
}

}  // namespace ideal::cli
