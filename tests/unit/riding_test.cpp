// SPDX-License-Identifier: Apache-2.0
// Numbers that ride on messages, and sums over all agents.
#include "method/riding_total.hpp"
#include "support/oracles.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace ideal::test {
namespace {

TEST(Carried, NumbersReachEveryoneAfterTheDiameterWithoutARound) {
  const Topology topology = Topology::parse("line:9", "laplacian");
  const Problem problem = make_problem({}, 9);
  Oracles at(problem, topology);
  Block numbers(2, 9);
  numbers.row(0).setLinSpaced(9, -3, 5);
  numbers.row(1) = -numbers.row(0);
  at.W.carry(&numbers);
  const Block X = Block::Random(7, 9);
  const Block expected = X * Block(topology.weights()).transpose();
  for (Index round = 0; round < at.W.reach(); ++round) {
    EXPECT_EQ(numbers.row(0).minCoeff() == 5, false) << round;
    EXPECT_LT((at.W.mix(X) - expected).norm(), 1e-12) << "the message itself stays as it was";
  }
  EXPECT_TRUE((numbers.row(0).array() == 5).all());
  EXPECT_TRUE((numbers.row(1).array() == 3).all());
  EXPECT_EQ(at.meter.communications, 8);
  EXPECT_EQ(at.meter.bytes, 8 * 16 * (7 + 2) * 8);
}

TEST(Total, AddsOverAllAgentsInTwoRoundsALevel) {
  for (const std::string& graph : many_graphs) {
    const Topology topology = Topology::parse(graph, "laplacian", 3);
    const Index n = topology.agents();
    const Problem problem = make_problem({}, n);
    Oracles at(problem, topology);
    const Block numbers = Block::Random(5, n);
    (void)at.W.maxima(numbers);
    const Index before = at.meter.communications;
    EXPECT_LT((at.W.total(numbers) - numbers.rowwise().sum()).norm(), 1e-12) << graph;
    Index radius = n;
    for (Index i = 0; i < n; ++i) radius = std::min(radius, std::ranges::max(topology.graph().hops_from(i)));
    EXPECT_EQ(at.meter.communications - before, 2 * radius) << graph;
  }
}

TEST(Total, RidesOnMessagesWithTheSameBits) {
  for (const std::string& graph : many_graphs) {
    const Topology topology = Topology::parse(graph, "laplacian", 3);
    const Index n = topology.agents();
    const Problem problem = make_problem({}, n);
    Oracles at(problem, topology);
    const Block numbers = Block::Random(5, n), X = Block::Random(7, n);
    const Vector expected = at.W.total(numbers);
    const Index before = at.meter.communications;
    RidingTotal total(at.W, 5, n);
    total.begin(numbers.topRows(2), numbers.bottomRows(3));
    at.W.take_along(&total);
    const Block product = X * Block(topology.weights()).transpose();
    while (!total.over()) EXPECT_LT((at.W.mix(X) - product).norm(), 1e-12 * product.norm());
    EXPECT_EQ(total.result(), expected) << graph;
    EXPECT_EQ(at.meter.communications - before, at.W.rounds_of_total()) << graph;
    EXPECT_TRUE((total.leaving().topRows(5).colwise() - expected).isZero(0)) << "every agent knows the same";
    for (int more = 0; more < 3; ++more) at.W.mix(X);
    EXPECT_EQ(total.result(), expected) << "and it stays so";
  }
}

}  // namespace
}  // namespace ideal::test
