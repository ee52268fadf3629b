// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/block.hpp>
#include <ideal/checkpoint.hpp>
#include <ideal/trace.hpp>

#include <filesystem>
#include <optional>
#include <string>

namespace ideal::cli {

struct RunFiles {
  std::string config;                  ///< config.toml
  Trace trace;                         ///< trace.csv
  Block X;                             ///< solution.npy, one row an agent
  std::string summary;                 ///< summary.json
  std::string report;                  ///< report.html
  std::optional<SavedRun> saved = {};  ///< to go on from
};

/// Where a run goes. It appears whole or not at all, and what it replaces goes last; only a run that saves
/// checkpoints is there, with them and its configuration, before it ends.
class RunDirectory {
 public:
  /// Checks that a run can be written to `path`, changing nothing. Empty: runs/<time>-<method>.
  RunDirectory(const std::filesystem::path& path, std::string_view method, bool force);

  /// Makes the directory now, for checkpoints of the run that `config` repeats. What an earlier run left
  /// goes, but for the checkpoints up to the one, of so many passes, that this run goes on from (-1: none).
  void begin(const std::string& config, Index resumed_passes);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  /// Returns the path written.
  [[nodiscard]] std::filesystem::path write(const RunFiles& files);

 private:
  void check_replaceable() const;
  void move_in(const std::filesystem::path& fresh);
  void replace_by(const std::filesystem::path& fresh) const;

  std::filesystem::path path_;
  bool may_rename_;
  bool force_;
  bool begun_ = false;
};

}  // namespace ideal::cli
