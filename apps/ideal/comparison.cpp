// SPDX-License-Identifier: Apache-2.0
#include "comparison.hpp"

#include "bytes.hpp"
#include "launch.hpp"
#include "text_file.hpp"

#include <ideal/ckn.hpp>
#include <ideal/error.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <exception>
#include <limits>
#include <optional>
#include <thread>
#include <utility>

#include <fmt/format.h>

namespace ideal::cli {
namespace {

namespace fs = std::filesystem;
using report::Json;

constexpr std::array<std::string_view, 5> names{"runs", "comparison.json", "experiment.toml", "report.html",
                                                "figures"};

/// A directory of other things must not be mixed with an experiment's.
void require_own(const fs::path& folder) {
  const std::string place = fmt::format("--out {}", folder.string());
  if (!fs::exists(folder)) return require_creatable("--out", folder);
  if (!fs::is_directory(folder))
    throw InputError(place, "a file", "an experiment needs a directory of its own",
                     "Name another directory.");
  for (const auto& entry : fs::directory_iterator(folder))
    if (std::ranges::find(names, entry.path().filename().string()) == names.end())
      throw InputError(place, fmt::format("'{}' in it", entry.path().filename().string()),
                       "an experiment needs a directory of its own", "Name another directory.");
}

// ---- what a run is known by ----------------------------------------------------------------------------

/// Of everything a run's result depends on.
std::string key_of(const Settings& s, const Loaded& loaded, const Topology& topology, const Method& method) {
  std::string text =
      fmt::format("{} test={} rounds={} tol={:a} every={}", iterates_key(s, loaded, topology, method), s.test,
                  s.rounds, s.tol, *s.every);
  for (const Parameter& parameter : method.parameters())
    if (parameter.key == "tau") text += fmt::format(" tau={}", parameter.value);
  if (stops_by_certificate(s, method)) text += " certified";
  return hash_of(text).substr(0, 12);
}

std::string slug(std::string_view text) {
  std::string out;
  for (const char c : text) out += std::isalnum(static_cast<unsigned char>(c)) ? c : '-';
  return out.substr(0, 40);
}

/// Cases with the same text share losses and optimum. On several processes the graph decides which have them.
std::string loaded_key(Settings s, Index agents, bool whole) {
  const Settings none;
  if (whole) s.graph = "";
  s.mixing = s.method = "";
  s.set.clear();
  s.batch_seed.reset();
  s.rounds = none.rounds, s.tol = none.tol, s.every = none.every;
  return fmt::format("{} agents\n{}", agents, toml_of(std::move(s)));
}

Graph graph_of(const Settings& s) {
  return GraphSequence::parse(s.graph, static_cast<std::uint64_t>(s.seed)).joined();
}

/// Whether only the data tell that the method fits: they make some least squares strongly convex.
bool depends_on_data(const Settings& s) {
  return s.loss == "ridge" && !s.kappa && s.l2.value_or(Settings::default_l2) == 0 &&
         !(s.mu.value_or(0) > 0) && !method(s.method).about().meets.has(Demand::merely_convex);
}

// ---- several runs at once -----------------------------------------------------------------------------

/// Runs task(0) ... task(count-1) on several threads; the first exception stops the others from starting and
/// is rethrown.
void side_by_side(Index threads, std::size_t count, const std::function<void(std::size_t)>& task) {
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::exception_ptr failure;
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        task(i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!failure) failure = std::current_exception();
        next = count;
      }
    }
  };
  {
    std::vector<std::jthread> team;
    team.reserve(static_cast<std::size_t>(threads));
    for (Index t = 1; t < threads; ++t) team.emplace_back(work);
    work();  // only this thread may talk to other processes
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace

// ---- running -------------------------------------------------------------------------------------------

Comparison::Comparison(const Experiment& experiment, fs::path folder, fs::path cache, Index jobs,
                       Cluster& cluster)
    : experiment_(experiment),
      cluster_(cluster),
      folder_(std::move(folder)),
      cache_(std::move(cache)),
      jobs_(cluster.size() > 1 ? 1
            : jobs > 0         ? jobs
                               : cores()),
      directories_(experiment.cases.size()) {
  if (cluster.rank() == 0) require_own(folder_);
}

bool Comparison::complete() const {
  return std::ranges::none_of(directories_, [](const fs::path& path) { return path.empty(); });
}

std::vector<Comparison::Group> Comparison::groups() const {
  std::vector<Group> groups;
  std::map<std::string, std::size_t> known;
  for (std::size_t i = 0; i < experiment_.cases.size(); ++i) {
    const Settings& settings = experiment_.cases[i].settings;
    const auto [at, fresh] = known.try_emplace(
        loaded_key(settings, graph_of(settings).agents(), cluster_.size() == 1), groups.size());
    if (fresh) groups.emplace_back();
    groups[at->second].cases.push_back(i);
  }
  return groups;
}

void Comparison::run(ProgressLine& line, const std::stop_token& cancelled) {
  JointProgress progress(line, experiment_.cases.size());
  try {
    for (const Group& group : groups()) require_fit_to_data(group, line, cancelled);
    for (const Group& group : groups()) {
      if (stopped(cancelled)) return;
      run(group, line, progress, cancelled);
    }
  } catch (const CknStopped&) {
    return;  // while features of images were computed; nothing of this group has begun
  }
}

/// Before anything is run.
void Comparison::require_fit_to_data(const Group& group, ProgressLine& line,
                                     const std::stop_token& cancelled) {
  std::optional<Loaded> loaded;
  for (const std::size_t index : group.cases) {
    const Settings& s = experiment_.cases[index].settings;
    if (!depends_on_data(s)) continue;
    if (!loaded) loaded = loaded_for(group, line, cancelled);
    Demands asked = demands_of(GraphSequence::parse(s.graph, static_cast<std::uint64_t>(s.seed)));
    if (!(loaded->problem.constants.mu > 0)) asked.add(Demand::merely_convex);
    require_fit(method(s.method), asked);
  }
  if (loaded && !looked_at_) looked_at_.emplace(group.cases.front(), *std::move(loaded));
}

/// Its data are read, unless a look at them was enough.
Loaded Comparison::loaded_for(const Group& group, ProgressLine& line, const std::stop_token& cancelled) {
  if (looked_at_ && looked_at_->first == group.cases.front()) {
    Loaded loaded = std::move(looked_at_->second);
    looked_at_.reset();
    return loaded;
  }
  const Settings& common = experiment_.cases[group.cases.front()].settings;
  Threads threads(static_cast<int>(cores()));
  line.show(fmt::format("reading {}", common.data));
  return load(common, graph_of(common), cluster_, threads, {CknProgress(line), cancelled});
}

/// Processes must stop together.
bool Comparison::stopped(const std::stop_token& cancelled) {
  if (cluster_.size() == 1) return cancelled.stop_requested();
  const auto told = cluster_.share(cancelled.stop_requested() ? "stop" : "");
  return std::ranges::find(told, "stop") != told.end();
}

void Comparison::run(const Group& group, ProgressLine& line, JointProgress& progress,
                     const std::stop_token& cancelled) {
  Loaded loaded = loaded_for(group, line, cancelled);
  const Topologies topologies = topologies_of(group, line);
  const std::vector<Task> tasks = missing(group, loaded, topologies, progress);
  if (tasks.empty()) return;

  line.show("finding the optimum");
  Threads threads(static_cast<int>(cores()));
  loaded.problem.reference = reference_of(loaded, cache_, cluster_, threads);
  side_by_side(jobs_, tasks.size(), [&](std::size_t t) {
    if (!stopped(cancelled)) perform(tasks[t], loaded, progress, cancelled);
  });
}

Comparison::Topologies Comparison::topologies_of(const Group& group, ProgressLine& line) const {
  Topologies topologies;
  for (const std::size_t index : group.cases) {
    const Settings& s = experiment_.cases[index].settings;
    if (topologies.contains({s.graph, s.mixing})) continue;
    const auto show = [&](std::string_view text) { line.show(text); };
    topologies.emplace(std::pair(s.graph, s.mixing),
                       Topology::parse(s.graph, s.mixing, static_cast<std::uint64_t>(s.seed), show));
  }
  return topologies;
}

std::vector<Comparison::Task> Comparison::missing(const Group& group, const Loaded& loaded,
                                                  const Topologies& topologies, JointProgress& progress) {
  std::vector<Task> tasks;
  for (const std::size_t index : group.cases) {
    Settings settings = experiment_.cases[index].settings;
    settings.l2 = loaded.l2;  // what repeats the run, also where it was chosen for a condition number
    settings.kappa.reset();
    settings.threads = std::max<Index>(1, cores() / jobs_);
    const Topology& topology = topologies.at({settings.graph, settings.mixing});
    if (!settings.every) settings.every = default_every(topology.agents());
    Method method = chosen_method(settings);
    require_fit(method, demands_of(loaded.problem, topology));
    const fs::path directory =
        fs::path("runs") / fmt::format("{}-{}-{}", slug(settings.method), slug(settings.graph),
                                       key_of(settings, loaded, topology, method));
    const bool there = cluster_.rank() == 0 && fs::exists(folder_ / directory / "summary.json");
    if (told_by_first(cluster_, there ? "there" : "") == "there") {
      directories_[index] = directory;
      ++found_;
      progress.done(index);
    } else {
      tasks.push_back({index, std::move(settings), std::move(method), &topology, directory});
    }
  }
  return tasks;
}

void Comparison::perform(const Task& task, const Loaded& loaded, JointProgress& progress,
                         const std::stop_token& cancelled) {
  const Settings& settings = task.settings;
  ShareDone share_done(settings.tol, static_cast<double>(settings.rounds));
  const auto on_row = [&](const TraceRow& row) {
    progress.share(task.index, 0.999 * share_done(row), experiment_.cases[task.index].curve);
  };
  const Result result = cli::run(settings, loaded, *task.topology, task.method, cluster_,
                                 {.on_row = on_row, .cancelled = cancelled});
  if (result.status == Status::interrupted) return;  // half a run is worth nothing here
  const Outcome outcome{settings, task.method, *task.topology, loaded, result};
  if (cluster_.rank() == 0) {
    RunDirectory directory(folder_ / task.directory, settings.method, true);
    (void)directory.write(files_of(outcome, summary_of(outcome)));
  }
  directories_[task.index] = task.directory;
  progress.done(task.index);
}

// ---- afterwards ----------------------------------------------------------------------------------------

namespace {

/// Time at each tau, and as a ratio to sqrt(kappa_f) (1 + tau sqrt(kappa_W)) ln(gap_0 / gap).
Json times_of(const report::Run& run, const std::vector<double>& taus) {
  const Json& s = run.summary;
  const double gap = std::max(run.trace.back().worst_suboptimality, report::floor_of(s));
  const double decay = std::log(run.trace.front().worst_suboptimality / gap);
  Json times = Json::array();
  for (const double tau : taus) {
    const double time = run.trace.back().meter.time(tau);
    const bool applies = !s["lower_bound"]["time"].is_null();
    const double bound = applies ? std::sqrt(s["kappa_f"].get<double>()) *
                                       (1 + tau * std::sqrt(s["kappa_W"].get<double>())) * decay
                                 : 0;
    times.push_back({{"tau", tau}, {"time", time}, {"to_bound", bound > 0 ? Json(time / bound) : Json()}});
  }
  return times;
}

Json row_of(const report::Run& run, const std::vector<double>& taus) {
  const Json& s = run.summary;
  return {{"directory", run.directory},
          {"problem", run.problem},
          {"curve", run.curve},
          {"method", s["method"]},
          {"seed", s["seed"]},
          {"batch_seed", s.value("batch_seed", s["seed"])},
          {"status", s["status"]},
          {"computations", s["counts"]["computations"]},
          {"communications", s["counts"]["communications"]},
          {"worst_suboptimality", s["errors"]["worst_suboptimality"]},
          {"times", times_of(run, taus)},
          {"seconds", s["seconds"]}};
}

/// As between the order statistics on both sides.
double quantile(const std::vector<double>& sorted, double q) {
  const double at = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double part = at - static_cast<double>(below);
  return part == 0 ? sorted[below] : (1 - part) * sorted[below] + part * sorted[above];
}

/// Median and 10-90 % band of a number over the seeds of a curve. A run without it (null) counts as infinite.
Json band_of(const std::vector<const Json*>& rows, const char* number) {
  std::vector<double> values;
  values.reserve(rows.size());
  for (const Json* row : rows)
    values.push_back((*row)[number].is_null() ? std::numeric_limits<double>::infinity()
                                              : (*row)[number].get<double>());
  std::ranges::sort(values);
  const auto at = [&](double q) {
    const double value = quantile(values, q);
    return std::isfinite(value) ? Json(value) : Json();
  };
  return {{"low", at(0.1)}, {"median", at(0.5)}, {"high", at(0.9)}};
}

/// One entry for each curve with several runs.
Json bands_of(const Json& runs) {
  std::map<std::pair<std::string, std::string>, std::vector<const Json*>> curves;
  for (const Json& row : runs) curves[{row["problem"], row["curve"]}].push_back(&row);
  Json bands = Json::array();
  for (const Json& row : runs) {
    const auto& rows = curves[{row["problem"], row["curve"]}];
    if (rows.size() == 1 || rows.front() != &row) continue;
    bands.push_back({{"problem", row["problem"]},
                     {"curve", row["curve"]},
                     {"runs", rows.size()},
                     {"diverged", std::ranges::count_if(
                                      rows, [](const Json* r) { return (*r)["status"] == "diverged"; })},
                     {"computations", band_of(rows, "computations")},
                     {"communications", band_of(rows, "communications")},
                     {"worst_suboptimality", band_of(rows, "worst_suboptimality")}});
  }
  return bands;
}

Json table_of(const report::Subject& subject) {
  Json runs = Json::array();
  for (const report::Run& run : subject.runs) runs.push_back(row_of(run, subject.taus));
  Json bands = bands_of(runs);
  return {{"title", subject.title}, {"command", subject.command}, {"taus", subject.taus},
          {"jobs", subject.jobs},   {"runs", std::move(runs)},    {"bands", std::move(bands)}};
}

}  // namespace

Comparison::Written Comparison::write(const std::string& command) const {
  report::Subject subject{.title = experiment_.title,
                          .command = command,
                          .config = experiment_.text,
                          .taus = experiment_.taus,
                          .jobs = jobs_,
                          .runs = {}};
  for (std::size_t i = 0; i < directories_.size(); ++i) {
    if (directories_[i].empty()) continue;
    report::Run run = report::read_run(folder_ / directories_[i]);
    run.directory = directories_[i].string();
    run.problem = experiment_.cases[i].problem;
    run.curve = experiment_.cases[i].curve;
    subject.runs.push_back(std::move(run));
  }
  Json table = table_of(subject);
  fs::create_directories(folder_);
  write_text(folder_ / "experiment.toml", experiment_.text);
  write_text(folder_ / "comparison.json", table.dump(2) + "\n");
  write_text(folder_ / "report.html", report::html(report::data_of(subject)));
  return {std::move(table), folder_ / "report.html"};
}

namespace {

report::Subject read_comparison(const fs::path& folder) {
  const fs::path file = folder / "comparison.json";
  const Json table = Json::parse(read_text(file), nullptr, false);
  const auto damaged = [&](std::string_view found) {
    return InputError(file.string(), found, "as 'ideal compare' wrote it",
                      "Run 'ideal compare' again: nothing is lost.");
  };
  if (!table.is_object()) throw damaged("no JSON object");
  try {
    report::Subject subject{.title = table.at("title"),
                            .command = table.at("command"),
                            .config = read_text(folder / "experiment.toml"),
                            .taus = table.at("taus"),
                            .jobs = table.at("jobs"),
                            .runs = {}};
    for (const Json& row : table.at("runs")) {
      const std::string directory = row.at("directory");
      report::Run run = report::read_run(folder / directory);
      run.directory = directory;
      run.problem = row.at("problem");
      run.curve = row.at("curve");
      subject.runs.push_back(std::move(run));
    }
    return subject;
  } catch (const Json::exception& error) {
    throw damaged(error.what());
  }
}

}  // namespace

report::Subject read_subject(const fs::path& directory) {
  if (fs::exists(directory / "comparison.json")) return read_comparison(directory);
  if (!fs::exists(directory / "summary.json"))
    throw InputError(directory.string(), "neither comparison.json nor summary.json in it",
                     "a directory that 'ideal compare' or 'ideal solve' wrote", "Check the path.");
  report::Run run = report::read_run(directory);
  run.directory.clear();  // the page lies in it
  return {.title = fmt::format("{} on {}", run.summary["method"].get<std::string>(),
                               run.summary["graph"].get<std::string>()),
          .command = "ideal solve --config config.toml",
          .config = run.config,
          .taus = {run.summary["counts"].value("tau", 1.0)},
          .jobs = 1,
          .runs = {std::move(run)}};
}

}  // namespace ideal::cli
