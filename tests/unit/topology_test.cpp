// SPDX-License-Identifier: Apache-2.0
#include "support/message.hpp"

#include <ideal/topology.hpp>

#include <gtest/gtest.h>

namespace ideal {
namespace {

using Eigen::Matrix3d;
using Eigen::MatrixXd;

SparseRows sparse(const MatrixXd& dense) { return dense.sparseView(); }

std::string complaint(const MatrixXd& W) {
  return test::message([&] { Topology::from_matrix(sparse(W)); });
}

MatrixXd weights(std::string_view graph, std::string_view kind) {
  return Topology::make(Graph::parse(graph), kind).weights().toDense();
}

TEST(Topology, MakesEachKind) {
  const Matrix3d laplacian{{1, -1, 0}, {-1, 2, -1}, {0, -1, 1}};
  EXPECT_TRUE(weights("line:3", "laplacian").isApprox(laplacian, 1e-15));
  EXPECT_TRUE(weights("line:3", "laplacian-normalized").isApprox(laplacian / 3, 1e-14));
  EXPECT_TRUE(weights("line:3", "max-degree").isApprox(laplacian / 3, 1e-15));
  EXPECT_TRUE(weights("line:3", "metropolis").isApprox(laplacian / 3, 1e-15));
  EXPECT_TRUE(weights("line:3", "lazy-metropolis").isApprox(laplacian / 6, 1e-15));
  const MatrixXd star = weights("star:4", "metropolis");
  EXPECT_DOUBLE_EQ(star(0, 1), -0.25);
  EXPECT_DOUBLE_EQ(star(1, 1), 0.25);
  EXPECT_DOUBLE_EQ(star(0, 0), 0.75);
}

TEST(Topology, WeighsEdges) {
  const Graph graph(3, {{0, 1, 2}, {1, 2, 3}});
  const auto of = [&](std::string_view kind) { return Topology::make(graph, kind).weights().toDense(); };
  EXPECT_TRUE(of("laplacian").isApprox(Matrix3d{{2, -2, 0}, {-2, 5, -3}, {0, -3, 3}}));
  EXPECT_TRUE(of("max-degree").isApprox(Matrix3d{{2, -2, 0}, {-2, 5, -3}, {0, -3, 3}} / 6));
  EXPECT_DOUBLE_EQ(of("metropolis")(0, 1), -2.0 / 6);
}

TEST(Topology, NormalizesToOne) {
  const auto topology = Topology::parse("grid:4x5", "laplacian-normalized");
  EXPECT_EQ(topology.spectrum().lambda_max, 1);
  EXPECT_NEAR(topology.spectrum().kappa(), Topology::parse("grid:4x5", "laplacian").spectrum().kappa(),
              1e-10);
}

TEST(Topology, StoresTheDiagonalAndAscendingColumns) {
  const auto topology = Topology::parse("star:5", "laplacian");
  for (Index i = 0; i < 5; ++i) {
    Index before = -1;
    bool diagonal = false;
    for (SparseRows::InnerIterator entry(topology.weights(), i); entry; ++entry) {
      EXPECT_LT(before, entry.col());
      before = entry.col();
      diagonal = diagonal || entry.col() == i;
    }
    EXPECT_TRUE(diagonal);
  }
}

TEST(Topology, NamesUnknownKinds) {
  EXPECT_EQ(test::message([] { Topology::parse("cycle:5", "metropolys"); }),
            "--mixing: 'metropolys' (a kind of weights, or file:PATH). Did you mean 'metropolis'?");
}

TEST(Topology, TakesAGraphThatIsBuiltAlready) {
  const auto built = Topology::parse(Graph::parse("er:20,0.3", 4), "metropolis");
  EXPECT_TRUE(built.weights().isApprox(Topology::parse("er:20,0.3", "metropolis", 4).weights(), 0));
  EXPECT_EQ(test::message([] { Topology::parse(Graph::parse("cycle:5"), "file:no-such-matrix"); }),
            test::message([] { Topology::parse("cycle:5", "file:no-such-matrix"); }));
  EXPECT_NE(test::message([] { require_mixing("metropolys"); }).find("Did you mean 'metropolis'?"),
            std::string::npos);
  EXPECT_EQ(test::message([] { require_mixing("file:any"); }), "no error");
}

TEST(Topology, TakesAMatrixAndItsGraph) {
  const auto topology = Topology::from_matrix(sparse(Matrix3d{{1, -1, 0}, {-1, 2, -1}, {0, -1, 1}}));
  EXPECT_EQ(topology.graph().edges().size(), 2u);
  EXPECT_NEAR(topology.spectrum().lambda_max, 3, 1e-13);
  EXPECT_NEAR(topology.spectrum().lambda_min, 1, 1e-13);
}

TEST(Topology, RemovesRounding) {
  const double e = 1e-11;
  const auto topology = Topology::from_matrix(sparse(Matrix3d{{1, -1 + e, e}, {-1, 2, -1 + e}, {0, -1, 1}}));
  const MatrixXd W = topology.weights().toDense();
  EXPECT_EQ(W, W.transpose());
  EXPECT_EQ(W(0, 2), 0);
  EXPECT_LE(W.rowwise().sum().cwiseAbs().maxCoeff(), 1e-15);
}

TEST(Topology, NeedsASquareMatrix) {
  EXPECT_EQ(complaint(MatrixXd::Ones(2, 3)),
            "W: 2 x 3 (W must be square). Give one row and one column per agent.");
}

TEST(Topology, NeedsFiniteEntries) {
  EXPECT_EQ(complaint(MatrixXd{{1, NAN}, {-1, 1}}),
            "W: W(0, 1) = nan (entries must be finite). Correct the entry.");
}

TEST(Topology, NeedsSymmetry) {
  EXPECT_EQ(complaint(MatrixXd{{1, -1}, {-2, 2}}),
            "W: W(0, 1) = -1 but W(1, 0) = -2 (W must be symmetric). Make the two equal, to all digits.");
}

TEST(Topology, NeedsZeroRowSums) {
  EXPECT_EQ(complaint(MatrixXd{{0.5, 0.5}, {0.5, 0.5}}),
            "W: row 0 sums to 1 (ker W must contain the ones vector). Make every row sum to 0; a doubly "
            "stochastic M becomes "
            "W = I - M.");
}

TEST(Topology, NeedsPositiveSemiDefiniteness) {
  EXPECT_EQ(complaint(MatrixXd{{-1, 1}, {1, -1}}),
            "W: eigenvalue -2 (W must be positive semi-definite). Check the signs: W_ij < 0 on edges, as in "
            "a Laplacian.");
}

TEST(Topology, NeedsASimpleKernel) {
  // vv' with v = (1, -1, 1, -1): zero row sums, rank one.
  const Eigen::Vector4d v(1, -1, 1, -1);
  EXPECT_EQ(complaint(v * v.transpose()),
            "W: a second eigenvalue 0 (ker W must be span(1), all agents equal and nothing else). Check the "
            "entries: positive "
            "W_ij off the diagonal cancel others.");
}

TEST(Topology, NeedsEntriesOnTheGraph) {
  const Matrix3d W{{2, -1, -1}, {-1, 2, -1}, {-1, -1, 2}};
  EXPECT_EQ(test::message([&] { Topology::from_matrix(sparse(W), Graph::parse("line:3")); }),
            "W: W(0, 2) = -1 (W must be zero where the graph has no edge). Set it to 0, or add the edge to "
            "the graph.");
}

TEST(Topology, NeedsTheSizeOfTheGraph) {
  EXPECT_EQ(test::message([&] {
              Topology::from_matrix(sparse(MatrixXd{{1, -1}, {-1, 1}}), Graph::parse("line:3"));
            }),
            "W: 2 x 2 (the graph has 3 agents). Give one row and one column per agent.");
}

TEST(Topology, NeedsAConnectedGraph) {
  EXPECT_EQ(
      test::message([] {
        Topology::make(Graph(4, {{0, 1}, {2, 3}}), "laplacian");
      }),
      "--graph: 2 components: {0, 1}, {2, 3} (every agent must reach every other). Add edges that join the "
      "components.");
  const MatrixXd halves{{1, -1, 0, 0}, {-1, 1, 0, 0}, {0, 0, 1, -1}, {0, 0, -1, 1}};
  EXPECT_EQ(complaint(halves),
            "W: 2 components: {0, 1}, {2, 3} (every agent must reach every other). Give W non-zero entries "
            "on enough edges "
            "to join them.");
  EXPECT_EQ(test::message([&] { Topology::from_matrix(sparse(halves), Graph::parse("line:4")); }),
            complaint(halves));
}

TEST(Topology, AbbreviatesComponents) {
  std::vector<Graph::Edge> edges;
  for (Index i = 0; i + 1 < 20; ++i) edges.push_back({i, i + 1});
  EXPECT_EQ(test::message([&] { Topology::make(Graph(26, edges), "laplacian"); }),
            "--graph: 7 components: {0, 1, 2, 3, 4, 5, 6, 7, ... 12 more}, {20}, {21}, {22}, ... 3 more "
            "(every agent must "
            "reach every other). Add edges that join the components.");
}

TEST(Topology, NeedsTwoAgents) {
  EXPECT_EQ(test::message([] { Topology::make(Graph(1, {}), "laplacian"); }),
            "W: 1 agent (a network has at least 2). Add agents.");
}

}  // namespace
}  // namespace ideal
