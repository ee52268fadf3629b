// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/graph.hpp>

#include <string_view>

namespace ideal {

/// Throws InputError at `place`, listing the components, unless every agent can reach every other.
void require_connected(const Graph& graph, std::string_view place, std::string_view remedy);

}  // namespace ideal
