// SPDX-License-Identifier: Apache-2.0
#include "cache.hpp"
#include "command.hpp"
#include "interrupt.hpp"
#include "options.hpp"
#include "problem.hpp"
#include "progress.hpp"
#include "run_directory.hpp"
#include "summary.hpp"

#include <ideal/draw.hpp>
#include <ideal/error.hpp>
#include <ideal/report.hpp>

#include <algorithm>
#include <memory>
#include <thread>

#include <fmt/format.h>

namespace ideal::cli {
namespace {

namespace fs = std::filesystem;

constexpr Range seed_range{0, 0x1p53, false, false, "a whole number, 0 ... 2^53"};
constexpr Range thread_range{0, 1024, false, false, "a whole number, 0 ... 1024"};
constexpr Range kappa_range{1, 1e300, true, false, "a number > 1"};

struct Solve {
  explicit Solve(CLI::App& page);
  int operator()();

 private:
  void describe(CLI::App& page);
  void resolve();
  [[nodiscard]] Method chosen_method() const;
  [[nodiscard]] Graph checked_graph() const;
  [[nodiscard]] Reference reference(const Loaded& loaded, Threads& threads) const;
  [[nodiscard]] Result run(const Loaded& loaded, const Topology& topology, const Method& method,
                           ProgressLine& line, std::stop_token cancelled) const;
  [[nodiscard]] RunFiles files(const Outcome& outcome, const nlohmann::ordered_json& summary) const;
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
  Settings& s = settings_;
  options_.group("Problem");
  options_.text("data", s.data, "FILE",
                "LIBSVM, CSV, NPY, NPZ or IDX, plain or gzipped; a name of 'ideal data list'; or "
                "synthetic:rows=1000,columns=20,classes=2,decay=10,noise=0.1,density=1");
  options_.text("test", s.test, "FILE", "Held-out data, a file or a name: how good the mean model is");
  options_.text("label", s.label, "NAME", "CSV: the label column; the last one if not given");
  options_.text("labels", s.labels, "FILE", "IDX, NPY, NPZ: a file with the labels");
  options_.text("classes", s.classes, "A,B", "Keep the rows of two classes, as -1 and +1");
  options_.flag("normalize", s.normalize, "Scale every row to length one");
  options_.text("loss", s.loss, "KIND", "logistic, ridge or softmax");
  CLI::Option* l2 =
      options_.number("l2", s.l2, range::nonnegative, "Weight of |x|^2/2 in every agent's loss")
          ->default_str(fmt::format("{}", Settings::default_l2));
  options_.number("kappa", s.kappa, kappa_range, "Choose l2 such that L/mu is this")->excludes(l2);
  options_.number("L", s.L, range::positive, "Smoothness; computed from the data if not given");
  options_.number("mu", s.mu, range::positive, "Strong convexity; computed if not given");

  options_.group("Network");
  options_.text("graph", s.graph, "SPEC", "Who talks to whom; families below");
  options_.text("mixing", s.mixing, "KIND", fmt::format("{}, or file:PATH", fmt::join(mixing_kinds(), ", ")));
  options_.text("partition", s.partition, "KIND", "contiguous, shuffled, by-label or dirichlet:ALPHA");

  options_.group("Method");
  options_.text("method", s.method, "NAME", "See 'ideal methods'");
  options_.list("set", s.set, "KEY=VALUE", "A parameter of the method; may be repeated");
  options_.whole("rounds", s.rounds, range::count, "Budget of computations (gradients of all agents)");
  options_.number("tol", s.tol, range::nonnegative,
                  "Stop at this suboptimality of the worst agent; 0: never");
  options_.number("tau", s.tau, range::nonnegative, "Time of a communication; a computation takes 1");

  options_.group("Execution");
  options_.whole("seed", s.seed, seed_range, "Of random graphs, partitions, synthetic data and mini-batches");
  options_.whole("threads", s.threads, thread_range, "Never changes a result; 0: one a core");
  options_.whole("hosts", s.hosts, thread_range,
                 "Deal the agents to this many message-passing hosts; 0: simulate");
  options_.whole("every", s.every, range::count, "Record every K-th computation");

