// SPDX-License-Identifier: Apache-2.0
#include "data/rows.hpp"
#include "support/dense.hpp"

#include <ideal/data.hpp>

#include <algorithm>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace ideal {
namespace {

using test::dense_features;

/// Row r holds (r, 2r): it tells where it came from and that it stayed whole.
Dataset any_numbered(bool sparse) {
  const auto rows = *rc::gen::inRange<Index>(1, 60);
  Dataset data{"", DenseRows(rows, 2), Vector(rows)};
  auto& features = std::get<DenseRows>(data.features);
  for (Index row = 0; row < rows; ++row) {
    features.row(row) << static_cast<double>(row), static_cast<double>(2 * row);
    data.labels[row] = *rc::gen::inRange(0, 4);
  }
  if (sparse) data.features = SparseRows(features.sparseView());
  return data;
}

RC_GTEST_PROP(Partition, permutes_whole_rows_and_leaves_no_agent_out, ()) {
  Dataset data = any_numbered(*rc::gen::arbitrary<bool>());
  const Dataset before = data;
  const auto agents = *rc::gen::inRange<Index>(1, data.rows() + 1);
  const auto kind = *rc::gen::element<std::string>("contiguous", "shuffled", "by-label", "dirichlet:0.01",
                                                   "dirichlet:1", "dirichlet:1e6", "dirichlet:1e-6");
  const auto offsets = partition(data, kind, agents, *rc::gen::arbitrary<std::uint64_t>());

  RC_ASSERT(static_cast<Index>(offsets.size()) == agents + 1);
  RC_ASSERT(offsets.front() == 0);
  RC_ASSERT(offsets.back() == before.rows());
  RC_ASSERT(std::ranges::adjacent_find(offsets, std::ranges::greater_equal{}) == offsets.end());

  RC_ASSERT(data.sparse() == before.sparse());
  const DenseRows rows = dense_features(data);
  std::vector<bool> seen(static_cast<std::size_t>(before.rows()), false);
  for (Index row = 0; row < data.rows(); ++row) {
    const auto origin = static_cast<Index>(rows(row, 0));
    RC_ASSERT(!seen[origin]);
    seen[origin] = true;
    RC_ASSERT(rows(row, 1) == 2 * rows(row, 0));
    RC_ASSERT(data.labels[row] == before.labels[origin]);
  }
}

RC_GTEST_PROP(Partition, repeats_itself_for_a_seed, ()) {
  Dataset first = any_numbered(false);
  Dataset second = first;
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const auto kind = *rc::gen::element<std::string>("shuffled", "dirichlet:0.3");
  RC_ASSERT(partition(first, kind, 1 + first.rows() / 4, seed) ==
            partition(second, kind, 1 + first.rows() / 4, seed));
  RC_ASSERT(dense_features(first) == dense_features(second));
}

RC_GTEST_PROP(Rows, dense_and_sparse_move_alike, ()) {
  Dataset some = any_numbered(false);
  Dataset same = some;
  same.features = SparseRows(dense_features(some).sparseView());
  std::vector<Index> order(static_cast<std::size_t>(some.rows()));
  std::iota(order.begin(), order.end(), Index{0});
  for (std::size_t left = order.size(); left > 1; --left)
    std::swap(order[left - 1], order[*rc::gen::inRange<std::size_t>(0, left)]);
  data::reorder_rows(some, order);
  data::reorder_rows(same, order);
  RC_ASSERT(dense_features(some) == dense_features(same));
  for (Index row = 0; row < some.rows(); ++row)
    RC_ASSERT(dense_features(some)(row, 0) == static_cast<double>(order[row]));
}

}  // namespace
}  // namespace ideal
