// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "problem.hpp"

#include <ideal/checkpoint.hpp>

#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace ideal::cli {

/// Everything a finished run is told from.
struct Outcome {
  const Settings& settings;
  const Method& method;
  const Topology& topology;
  const Loaded& loaded;
  const Result& result;
  const SavedRun* resumed = nullptr;  ///< what it went on from
};

/// The content of summary.json.
nlohmann::ordered_json summary_of(const Outcome& outcome);

/// The same for people, as rows of a label and a text.
std::vector<std::pair<std::string, std::string>> rows_of(const nlohmann::ordered_json& summary);

}  // namespace ideal::cli