  page.add_option("--config", config_, "Repeat the run of this config.toml; options given here win")
      ->type_name("FILE")
      ->group("Files");
  page.add_option("--out", out_, "Run directory; default runs/<time>-<method>")
      ->type_name("DIR")
      ->group("Files");
  page.add_flag("--force", force_, "Replace a run directory that is there")->group("Files");
  page.add_option("--cache", s.cache, "Optima and named data sets; default $XDG_CACHE_HOME/ideal")
      ->type_name("DIR")
      ->group("Files");
  page.add_flag("--json", json_, "Print summary.json instead of a table")->group("Files");
  page.add_flag("--quiet", quiet_, "Print errors only")->group("Files");
}

// ---- before anything is read or computed --------------------------------------------------------------

Method Solve::chosen_method() const {
  Method chosen = method(settings_.method);
  for (const std::string& pair : settings_.set) {
    const auto equals = pair.find('=');
    if (equals == std::string::npos || equals == 0)
      throw InputError("--set", fmt::format("'{}'", pair), "takes key=value",
                       "Write for example --set T=100.");
    chosen.set(pair.substr(0, equals), pair.substr(equals + 1));
  }
  chosen.check();
  return chosen;
}

Graph Solve::checked_graph() const {
  require_mixing(settings_.mixing);
  Graph graph = Graph::parse(settings_.graph, static_cast<std::uint64_t>(settings_.seed));
  if (settings_.hosts > graph.agents())
    throw InputError("--hosts", fmt::format("{} for {} agents", settings_.hosts, graph.agents()),
                     "every host has an agent", fmt::format("Give at most {}.", graph.agents()));
  return graph;
}

std::string absolute_if_file(const std::string& spec) {
  constexpr std::string_view file = "file:";
  if (!spec.starts_with(file)) return spec;
  return std::string(file) + fs::absolute(spec.substr(file.size())).lexically_normal().string();
}

void Solve::resolve() {
  if (!config_.empty()) options_.read(config_);
  if (settings_.l2 && settings_.kappa)
    throw InputError(config_, "both l2 and kappa", "kappa decides l2", "Remove one of the two.");
  if (settings_.threads == 0) settings_.threads = std::max(1u, std::thread::hardware_concurrency());
  if (!settings_.kappa && !settings_.l2) settings_.l2 = Settings::default_l2;
  resolve_data(settings_);
  settings_.graph = absolute_if_file(settings_.graph);
  settings_.mixing = absolute_if_file(settings_.mixing);
}

// ---- the run -------------------------------------------------------------------------------------------

Reference Solve::reference(const Loaded& loaded, Threads& threads) const {
  const fs::path cache = cache_directory(settings_.cache);
  if (cache.empty()) return solve_reference(loaded.problem.losses, threads);
  return cached_reference(loaded.problem.losses, threads, cache, loaded.key);
}

Result Solve::run(const Loaded& loaded, const Topology& topology, const Method& method, ProgressLine& line,
                  std::stop_token cancelled) const {
  const auto budget = static_cast<double>(settings_.rounds);
  SolveOptions options{.watch = {.tol = settings_.tol,
                                 .computations = budget,
                                 .every = settings_.every,
                                 .cancelled = std::move(cancelled),
                                 .on_row = RunProgress(line, settings_.tol, budget)},
                       .threads = static_cast<int>(settings_.threads),
                       .seed = static_cast<std::uint64_t>(settings_.seed)};
  if (settings_.hosts == 0) return simulate(loaded.problem, topology, method, options);

  options.threads = static_cast<int>(std::max<Index>(1, settings_.threads / settings_.hosts));
  std::vector<Index> host_of(static_cast<std::size_t>(topology.agents()));
  for (Index i = 0; i < topology.agents(); ++i) host_of[i] = i % settings_.hosts;
  return simulate_hosts(loaded.problem, topology, method, host_of, options);
}

int Solve::operator()() {
  Interrupt interrupt;
  resolve();
  const Method method = chosen_method();
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
  loaded.problem.reference = reference(loaded, threads);

  const Result result = run(loaded, topology, method, line, interrupt.token());
  line.clear();
  const Outcome outcome{settings_, method, topology, loaded, result};
  const auto summary = summary_of(outcome);
  print(summary, directory.write(files(outcome, summary)));
  if (result.status == Status::interrupted) return interrupted;
  return result.status == Status::diverged ? failed : reached;
}

// ---- afterwards ----------------------------------------------------------------------------------------

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

RunFiles Solve::files(const Outcome& outcome, const nlohmann::ordered_json& summary) const {
  constexpr Index most_drawn = 2000;  // beyond, a picture is a blot and the page slow
  const Graph& graph = outcome.topology.graph();
  const std::string config = options_.toml() + resolved_comment(summary);
  const ReportPage page{.title = fmt::format("{} on {}", settings_.method, settings_.graph),
                        .rows = rows_of(summary),
                        .trace = outcome.result.trace,
                        .graph_svg = graph.agents() <= most_drawn ? draw_svg(graph) : "",
                        .config = config};
  return {.config = config,
          .trace = outcome.result.trace,
          .X = outcome.result.X,
          .summary = summary.dump(2) + "\n",
          .report = html_report(page)};
}

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
