// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <stop_token>
#include <string>
#include <vector>

namespace ideal::fetch {

/// What a program of the system answered.
struct Answer {
  int exit_code = 0;  ///< 128 + signal if a signal ended it
  std::string out, err;
};

/// Runs a program found on PATH without input and waits for it. Throws RunError if it is not there or takes
/// longer than `limit`, Interrupted if asked to stop; either way it is ended first.
Answer ask(const std::vector<std::string>& command, const std::stop_token& stop, std::chrono::seconds limit);

}  // namespace ideal::fetch
