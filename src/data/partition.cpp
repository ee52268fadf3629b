// SPDX-License-Identifier: Apache-2.0
#include "data/rows.hpp"
#include "data/text.hpp"

#include <ideal/data.hpp>
#include <ideal/error.hpp>
#include <ideal/random.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace ideal {
namespace {

constexpr std::string_view place = "--partition";

std::vector<Index> identity(Index rows) {
  std::vector<Index> order(static_cast<std::size_t>(rows));
  std::iota(order.begin(), order.end(), Index{0});
  return order;
}

std::vector<Index> shuffled(Index rows, std::uint64_t seed) {
  std::vector<Index> order = identity(rows);
  Random(seed).shuffle(order);
  return order;
}

std::vector<Index> by_label(const Vector& labels) {
  std::vector<Index> order = identity(labels.size());
  std::ranges::sort(order, {}, [&](Index row) { return std::pair(labels[row], row); });
  return order;
}

std::vector<Index> even_offsets(Index rows, Index agents) {
  std::vector<Index> offsets;
  for (Index agent = 0; agent <= agents; ++agent) offsets.push_back(agent * rows / agents);
  return offsets;
}

using Shares = std::vector<std::vector<Index>>;  // the rows of each agent

// Cumulative sums of a Dirichlet(alpha, ..., alpha) draw: normalised Gamma variables.
std::vector<double> dirichlet_sums(Random& random, Index agents, double alpha) {
  std::vector<double> sums(static_cast<std::size_t>(agents));
  for (double& value : sums) value = random.log_gamma_draw(alpha);
  const double largest = std::ranges::max(sums);
  for (double& value : sums) value = std::exp(value - largest);
  std::partial_sum(sums.begin(), sums.end(), sums.begin());
  const double total = sums.back();
  for (double& value : sums) value /= total;
  return sums;
}

// Cuts one class by Dirichlet shares. The random shift of the cuts makes every expected count exact, so that
// classes of a few rows favour no agent.
void deal_class(std::span<Index> rows, double alpha, Random random, Shares& shares) {
  random.shuffle(rows);
  const std::vector<double> sums = dirichlet_sums(random, static_cast<Index>(shares.size()), alpha);
  const double shift = random.uniform();
  std::size_t begin = 0;
  for (std::size_t agent = 0; agent < shares.size(); ++agent) {
    const auto cut = static_cast<std::size_t>(sums[agent] * static_cast<double>(rows.size()) + shift);
    const std::size_t end = agent + 1 == shares.size() ? rows.size() : std::min(cut, rows.size());
    shares[agent].insert(shares[agent].end(), rows.begin() + begin, rows.begin() + end);
    begin = end;
  }
}

void fill_empty_shares(Shares& shares) {
  for (auto& share : shares) {
    if (!share.empty()) continue;
    auto& largest = *std::ranges::max_element(shares, {}, &std::vector<Index>::size);
    share.push_back(largest.back());
    largest.pop_back();
  }
}

Shares deal_by_dirichlet(const Vector& labels, Index agents, double alpha, std::uint64_t seed) {
  std::vector<Index> order = by_label(labels);
  Shares shares(static_cast<std::size_t>(agents));
  std::uint64_t stream = 0;
  for (auto begin = order.begin(); begin != order.end();) {
    const auto end =
        std::find_if(begin, order.end(), [&](Index row) { return labels[row] != labels[*begin]; });
    deal_class({begin, end}, alpha, Random(seed, ++stream), shares);
    begin = end;
  }
  fill_empty_shares(shares);
  return shares;
}

Division in_order(const Shares& shares) {
  Division division{{}, {0}};
  for (const auto& share : shares) {
    division.order.insert(division.order.end(), share.begin(), share.end());
    division.offsets.push_back(static_cast<Index>(division.order.size()));
  }
  return division;
}

// Beyond these bounds a draw is one agent, or even shares, and its Gamma variables leave double precision.
constexpr double least_alpha = 1e-6, most_alpha = 1e6;

double parse_alpha(std::string_view kind) {
  const std::string_view text = kind.substr(std::min(kind.find(':'), kind.size() - 1) + 1);
  const auto alpha = data::parse_number(text);
  if (!alpha || !(*alpha >= least_alpha && *alpha <= most_alpha))
    throw InputError(place, data::shown(kind), "dirichlet takes a concentration in 1e-6 ... 1e6",
                     "Write for example dirichlet:0.5; smaller is more skewed.");
  return *alpha;
}

void check_agents(Index rows, Index agents) {
  if (agents >= 1 && agents <= rows) return;
  throw InputError("partition", fmt::format("{} agents for {} rows", agents, rows),
                   "every agent gets at least one row",
                   fmt::format("Use a graph of 1 to {} agents, or more data.", rows));
}

}  // namespace

Division divide(const Vector& labels, std::string_view kind, Index agents, std::uint64_t seed) {
  const Index rows = labels.size();
  check_agents(rows, agents);
  const std::string_view name = kind.substr(0, kind.find(':'));
  if (name == "dirichlet") return in_order(deal_by_dirichlet(labels, agents, parse_alpha(kind), seed));
  if (kind == "shuffled") return {shuffled(rows, seed), even_offsets(rows, agents)};
  if (kind == "by-label") return {by_label(labels), even_offsets(rows, agents)};
  if (kind == "contiguous") return {identity(rows), even_offsets(rows, agents)};
  const std::vector<std::string> kinds = {"contiguous", "shuffled", "by-label", "dirichlet:ALPHA"};
  throw InputError(place, data::shown(kind), "a partition is one of the known kinds",
                   did_you_mean(kind, kinds));
}

std::vector<Index> partition(Dataset& data, std::string_view kind, Index agents, std::uint64_t seed) {
  Division division = divide(data.labels, kind, agents, seed);
  if (!std::ranges::is_sorted(division.order)) data::reorder_rows(data, division.order);
  return std::move(division.offsets);
}

}  // namespace ideal
