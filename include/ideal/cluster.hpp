// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/graph.hpp>
#include <ideal/transport.hpp>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ideal {

/// The processes that work on a run together. Everything here is done by all of them, in the same order.
class Cluster {
 public:
  virtual ~Cluster() = default;

  [[nodiscard]] virtual Index rank() const = 0;  ///< of this process: 0 ... size()-1
  [[nodiscard]] virtual Index size() const = 0;

  /// What each process says, by rank.
  virtual std::vector<std::string> share(std::string_view mine) = 0;

  /// Between the agents of a graph; host_of[i] is the rank of agent i, and every rank has one.
  virtual std::unique_ptr<Transport> transport(const Graph& graph, std::span<const Index> host_of) = 0;
};

/// This process alone.
std::unique_ptr<Cluster> alone();

/// What rank 0 says.
std::string told_by_first(Cluster& cluster, std::string_view mine);

/// Throws InputError on every process unless all say the same; it names the first two that differ.
void require_same(Cluster& cluster, std::string_view what, std::string_view mine);

/// A rank for every agent: shares that differ by one agent at most, and few edges between ranks. Agent 0,
/// whose host tells of a run, is on rank 0. Throws InputError if there are more ranks than agents.
std::vector<Index> place(const Graph& graph, Index ranks);

/// Edges whose ends are on different ranks.
Index cut_edges(const Graph& graph, std::span<const Index> host_of);

}  // namespace ideal
