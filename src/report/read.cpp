// SPDX-License-Identifier: Apache-2.0
#include "report/report.hpp"

#include <ideal/error.hpp>

#include <fstream>
#include <sstream>

#include <fmt/format.h>

namespace ideal::report {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  if (!in || !(text << in.rdbuf()))
    throw InputError(file.string(), "not there or not readable", "a run directory holds it",
                     "Name the directory that 'ideal solve' or 'ideal compare' wrote.");
  return std::move(text).str();
}

/// The keys that reports read, so that a summary of another origin is refused by name.
void require_keys(const Json& summary, const fs::path& file) {
  for (const char* key : {"method",
                          "parameters",
                          "set",
                          "status",
                          "message",
                          "errors",
                          "L",
                          "mu",
                          "kappa_f",
                          "lambda_max",
                          "lambda_min",
                          "kappa_W",
                          "f_star",
                          "gradient_norm",
                          "certified_gap",
                          "seconds",
                          "data",
                          "loss",
                          "l2",
                          "graph",
                          "mixing",
                          "agents",
                          "edges",
                          "partition",
                          "seed",
                          "environment"})
    if (!summary.contains(key))
      throw InputError(file.string(), fmt::format("no \"{}\"", key), "every summary of a run has it",
                       "Run it again: the file is damaged or of another version.");
}

Json summary_in(const fs::path& file) {
  Json summary = Json::parse(text_of(file), nullptr, false);
  if (summary.is_discarded() || !summary.is_object())
    throw InputError(file.string(), "no JSON object", "as a run writes it",
                     "Run it again: the file is damaged.");
  require_keys(summary, file);
  return summary;
}

}  // namespace

void name(Run& run) {
  const Json& s = run.summary;
  run.problem = fmt::format("{}, {}, {}", s["data"].value("name", ""), s["loss"].get<std::string>(),
                            s["graph"].get<std::string>());
  run.curve = s["method"].get<std::string>();
  for (const Json& pair : s["set"]) run.curve += fmt::format(" {}", pair.get<std::string>());
}

Run read_run(const fs::path& directory) {
  Run run{.directory = directory.string(),
          .config = text_of(directory / "config.toml"),
          .summary = summary_in(directory / "summary.json"),
          .trace = read_trace(directory / "trace.csv")};
  name(run);
  return run;
}

}  // namespace ideal::report
