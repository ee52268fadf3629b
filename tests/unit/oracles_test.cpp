// SPDX-License-Identifier: Apache-2.0
// What the oracles tell methods beside gradients and rounds.
#include "support/quadratics.hpp"

#include <gtest/gtest.h>

namespace ideal::test {
namespace {

TEST(Neighbourhood, ColoursDifferAlongEveryEdgeAndTheDiagonalIsThatOfW) {
  for (const auto& [spec, colours] : {std::pair{"cycle:8", 2},
                                      {"cycle:7", 3},
                                      {"star:6", 2},
                                      {"grid:3x3", 2},
                                      {"complete:5", 5},
                                      {"barbell:8", 4}}) {
    const Topology topology = Topology::parse(spec, "laplacian");
    Meter meter;
    Threads threads;
    const auto transport = in_process(topology.agents());
    const Neighbourhood known = Network(topology, *transport, meter, threads).neighbourhood();
    EXPECT_EQ(known.colour_count, colours) << spec;
    EXPECT_EQ(known.least, known.diagonal.minCoeff());
    EXPECT_EQ(known.most, known.diagonal.maxCoeff());
    for (const auto& edge : topology.graph().edges())
      EXPECT_NE(known.colours[static_cast<std::size_t>(edge.a)],
                known.colours[static_cast<std::size_t>(edge.b)])
          << spec;
    for (Index i = 0; i < topology.agents(); ++i)
      EXPECT_EQ(known.diagonal[i], static_cast<double>(topology.graph().degree(i)));
  }
}

TEST(Network, AveragesOverATreeInTwiceTheRadius) {
  for (const auto& [spec, rounds] :
       {std::pair{"star:6", 2}, {"complete:5", 2}, {"line:7", 6}, {"cycle:8", 8}, {"grid:3x3", 4}}) {
    const Topology topology = Topology::parse(spec, "laplacian");
    Meter meter;
    Threads threads;
    const auto transport = in_process(topology.agents());
    Network W(topology, *transport, meter, threads);
    const Block X = Vector::LinSpaced(2 * topology.agents(), 1, 9).reshaped(2, topology.agents());
    EXPECT_LT((W.average_over_tree(X).colwise() - X.rowwise().mean()).norm(), 1e-12);
    EXPECT_EQ(meter.communications, rounds) << spec;
  }
}

TEST(Objective, MinimisesTiltedLossesAndKnowsEachAgentsSmoothness) {
  const Quadratics f(3, 4, 20, 9);
  const Problem problem = f.problem();
  Meter meter;
  Threads threads;
  Objective F(problem.losses, {0, 1, 2}, problem.constants, 0, meter, threads);
  const Block A = Vector::LinSpaced(12, -2, 3).reshaped(4, 3);
  const Vector c = Vector::LinSpaced(3, 0.5, 4);
  const Block X = F.tilted(A, c, Block::Zero(4, 3));
  EXPECT_LT((X - f.minimise_augmented(A, 1, Block(c.asDiagonal()))).norm(), 1e-9);
  EXPECT_EQ(meter.computations, 1);
  EXPECT_LT((F.smoothness().array() - 20).matrix().norm(), 1e-9);
}

}  // namespace
}  // namespace ideal::test
