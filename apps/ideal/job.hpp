// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "run_directory.hpp"
#include "summary.hpp"

#include <filesystem>
#include <functional>
#include <stop_token>

namespace ideal::cli {

/// The optimum of a problem, remembered in `cache` unless that is empty.
Reference reference_of(const Loaded& loaded, const std::filesystem::path& cache, Threads& threads);

/// Runs a method on a problem that is loaded and has its reference.
Result run(const Settings& settings, const Loaded& loaded, const Topology& topology, const Method& method,
           std::function<void(const TraceRow&)> on_row, std::stop_token cancelled);

/// What a finished run leaves behind.
RunFiles files_of(const Outcome& outcome, const nlohmann::ordered_json& summary);

}  // namespace ideal::cli
