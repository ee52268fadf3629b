// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/block.hpp>
#include <ideal/graph.hpp>

#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace ideal {

/// How one host reaches the others: the only thing that differs between simulator, threads, MPI and network.
class Transport {
 public:
  virtual ~Transport() = default;

  /// Agents living on this host, ascending; column c of a Block belongs to hosted()[c].
  [[nodiscard]] virtual std::span<const Index> hosted() const = 0;

  [[nodiscard]] virtual bool has_peers() const = 0;

  /// Sends each hosted agent's column to its neighbours; X stays as it is until finish(), which waits for
  /// theirs. In between a host may compute.
  virtual void start(const Block& X) = 0;
  virtual void finish() = 0;

  /// The same with a few more numbers for each column, which stay as they are, too.
  virtual void start_laden(const Block& X, const Block& riders);
  void exchange(const Block& X) {
    start(X);
    finish();
  }

  /// After finish(): the vector of a hosted agent or of a neighbour of one. Valid until the next start().
  [[nodiscard]] virtual const double* column(Index agent) const = 0;

  /// What rode on that agent's vector.
  [[nodiscard]] virtual const double* rider(Index agent) const { return column(agent) + laden_at_; }

  /// Takes the memory for that, for blocks of such sizes, at once.
  virtual void expect(const Block& X, const Block& riders) {
    laden_.resize(X.rows() + riders.rows(), X.cols());
  }

  /// The columns of all n agents in agent order, on every host. Not a decentralized operation: for
  /// observation and for centralized baselines. Valid until the next gather.
  virtual const Block& gather(const Block& X) = 0;

  /// Passes `value` from agent to agent in agent order, each hosted one taking its turn, and hands the last
  /// state to every host: a sum too large to gather, with the same bits on any hosts. Observation, too.
  virtual void relay(Block& value, const std::function<void(Index column, Block& value)>& turn) = 0;

 private:
  Block laden_;  ///< X with its riders below it: what travels where hosts share no memory
  Index laden_at_ = 0;
};

/// Simulator: every agent on one host, neighbours read in place.
std::unique_ptr<Transport> in_process(Index agents);

/// One transport per host, meant for one thread each; messages travel through mailboxes as copies.
/// `host_of[i]` is the host of agent i; hosts are 0 ... max. A host that leaves (its transport destroyed)
/// makes the others' next exchange throw PeerLost.
std::vector<std::unique_ptr<Transport>> mailboxes(const Graph& graph, std::span<const Index> host_of);

}  // namespace ideal
