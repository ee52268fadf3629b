// SPDX-License-Identifier: Apache-2.0
#include "support/data_bytes.hpp"

#include <ideal/data.hpp>

#include <map>

#include <gtest/gtest.h>

namespace ideal {
namespace {

using test::message;
using Offsets = std::vector<Index>;

/// Row r holds r and is labelled r % classes.
Dataset numbered(Index rows, Index classes = 2) {
  Dataset data{"", DenseRows(rows, 1), Vector(rows)};
  for (Index row = 0; row < rows; ++row) {
    std::get<DenseRows>(data.features)(row, 0) = static_cast<double>(row);
    data.labels[row] = static_cast<double>(row % classes);
  }
  return data;
}

Vector column(const Dataset& data) { return std::get<DenseRows>(data.features).col(0); }

TEST(Partition, contiguous_cuts_evenly) {
  Dataset data = numbered(7);
  EXPECT_EQ(partition(data, "contiguous", 3, 0), (Offsets{0, 2, 4, 7}));
  EXPECT_EQ(column(data), column(numbered(7)));
  EXPECT_EQ(partition(data, "contiguous", 7, 0), (Offsets{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(Partition, by_label_sorts_and_keeps_the_order_within) {
  Dataset data = numbered(6, 2);
  EXPECT_EQ(partition(data, "by-label", 2, 0), (Offsets{0, 3, 6}));
  EXPECT_EQ(column(data), (Vector(6) << 0, 2, 4, 1, 3, 5).finished());
  EXPECT_EQ(data.labels, (Vector(6) << 0, 0, 0, 1, 1, 1).finished());
}

TEST(Partition, shuffled_depends_on_the_seed_alone) {
  Dataset first = numbered(100), again = numbered(100), other = numbered(100);
  partition(first, "shuffled", 4, 1);
  partition(again, "shuffled", 5, 1);
  partition(other, "shuffled", 4, 2);
  EXPECT_EQ(column(first), column(again));
  EXPECT_NE(column(first), column(other));
  EXPECT_NE(column(first), column(numbered(100)));
}

double largest_class_share(const Dataset& data, const Offsets& offsets) {
  double sum = 0;
  for (std::size_t agent = 0; agent + 1 < offsets.size(); ++agent) {
    std::map<double, double> counts;
    for (Index row = offsets[agent]; row < offsets[agent + 1]; ++row) ++counts[data.labels[row]];
    double largest = 0;
    for (const auto& [label, count] : counts) largest = std::max(largest, count);
    sum += largest / static_cast<double>(offsets[agent + 1] - offsets[agent]);
  }
  return sum / static_cast<double>(offsets.size() - 1);
}

TEST(Partition, dirichlet_skews_more_the_smaller_alpha) {
  Dataset skewed = numbered(10000, 10), mild = numbered(10000, 10);
  const double strong = largest_class_share(skewed, partition(skewed, "dirichlet:0.05", 10, 3));
  const double weak = largest_class_share(mild, partition(mild, "dirichlet:1000", 10, 3));
  EXPECT_GT(strong, 0.5);
  EXPECT_LT(weak, 0.15);
}

TEST(Partition, dirichlet_gives_every_agent_a_row) {
  Dataset data = numbered(20);
  const Offsets offsets = partition(data, "dirichlet:1e-6", 20, 5);
  for (std::size_t agent = 0; agent < 20; ++agent) EXPECT_EQ(offsets[agent + 1] - offsets[agent], 1);
}

TEST(Partition, dirichlet_favours_no_agent_when_classes_are_single_rows) {
  Dataset data = numbered(10000, 10000);
  const Offsets offsets = partition(data, "dirichlet:1", 4, 7);
  for (std::size_t agent = 0; agent < 4; ++agent)
    EXPECT_NEAR(static_cast<double>(offsets[agent + 1] - offsets[agent]), 2500, 200);
}

TEST(Partition, refuses_more_agents_than_rows) {
  Dataset data = numbered(5);
  EXPECT_EQ(message([&] { partition(data, "contiguous", 8, 0); }),
            "partition: 8 agents for 5 rows (every agent gets at least one row). "
            "Use a graph of 1 to 5 agents, or more data.");
  EXPECT_THROW(partition(data, "contiguous", 0, 0), InputError);
}

TEST(Partition, refuses_unknown_kinds) {
  Dataset data = numbered(5);
  EXPECT_EQ(message([&] { partition(data, "shufled", 2, 0); }),
            "--partition: 'shufled' (a partition is one of the known kinds). Did you mean 'shuffled'?");
  EXPECT_EQ(message([&] { partition(data, "", 2, 0); }),
            "--partition: '' (a partition is one of the known kinds). "
            "One of: contiguous, shuffled, by-label, dirichlet:ALPHA.");
  for (const std::string_view kind :
       {"dirichlet", "dirichlet:", "dirichlet:0", "dirichlet:-1", "dirichlet:inf", "dirichlet:1e-310",
        "dirichlet:9e-7", "dirichlet:1.1e6"})
    EXPECT_EQ(message([&] { partition(data, kind, 2, 0); }),
              fmt::format("--partition: '{}' (dirichlet takes a concentration in 1e-6 ... 1e6). "
                          "Write for example dirichlet:0.5; smaller is more skewed.",
                          kind));
}

}  // namespace
}  // namespace ideal
