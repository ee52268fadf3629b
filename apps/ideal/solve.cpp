// SPDX-License-Identifier: Apache-2.0
#include "cache.hpp"
#include "command.hpp"
#include "interrupt.hpp"
#include "job.hpp"
#include "options.hpp"
#include "progress.hpp"

#include <ideal/error.hpp>

#include <algorithm>
#include <functional>
#include <memory>
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
  [[nodiscard]] Graph checked_graph() const;
  void print(const nlohmann::ordered_json& summary, const fs::path& written) const;

  // What is computed, and with it config.toml.
  Settings settings_;
  Options options_;
  // Where it comes from and goes to.
  std::string config_, out_;
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
      "\n"
      "Graphs: cycle:8 line:8 complete:8 star:8 grid:3x4 torus:3x4 hypercube:3 barbell:8 er:20,0.3\n"
      "  regular:20,4 geometric:20,0.4 smallworld:20,4,0.1 tree:20 file:EDGES\n"
      "The run directory holds config.toml, trace.csv, solution.npy, summary.json and report.html.\n"
      "Ctrl-C writes it with what is there and exits with 130; a second one ends at once.");
}

void Solve::describe(CLI::App& page) {
  declare(settings_, options_);
  page.add_option("--config", config_, "Repeat the run of this config.toml; options given here win")
      ->type_name("FILE")
      ->group("Files");
  page.add_option("--out", out_, "Run directory; default runs/<time>-<method>")
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

Graph Solve::checked_graph() const {
  require_mixing(settings_.mixing);
  Graph graph = Graph::parse(settings_.graph, static_cast<std::uint64_t>(settings_.seed));
  if (settings_.hosts > graph.agents())
    throw InputError("--hosts", fmt::format("{} for {} agents", settings_.hosts, graph.agents()),
                     "every host has an agent", fmt::format("Give at most {}.", graph.agents()));
  return graph;
}

void Solve::resolve() {
  if (!config_.empty()) options_.read(config_);
  if (settings_.l2 && settings_.kappa)
    throw InputError(config_, "both l2 and kappa", "kappa decides l2", "Remove one of the two.");
  if (settings_.threads == 0) settings_.threads = std::max(1u, std::thread::hardware_concurrency());
  ideal::cli::resolve(settings_);
}

// ---- the run -------------------------------------------------------------------------------------------

int Solve::operator()() {
  Interrupt interrupt;
  resolve();
  const Method method = chosen_method(settings_);
  RunDirectory directory(out_, settings_.method, force_);
  Graph graph = checked_graph();

  ProgressLine line(!quiet_ && !json_);
  Threads threads(static_cast<int>(settings_.threads));
  line.show("reading the data");
  Loaded loaded = load(settings_, graph.agents(), threads, {CknProgress(line), {}});
  settings_.l2 = loaded.l2;  // what repeats the run, also where it was chosen for a condition number
  settings_.kappa.reset();
  const auto show = [&](std::string_view text) { line.show(text); };
  const Topology topology = Topology::parse(std::move(graph), settings_.mixing, show);
  line.show("finding the optimum");
  loaded.problem.reference = reference_of(loaded, cache_directory(settings_.cache), threads);

  RunProgress progress(line, settings_.tol, static_cast<double>(settings_.rounds));
  const Result result = run(settings_, loaded, topology, method, std::ref(progress), interrupt.token());
  line.clear();
  const Outcome outcome{settings_, method, topology, loaded, result};
  const auto summary = summary_of(outcome);
  print(summary, directory.write(files_of(outcome, summary)));
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
