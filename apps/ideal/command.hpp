// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include <CLI/CLI.hpp>

namespace ideal::cli {

enum ExitCode { reached = 0, failed = 1, bad_input = 2, peer_lost = 3, interrupted = 130 };

/// A command as main sees it: its page of options, and what to do once they are read.
struct Command {
  CLI::App* page;
  std::function<int()> run;
};

Command add_solve(CLI::App& program);
Command add_compare(CLI::App& program);
Command add_report(CLI::App& program);
Command add_graph(CLI::App& program);
Command add_methods(CLI::App& program);
Command add_data(CLI::App& program);

}  // namespace ideal::cli
