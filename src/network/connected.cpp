// SPDX-License-Identifier: Apache-2.0
#include "network/connected.hpp"

#include <ideal/error.hpp>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ideal {
namespace {

constexpr std::size_t shown_agents = 8;
constexpr std::size_t shown_components = 4;

std::string abbreviated(std::span<const Index> agents) {
  const auto shown = agents.first(std::min(agents.size(), shown_agents));
  const std::size_t hidden = agents.size() - shown.size();
  return fmt::format("{{{}{}}}", fmt::join(shown, ", "), hidden ? fmt::format(", ... {} more", hidden) : "");
}

std::string abbreviated(const std::vector<std::vector<Index>>& components) {
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < std::min(components.size(), shown_components); ++i)
    shown.push_back(abbreviated(components[i]));
  if (components.size() > shown.size())
    shown.push_back(fmt::format("... {} more", components.size() - shown.size()));
  return fmt::format("{}", fmt::join(shown, ", "));
}

}  // namespace

void require_connected(const Graph& graph, std::string_view place, std::string_view remedy) {
  if (std::ranges::none_of(graph.hops_from(0), [](Index hops) { return hops < 0; })) return;
  const auto components = graph.components();
  throw InputError(place, fmt::format("{} components: {}", components.size(), abbreviated(components)),
                   "every agent must reach every other", remedy);
}

}  // namespace ideal
