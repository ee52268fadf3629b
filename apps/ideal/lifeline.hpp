// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/cluster.hpp>

#include <functional>
#include <memory>

namespace ideal::cli {

/// Tells when a process of a cluster has died, which MPI does not: rank 0 holds a connection to every other
/// rank, and a connection that ends without a farewell is a death. The kernel ends the connections of a
/// killed process at once; a machine that vanishes is missed within half a minute.
class Lifeline {
 public:
  /// All processes of the cluster, together.
  explicit Lifeline(Cluster& cluster);
  ~Lifeline();
  Lifeline(const Lifeline&) = delete;
  Lifeline& operator=(const Lifeline&) = delete;

  /// From now on `on_loss(rank)` is called by another thread: on rank 0 if another rank was lost, on the
  /// others if rank 0 was; `on_failure(code)` where the other end ended with that code, for a reason it tells
  /// itself.
  void watch(std::function<void(Index rank)> on_loss, std::function<void(int code)> on_failure);

  /// True for one process of the job on each machine: the first that asks.
  [[nodiscard]] bool first_of_this_machine() const;

  void farewell();         ///< this process is done, and so are all others
  void failure(int code);  ///< this process ends because of an error that it reports

 private:
  class Socket;
  struct Connections;
  std::unique_ptr<Connections> connections_;
};

}  // namespace ideal::cli
