// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "settings.hpp"

#include <ideal/ckn.hpp>
#include <ideal/cluster.hpp>
#include <ideal/data.hpp>
#include <ideal/loss.hpp>

#include <memory>
#include <string>
#include <vector>

namespace ideal::cli {

/// What is told of the rows of all agents together.
struct DataFacts {
  std::string name;
  Index rows = 0, columns = 0, nonzeros = 0;
  bool sparse = false;
};

/// The rows of one agent, and what tells them from others.
struct Share {
  std::shared_ptr<const Rows> rows;
  std::string key;
};

/// The rows of the agents of one process, labelled as the loss wants them.
struct Shares {
  std::vector<Share> of_agent;  ///< one a hosted agent, in their order
  DataFacts facts;
  int classes = 1;
  std::shared_ptr<const Dataset> test;  ///< held-out rows, on rank 0; may be none
};

/// Reads all rows: for a process that is alone.
Shares all_shares(const Settings& settings, Index agents, const CknWatch& watch);

/// Reads the rows of the hosted agents and no others: from their places in one file, or from one file an
/// agent. Every process of the cluster takes part.
Shares own_shares(const Settings& settings, Index agents, std::span<const Index> hosted, Cluster& cluster,
                  const CknWatch& watch);

}  // namespace ideal::cli
