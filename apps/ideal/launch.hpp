// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/cluster.hpp>

#include <string>

namespace ideal::cli {

/// Whether this process prints: the only one, or rank 0 of those mpirun started.
bool speaks();

/// The processes this one was started with: joined at the first call, by all of them, and until leave().
Cluster& job();

/// Ranks of this job on this machine.
Index ranks_here();

/// What is said if a rank is lost from now on: its agents, and how to go on.
void remember(std::vector<Index> host_of, std::string advice);

/// At the end of the program, if it ends well.
void leave();

/// Says what went wrong and returns `code`. Of ranks that fail alike one speaks; a rank that fails alone says
/// which it is.
int complain(int code, const std::string& message);

}  // namespace ideal::cli
