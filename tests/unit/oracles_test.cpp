// SPDX-License-Identifier: Apache-2.0
// What the oracles tell methods beside gradients and rounds.
#include "support/oracles.hpp"

#include "support/quadratics.hpp"

#include <algorithm>

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

/// Agents' vectors and parts of 256 entries end at different places, and two threads meet within a part.
TEST(Objective, HandsOutEveryPartOfAGradientOnce) {
  const auto check = [](std::vector<std::shared_ptr<const Loss>> losses, int team) {
    const Index n = std::ssize(losses);
    Meter meter;
    Threads threads(team);
    Objective F(std::move(losses), all_agents(n), {.L = 1, .mu = 0.1}, 0, meter, threads);
    F.add_convexity(0.25);
    const Block X = Block::Random(F.dimension(), n), G = F.gradient(X);
    Block moved = X, uses = Block::Zero(F.dimension(), n);
    F.gradient(X, [&](auto own, const auto& part) {
      own(moved) -= 0.5 * part;
      own(uses).array() += 1;
    });
    EXPECT_EQ(moved, X - 0.5 * G) << F.dimension() << " x " << n << ", threads: " << team;
    EXPECT_EQ(uses, Block::Ones(F.dimension(), n));
    EXPECT_EQ(meter.computations, 2);
    F.gradient(X, [&](auto own, const auto&) { own(uses).array() += 1; });  // perhaps the other way round
    EXPECT_EQ(uses, Block::Constant(F.dimension(), n, 2));
    Block point = X;  // may be written while other agents' gradients are computed
    F.gradient(point, [&](auto own, const auto& part) { own(point) -= 0.5 * part; });
    EXPECT_EQ(point, moved);
  };
  for (const int team : {1, 2, 3, 8})
    for (const Index columns : {1, 7, 100, 300})
      for (const Index agents : {1, 2, 5, 40})
        check(
            make_problem({.rows = 6 * agents, .columns = columns, .partition = "contiguous"}, agents).losses,
            team);
  // so many that the last cache holds them and the others do not
  const auto large = std::make_shared<const Dataset>(synthesize({.rows = 5000, .columns = 120}));
  std::vector<Index> offsets;
  for (Index i = 0; i <= 20; ++i) offsets.push_back(i * 250);
  for (const int team : {1, 2, 3, 8}) check(make_losses(large, offsets, LossKind::logistic, 0.1), team);
  // so many rows that several threads compute one agent's
  const auto data = std::make_shared<const Dataset>(synthesize({.rows = 70000, .columns = 33}));
  const auto losses = make_losses(data, std::vector<Index>{0, 35000, 70000}, LossKind::logistic, 0.1);
  ASSERT_GT(losses[0]->pieces(), 1);
  for (const int team : {1, 3}) check(losses, team);
}

/// Says when it is asked, and that it has more rows than a core's own caches hold and fewer than the last
/// one.
class Asked final : public Loss {
 public:
  Asked(Index agent, std::vector<Index>& order) : agent_(agent), order_(order) {}
  Index dimension() const override { return 100; }
  double value(VectorRef x) const override { return x.squaredNorm() / 2; }
  void gradient(VectorRef x, VectorOut g) const override {
    order_.push_back(agent_);
    g = x;
  }
  Curvature curvature() const override { return {1, 1}; }
  Index bytes() const override { return 1 << 20; }

 private:
  Index agent_;
  std::vector<Index>& order_;
};

TEST(Objective, GoesThereAndBackThroughLongAgentsInTheLastCache) {
  std::vector<Index> order;
  std::vector<std::shared_ptr<const Loss>> losses;
  for (Index i = 0; i < 7; ++i) losses.push_back(std::make_shared<Asked>(i, order));
  Meter meter;
  Threads threads;
  Objective F(losses, all_agents(7), {.L = 1, .mu = 1}, 0, meter, threads);
  const Block X = Block::Random(100, 7);
  Block G = Block::Zero(100, 7);
  EXPECT_EQ(F.gradient(X), X);
  F.gradient(X, [&](auto own, const auto& part) { own(G) += part; });
  EXPECT_EQ(G, X);
  EXPECT_EQ(F.gradient(X), X);
  const std::vector<Index> one_way = {order.begin(), order.begin() + 7};
  EXPECT_TRUE(std::ranges::is_permutation(one_way, all_agents(7)));
  std::vector<Index> expected = one_way;
  expected.insert(expected.end(), one_way.rbegin(), one_way.rend());
  expected.insert(expected.end(), one_way.begin(), one_way.end());
  EXPECT_EQ(order, expected);
}

TEST(Objective, PiecesOfSparseRowsHaveTheirOwnLabels) {
  const auto sparse =
      std::make_shared<const Dataset>(synthesize({.rows = 15000, .columns = 100, .density = 0.5}));
  auto dense = std::make_shared<Dataset>(*sparse);
  dense->features = DenseRows(std::get<SparseRows>(sparse->features));
  const Vector x = Vector::LinSpaced(100, -1, 1);
  const auto gradient_on = [&](const std::shared_ptr<const Dataset>& data) {
    const auto losses = make_losses(data, std::vector<Index>{0, data->rows()}, LossKind::logistic, 0.1);
    EXPECT_GT(losses[0]->pieces(), 1);
    return gradient(*losses[0], x);
  };
  EXPECT_LT((gradient_on(sparse) - gradient_on(dense)).norm(), 1e-13);
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
