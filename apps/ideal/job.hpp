// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "run_directory.hpp"
#include "summary.hpp"

#include <ideal/checkpoint.hpp>
#include <ideal/cluster.hpp>

#include <filesystem>
#include <functional>
#include <stop_token>

namespace ideal::cli {

/// The optimum of a problem, remembered in `cache` unless that is empty. Every process takes part.
Reference reference_of(const Loaded& loaded, const std::filesystem::path& cache, Cluster& cluster,
                       Threads& threads);

/// What goes on beside a run.
struct Beside {
  std::function<void(const TraceRow&)> on_row = {};
  std::function<void(std::string_view)> on_note = {};
  std::stop_token cancelled = {};
  std::function<void(const Checkpoint&)> on_checkpoint = {};  ///< every settings.checkpoint passes
  const SavedRun* resume = nullptr;
};

/// Runs a method on a problem that is loaded and has its reference. Every process takes part and gets the
/// iterates of all agents.
Result run(const Settings& settings, const Loaded& loaded, const Topology& topology, const Method& method,
           Cluster& cluster, Beside beside);

/// A key of who talks to whom.
std::string key_of(const Graph& graph);

/// A key of all that the iterates of a run depend on.
std::string iterates_key(const Settings& settings, const Loaded& loaded, const Topology& topology,
                         const Method& method);

/// What a finished run leaves behind.
RunFiles files_of(const Outcome& outcome, const nlohmann::ordered_json& summary);

}  // namespace ideal::cli
