// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/cluster.hpp>

#include <string>

namespace ideal::cli {

/// Whether this process prints and writes: the only one, or rank 0.
bool speaks();

/// The processes this one was started with: joined at the first call, by all of them, and until leave().
Cluster& job();

/// Cores for this process: those it is bound to, or its share of the machine.
Index cores();

/// What is said if a rank is lost from now on: its agents, and how to go on.
void remember(std::vector<Index> host_of, std::string advice);

/// At the end of the program, if it ends well.
void leave();

/// Ends this process, on purpose: other ranks end with it and do not take it for lost.
[[noreturn]] void end_at_once(int code);

/// Says what went wrong and returns `code`. Of ranks that fail alike one speaks; a rank that fails alone says
/// which it is.
int complain(int code, const std::string& message);

}  // namespace ideal::cli
