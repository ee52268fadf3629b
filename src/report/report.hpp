// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/trace.hpp>

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace ideal::report {

using Json = nlohmann::ordered_json;

/// One run, as its directory holds it, and its place in a report.
struct Run {
  std::string directory;
  std::string config;        ///< config.toml
  Json summary;              ///< summary.json
  Trace trace;               ///< trace.csv
  std::string problem = {};  ///< runs of one problem share this title
  std::string curve = {};    ///< runs of one curve differ in their seed only
};

/// Titles a run stands under when it is alone: its data, loss and graph, and its method with what was set.
void name(Run& run);

/// Reads a run directory; throws InputError naming the file that is missing or damaged.
Run read_run(const std::filesystem::path& directory);

/// What a report is about: one run, or a comparison of many.
struct Subject {
  std::string title;
  std::string command;  ///< repeats it
  std::string config;
  std::vector<double> taus;  ///< times of a round worth looking at
  Index jobs = 1;            ///< runs that shared the machine while time was measured
  std::vector<Run> runs;
};

/// Everything the page and the figures show, as docs/report.md describes it.
Json data_of(const Subject& subject);

/// One HTML file that needs nothing else: no network, light and dark.
std::string html(const Json& data);

/// Every figure as files: name -> content. Formats: svg, pdf, tex, csv. `tau`: of figures against time; the
/// report's own if not given. The page draws the same figures by the same code.
std::map<std::string, std::string> figures(const Json& data, const std::vector<std::string>& formats,
                                           std::optional<double> tau = {});

/// Gaps of a run below this are rounding, or below what its reference optimum certifies.
double floor_of(const Json& summary);

/// At most about `most` rows: the first and the last, evenly spaced ones, and wherever an error first gets to
/// a power of ten, so that times to accuracy are those of the whole trace.
Trace thinned(const Trace& trace, std::size_t most);

}  // namespace ideal::report
