// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "experiment.hpp"
#include "job.hpp"
#include "progress.hpp"
#include "report/report.hpp"

#include <filesystem>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace ideal::cli {

/// An experiment and its directory: a run directory under runs/ for each run, known by a key of all it
/// depends on; comparison.json, which lists them; report.html.
class Comparison {
 public:
  /// Throws InputError where the directory holds other things. jobs = 0: one a core.
  Comparison(const Experiment& experiment, std::filesystem::path folder, std::filesystem::path cache,
             Index jobs, Cluster& cluster);

  /// Runs what is not there yet, `jobs` at a time, or on several processes one by one; returns early when
  /// cancelled, with finished runs kept.
  void run(ProgressLine& line, const std::stop_token& cancelled);

  struct Written {
    report::Json table;  ///< comparison.json
    std::filesystem::path page;
  };
  /// Writes comparison.json and the report on what is there.
  [[nodiscard]] Written write(const std::string& command) const;

  [[nodiscard]] bool complete() const;
  [[nodiscard]] std::size_t found() const { return found_; }  ///< runs that were there before

 private:
  /// Cases that share data and its partition, and so the losses and the optimum.
  struct Group {
    std::vector<std::size_t> cases;
  };
  /// A run that is still to be done.
  struct Task {
    std::size_t index;
    Settings settings;
    Method method;
    const Topology* topology;
    std::filesystem::path directory;
  };
  using Topologies = std::map<std::pair<std::string, std::string>, Topology>;  ///< by graph and mixing

  [[nodiscard]] std::vector<Group> groups() const;
  void require_fit_to_data(const Group& group, ProgressLine& line, const std::stop_token& cancelled);
  [[nodiscard]] Loaded loaded_for(const Group& group, ProgressLine& line, const std::stop_token& cancelled);
  [[nodiscard]] bool stopped(const std::stop_token& cancelled);
  void run(const Group& group, ProgressLine& line, JointProgress& progress, const std::stop_token& cancelled);
  [[nodiscard]] Topologies topologies_of(const Group& group, ProgressLine& line) const;
  /// Notes the runs that are there and returns the others.
  [[nodiscard]] std::vector<Task> missing(const Group& group, const Loaded& loaded,
                                          const Topologies& topologies, JointProgress& progress);
  void perform(const Task& task, const Loaded& loaded, JointProgress& progress,
               const std::stop_token& cancelled);

  const Experiment& experiment_;
  Cluster& cluster_;
  std::filesystem::path folder_, cache_;
  Index jobs_;
  std::vector<std::filesystem::path> directories_;  // of each case, below folder_; empty: not there (yet)
  std::size_t found_ = 0;
  /// What a look at the data has read, of one group, known by its first case: of all it would be too much.
  std::optional<std::pair<std::size_t, Loaded>> looked_at_;
};

/// What a directory tells that `Comparison` or a single run wrote.
report::Subject read_subject(const std::filesystem::path& directory);

}  // namespace ideal::cli
