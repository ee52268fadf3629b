// SPDX-License-Identifier: Apache-2.0
#include "problems.hpp"

#include "core/huge_pages.hpp"

#include <ideal/random.hpp>

#include <numeric>
#include <stdexcept>

namespace bench {

using namespace ideal;

std::shared_ptr<const Dataset> random_rows(Index rows, Index columns, Values values, int classes,
                                           std::uint64_t seed) {
  Random random(seed);
  DenseRows features(rows, columns);
  prefer_huge_pages(features);
  for (double& value : features.reshaped<Eigen::RowMajor>()) {
    value = 2 * random.uniform() - 1;
    if (values == Values::floats) value = static_cast<float>(value);
  }
  Vector labels(rows);
  for (double& label : labels) {
    const auto drawn = static_cast<double>(random.below(static_cast<std::uint64_t>(classes)));
    label = classes == 2 ? 2 * drawn - 1 : drawn;
  }
  return std::make_shared<Dataset>("random", std::move(features), std::move(labels));
}

std::span<const double> values_of(const Dataset& dense) {
  const auto& rows = std::get<DenseRows>(dense.features);
  return {rows.data(), static_cast<std::size_t>(rows.size())};
}

Problem shared_by(Index agents, const std::shared_ptr<const Dataset>& data, LossKind kind, int classes) {
  std::vector<Index> offsets;
  for (Index i = 0; i <= agents; ++i) offsets.push_back(i * data->rows() / agents);
  const double largest_norm = static_cast<double>(data->columns());  // squared, of a row
  return {.losses = make_losses(data, offsets, kind, l2, classes),
          .constants = {.L = largest_norm + l2, .mu = l2, .rows = data->rows() / agents}};
}

void require_same(const Block& ours, const Block& theirs) {
  if (!ours.isApprox(theirs, 1e-10)) throw std::runtime_error("a peer computes something else");
}

namespace {

std::vector<Index> all_agents(const Problem& problem) {
  std::vector<Index> agents(problem.losses.size());
  std::iota(agents.begin(), agents.end(), Index{0});
  return agents;
}

}  // namespace

Gradients::Gradients(std::span<const Problem> problems, int threads) : team_(threads) {
  for (const Problem& problem : problems)
    F_.emplace_back(problem.losses, all_agents(problem), problem.constants, 0, meter_, team_);
  X_ = Block::Constant(F_[0].dimension(), std::ssize(problems[0].losses), start);
}

}  // namespace bench
