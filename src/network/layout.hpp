// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/graph.hpp>

#include <Eigen/Core>

namespace ideal {

/// A place in the square [-1, 1]^2 for each agent, such that distances in the plane follow hops in the graph.
/// Deterministic.
Eigen::Matrix2Xd layout(const Graph& graph);

}  // namespace ideal
