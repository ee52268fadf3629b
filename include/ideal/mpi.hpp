// SPDX-License-Identifier: Apache-2.0
// The target ideal::mpi. Programs that use it initialise and finalise MPI themselves.
#pragma once

#include <ideal/cluster.hpp>

#include <mpi.h>

namespace ideal {

/// The processes of a communicator, which is duplicated: our messages never meet yours. Only the thread that
/// calls this may use the cluster and its transports (MPI_THREAD_FUNNELED is enough), and MPI must outlive
/// them. A communicator whose error handler returns makes a failed peer a PeerLost. After an exception on one
/// rank the others may wait for it: end the job, or at least use the communicator no more.
std::unique_ptr<Cluster> mpi_cluster(MPI_Comm communicator);

}  // namespace ideal
