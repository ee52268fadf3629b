// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/problems.hpp"

#include <memory>
#include <numeric>
#include <string>
#include <vector>

namespace ideal::test {

inline std::vector<Index> all_agents(Index n) {
  std::vector<Index> agents(static_cast<std::size_t>(n));
  std::iota(agents.begin(), agents.end(), Index{0});
  return agents;
}

/// Both oracles over the simulator.
struct Oracles {
  Oracles(const Problem& problem, const Topology& topology)
      : transport(in_process(topology.agents())),
        F(problem.losses, all_agents(topology.agents()), problem.constants, 0, meter, threads),
        W(topology, *transport, meter, threads) {}

  Meter meter;
  Threads threads{1};
  std::unique_ptr<Transport> transport;
  Objective F;
  Network W;
};

inline const std::vector<std::string> many_graphs{"cycle:8",    "cycle:64",        "line:32",     "star:9",
                                                  "complete:7", "torus:8x8",       "hypercube:5", "tree:20",
                                                  "barbell:16", "geometric:30,0.4"};

}  // namespace ideal::test
