// SPDX-License-Identifier: Apache-2.0
#include "bytes.hpp"
#include "cache.hpp"
#include "command.hpp"
#include "comparison.hpp"
#include "interrupt.hpp"
#include "launch.hpp"
#include "number.hpp"
#include "options.hpp"
#include "progress.hpp"

#include <ideal/cpu.hpp>
#include <ideal/error.hpp>

#include <memory>

#include <fmt/format.h>

namespace ideal::cli {
namespace {

namespace fs = std::filesystem;

struct Compare {
  std::string file, out, cache;
  Index jobs = 0;
  bool json = false, quiet = false;

  int operator()() const;
};

std::string number(const report::Json& value, std::string_view form) {
  return value.is_null() ? "nan" : fmt::format(fmt::runtime(form), value.get<double>());
}

std::string banded(const report::Json& band, std::string_view form) {
  return fmt::format("{} ({} ... {})", number(band["median"], form), number(band["low"], form),
                     number(band["high"], form));
}

void print_heading(const report::Json& table, const std::string& problem) {
  fmt::print("\n{}\n{:<32} {:<10} {:>12} {:>14} {:>9}", problem, "", "status", "computations",
             "communications", "gap");
  for (const auto& tau : table["taus"])
    fmt::print(" {:>20}", fmt::format("time, tau={:g}", tau.get<double>()));
  fmt::print("\n");
}

void print_row(const report::Json& row) {
  fmt::print("{:<32} {:<10} {:>12} {:>14} {:>9}", row["curve"].get<std::string>(),
             row["status"].get<std::string>(), number(row["computations"], "{:.6g}"),
             row["communications"].get<Index>(), number(row["worst_suboptimality"], "{:.1e}"));
  for (const auto& at : row["times"])
    fmt::print(" {:>20}",
               fmt::format("{} ({})", number(at["time"], "{:.0f}"), number(at["to_bound"], "{:.2f}")));
  fmt::print("\n");
}

void print_table(const report::Json& table) {
  std::string problem;
  for (const auto& row : table["runs"]) {
    if (row["problem"] != problem) print_heading(table, problem = row["problem"].get<std::string>());
    print_row(row);
  }
  if (!table["bands"].empty())
    fmt::print("\nover several runs, the median and in brackets 10 to 90 %\n{:<32} {:>5} {:>34} {:>34}\n", "",
               "runs", "computations", "gap");
  problem.clear();
  for (const auto& band : table["bands"]) {
    if (band["problem"] != problem) fmt::print("{}\n", problem = band["problem"].get<std::string>());
    fmt::print("{:<32} {:>5} {:>34} {:>34}\n", band["curve"].get<std::string>(), band["runs"].get<Index>(),
               banded(band["computations"], "{:.6g}"), banded(band["worst_suboptimality"], "{:.1e}"));
  }
  fmt::print(
      "\nin brackets behind a time: it over the lower bound sqrt(kappa_f) (1 + tau sqrt(kappa_W)) ln(gap_0 / "
      "gap), whose "
      "constant is left out\n");
}

int Compare::operator()() const {
  Interrupt interrupt;
  const Experiment experiment = read_experiment(file, cache);
  const fs::path folder = out.empty() ? fs::path("runs") / fs::path(file).stem() : fs::path(out);
  Cluster& cluster = job();
  require_same(cluster, "version", IDEAL_VERSION);
  require_same(cluster, "a CPU", cpu_fuses() ? "with fused multiply-add" : "without fused multiply-add");
  require_same(cluster, "an experiment whose hash is", hash_of(experiment.text));
  remember({}, " The same command goes on from there.");
  ProgressLine line(!quiet && !json && speaks());
  Comparison comparison(experiment, folder, cache_directory(cache), jobs, cluster);
  comparison.run(line, interrupt.token());
  line.clear();
  if (!speaks()) return comparison.complete() ? reached : interrupted;
  const auto [table, page] = comparison.write(fmt::format("ideal compare {}", file));

  if (json)
    fmt::print("{}\n", table.dump(2));
  else if (!quiet) {
    print_table(table);
    fmt::print("{} of {} runs were there already\nreport: {}\n", comparison.found(), experiment.cases.size(),
               page.string());
  }
  if (comparison.complete()) return reached;
  fmt::print(stderr, "ideal: interrupted with {} of {} runs done. The same command goes on from there.\n",
             table["runs"].size(), experiment.cases.size());
  return interrupted;
}

}  // namespace

Command add_compare(CLI::App& program) {
  CLI::App* page =
      program.add_subcommand("compare", "Run an experiment: many methods, graphs and parameters");
  const auto compare = std::make_shared<Compare>();
  page->add_option("file", compare->file, "The experiment, in TOML")->required()->type_name("FILE");
  page->add_option("--out", compare->out,
                   "Its directory; default runs/<name of FILE>. Runs in it are not run again")
      ->type_name("DIR");
  Options(*page).whole(
      "jobs", compare->jobs, thread_range,
      "Runs at a time, sharing the cores; 0: one a core. Only the seconds depend on it; 1 is the "
      "fairest");
  page->add_option("--cache", compare->cache, "Where data and optima are kept; default $XDG_CACHE_HOME/ideal")
      ->type_name("DIR");
  page->add_flag("--json", compare->json, "Print comparison.json instead of a table");
  page->add_flag("--quiet", compare->quiet, "Print errors only");
  page->footer(
      "An experiment:\n"
      "  title = \"Digits 3 and 8\"\n"
      "  taus  = [0.1, 10, 1000]              # times of a round worth looking at\n"
      "  data  = \"mnist\"                      # any option of 'ideal solve'; a list means each of them\n"
      "  graph = [\"cycle:8\", \"barbell:8\"]\n"
      "  seed  = [0, 1, 2]                    # a curve with several seeds gets a band\n"
      "  repeat = 10                          # methods that draw rows, ten times: a band, too\n"
      "  [[method]]\n"
      "  name  = \"ideal\"\n"
      "  label = \"IDEAL, {rho-scale} x rho\"   # {key}: a parameter's value\n"
      "  set   = {T = 100, rho-scale = [0.5, 1, 2]}\n"
      "\n"
      "The directory holds a run directory for each run, comparison.json and report.html. Interrupted or\n"
      "extended, an experiment goes on where it was: a run is known by its content, not by its name.");
  return {page, [compare] { return (*compare)(); }};
}

}  // namespace ideal::cli
