// SPDX-License-Identifier: Apache-2.0
#include <ideal/demands.hpp>
#include <ideal/error.hpp>
#include <ideal/solve.hpp>

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace ideal {

namespace {

constexpr std::array everything{Demand::merely_convex, Demand::nonsmooth, Demand::composite,
                                Demand::time_varying,  Demand::directed,  Demand::no_dual_oracle};

/// What the user may change about the problem instead.
std::string_view otherwise(Demand unmet) {
  switch (unmet) {
    case Demand::merely_convex:
      return " Or give a positive --l2, for example 1e-3.";
    case Demand::nonsmooth:
      return " Or give a positive --smoothing, for example 0.1.";
    default:
      return "";
  }
}

bool have_dual_oracles(const Problem& problem) {
  return std::ranges::all_of(problem.losses, [](const auto& f) { return !f || f->has_dual_oracle(); });
}

std::string methods_that_meet(Demands demands) {
  std::string names;
  for (const Method& candidate : methods())
    if (candidate.about().meets.includes(demands))
      names += fmt::format("{}{}", names.empty() ? "" : ", ", candidate.about().name);
  return names.empty() ? "No method of this program meets all that is asked."
                       : fmt::format("One of: {}.", names);
}

}  // namespace

std::span<const Demand> all_demands() { return everything; }

std::string_view describe(Demand demand) {
  switch (demand) {
    case Demand::merely_convex:
      return "the losses are not known to be strongly convex";
    case Demand::nonsmooth:
      return "the losses are not smooth";
    case Demand::composite:
      return "a regulariser or constraint is to be met by proximal steps";
    case Demand::time_varying:
      return "the network changes from round to round";
    case Demand::directed:
      return "the network is directed";
    case Demand::no_dual_oracle:
      return "the losses have no exact dual oracle";
  }
  return "";
}

Demands demands_of(const Problem& problem, const Topology& topology) {
  Demands demands;
  if (!(problem.constants.mu > 0)) demands.add(Demand::merely_convex);
  if (topology.changes()) demands.add(Demand::time_varying);
  if (topology.directed()) demands.add(Demand::directed);
  if (!problem.constants.smooth) demands.add(Demand::nonsmooth);
  if (!problem.regulariser.none()) demands.add(Demand::composite);
  if (!problem.regulariser.none() || !have_dual_oracles(problem)) demands.add(Demand::no_dual_oracle);
  return demands;
}

Demands demands_of(const GraphSequence& graphs) {
  Demands demands;
  if (graphs.changes()) demands.add(Demand::time_varying);
  if (graphs.is_directed()) demands.add(Demand::directed);
  return demands;
}

std::string_view preferred_method(Demands demands) {
  for (const std::string_view name : {"auto", "ideal", "diging", "push-diging"})
    if (method(name).about().meets.includes(demands)) return name;
  return "mspd";
}

void require_fit(const Method& method, Demands demands) {
  const Demands met = method.about().meets;
  const auto unmet =
      std::ranges::find_if(everything, [&](Demand d) { return demands.has(d) && !met.has(d); });
  if (unmet == everything.end()) return;
  throw InputError(fmt::format("--method {}", method.about().name), describe(*unmet),
                   fmt::format("its theory asks for: {}", method.about().assumptions),
                   methods_that_meet(demands) + std::string(otherwise(*unmet)));
}

}  // namespace ideal
