// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/error.hpp>

#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <mpi.h>
#include <sched.h>

namespace ideal::mpi {

/// Turns an error code into PeerLost: with valid arguments, which ours are, nothing else makes MPI fail.
inline void check(int code, std::string_view action) {
  if (code == MPI_SUCCESS) return;
  std::string text(MPI_MAX_ERROR_STRING, '\0');
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  text.resize(static_cast<std::size_t>(length));
  throw PeerLost(fmt::format("MPI failed to {}: {}", action, text));
}

/// Waits for a request. A waiting rank soon lets others have its core: where ranks share cores, MPI's own
/// busy waiting is a thousand times slower.
inline void wait(MPI_Request& request, std::string_view action) {
  constexpr int impatient = 64;
  for (int tests = 0, done = 0; !done; ++tests) {
    check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), action);
    if (!done && tests > impatient) sched_yield();
  }
}

/// One after the other: MPI_Testall of MPICH 4.0 fails on persistent collectives.
inline void wait(std::span<MPI_Request> requests, std::string_view action) {
  for (MPI_Request& request : requests) wait(request, action);
}

}  // namespace ideal::mpi
