// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <cmath>
#include <cstdio>

#include <fmt/format.h>

namespace bench {

namespace {

std::string words(const Goal& goal) {
  switch (goal.sense) {
    case Goal::Sense::at_least:
      return fmt::format("at least {}", goal.bound);
    case Goal::Sense::at_most:
      return fmt::format("at most {}", goal.bound);
    case Goal::Sense::within:
      break;
  }
  return fmt::format("{} to {}", 1 - goal.bound, 1 + goal.bound);
}

}  // namespace

bool Goal::reached_by(double figure) const {
  switch (sense) {
    case Sense::at_least:
      return figure >= bound;
    case Sense::at_most:
      return figure <= bound;
    case Sense::within:
      break;
  }
  return std::abs(figure - 1) <= bound;
}

void Report::begin(std::string_view group) {
  fmt::print("\n{}\n", group);
  json_["groups"].push_back({{"name", group}, {"figures", nlohmann::ordered_json::array()}});
}

void Report::add(const Figure& figure) {
  nlohmann::ordered_json entry = {
      {"item", figure.item}, {"threads", figure.threads}, {"value", figure.value}, {"unit", figure.unit}};
  std::string verdict;
  if (figure.goal) {
    const bool reached = figure.goal->reached_by(figure.value);
    entry["goal"] = words(*figure.goal);
    entry["reached"] = reached;
    verdict = fmt::format("{}: {}", words(*figure.goal), reached ? "reached" : "NOT REACHED");
  }
  fmt::print("  {:<44} {} thread{} {:>7.3g} {:<40} {}\n", figure.item, figure.threads,
             figure.threads == 1 ? " " : "s", figure.value, figure.unit, verdict);
  std::fflush(stdout);
  json_["groups"].back()["figures"].push_back(std::move(entry));
}

}  // namespace bench
