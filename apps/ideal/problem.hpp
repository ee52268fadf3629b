// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "settings.hpp"

#include <ideal/solve.hpp>

#include <memory>

namespace ideal::cli {

/// Rewrites `settings.data` in full (an absolute path, or every key of the synthetic problem) and checks what
/// can be checked without reading a file.
void resolve_data(Settings& settings);

/// The data, dealt to the agents, and their losses; the reference optimum is still to be found.
struct Loaded {
  std::shared_ptr<const Dataset> data;
  LossKind loss;
  double l2;
  std::string key;  ///< of the problem's content
  Problem problem;
};

Loaded load(const Settings& settings, Index agents, Threads& threads);

}  // namespace ideal::cli
