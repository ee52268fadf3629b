// SPDX-License-Identifier: Apache-2.0
// What agents find out of the network and of their curvature.
#include "method/estimate.hpp"

#include "support/oracles.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace ideal::test {
namespace {

/// What agents find out of the network in rounds of its own.
Spectrum surveyed(Oracles& at, Index probes = survey_probes) {
  Survey survey(at.W);
  survey.begin(at.F.noise(probes), at.W.maximum(at.W.local_bounds()));
  while (!survey.over()) at.W.send(survey);
  return survey.found();
}

TEST(Survey, KnowsTheNetworkWithinItsMargins) {
  for (const std::string& graph : many_graphs)
    for (const char* mixing : {"laplacian", "metropolis"}) {
      const Topology topology = Topology::parse(graph, mixing, 3);
      const Problem problem = make_problem({}, topology.agents());
      Oracles at(problem, topology);
      const Spectrum found = surveyed(at);
      const Spectrum& truth = topology.spectrum();
      EXPECT_GE(found.lambda_max, 0.98 * truth.lambda_max) << graph << ' ' << mixing;
      EXPECT_LE(found.lambda_max, 1.03 * truth.lambda_max) << graph << ' ' << mixing;
      EXPECT_GE(found.lambda_min, 0.85 * truth.lambda_min) << graph << ' ' << mixing;
      EXPECT_LE(found.lambda_min, 1.2 * truth.lambda_min) << graph << ' ' << mixing;
      EXPECT_LE(at.meter.communications, 4 * at.W.reach() + 4);
    }
}

/// A survey that is about to ride on messages, and what one with rounds of its own finds.
struct RidingSurvey {
  explicit RidingSurvey(const std::string& graph)
      : topology(Topology::parse(graph, "laplacian", 3)),
        problem(make_problem({}, topology.agents())),
        at(problem, topology),
        survey(at.W),
        X(Block::Random(7, topology.agents())),
        product(X * Block(topology.weights()).transpose()) {
    Oracles alone(problem, topology);
    expected = surveyed(alone);
    survey.begin(at.F.noise(survey_probes), 2 * topology.weights().diagonal().maxCoeff());
    at.W.take_along(&survey);
  }

  void expect_one_round() {
    EXPECT_LT((at.W.mix(X) - product).norm(), 1e-12 * product.norm()) << "the message itself stays as it was";
  }

  void expect_the_same_was_found() const {
    EXPECT_EQ(survey.found().lambda_max, expected.lambda_max);
    EXPECT_EQ(survey.found().lambda_min, expected.lambda_min);
  }

  /// Of so many rounds, with so many numbers beside X and the survey's.
  [[nodiscard]] Index bytes(Index rounds, Index carried) const {
    const auto links = 2 * std::ssize(topology.graph().edges());
    return rounds * links * (X.rows() + survey.leaving().rows() + carried) * 8;
  }

  Topology topology;
  Problem problem;
  Oracles at;
  Survey survey;
  Block X, product;
  Spectrum expected;
};

TEST(Survey, RidesOnMessagesWithoutARound) {
  for (const std::string& graph : many_graphs) {
    SCOPED_TRACE(graph);
    RidingSurvey riding(graph);
    Index rounds = 0;
    for (; !riding.survey.over(); ++rounds) riding.expect_one_round();
    riding.expect_the_same_was_found();
    const auto result = riding.survey.state.numbers.bottomRows(2);
    EXPECT_TRUE((result.colwise() - result.col(0)).isZero(0)) << "every agent knows the same";
    EXPECT_EQ(riding.at.meter.communications, rounds);
    EXPECT_EQ(riding.at.meter.bytes, riding.bytes(rounds, 0));
  }
}

TEST(Survey, LeavesRoomForNumbersThatAreCarried) {
  for (const std::string& graph : many_graphs) {
    SCOPED_TRACE(graph);
    RidingSurvey riding(graph);
    Network& W = riding.at.W;
    const Index n = riding.topology.agents();
    Block numbers(2, n);
    numbers.row(0).setLinSpaced(n, 1, static_cast<double>(n));
    numbers.row(1) = -numbers.row(0);
    W.carry(&numbers);
    for (Index round = 0; round < W.reach(); ++round) riding.expect_one_round();
    EXPECT_TRUE((numbers.row(0).array() == static_cast<double>(n)).all());
    EXPECT_TRUE((numbers.row(1).array() == -1).all());
    EXPECT_EQ(W.rounds_carried(), W.reach());
    EXPECT_EQ(riding.at.meter.bytes, riding.bytes(W.reach(), 2));
    W.carry(nullptr);
    while (!riding.survey.over()) riding.expect_one_round();
    riding.expect_the_same_was_found();
  }
}

/// Whatever its numbers become, a survey ends with a spectrum that can be worked with.
TEST(Survey, FallsBackToItsGuessWhereNoEigenvaluesAreFound) {
  const Topology topology = Topology::parse("cycle:8", "laplacian");
  const Problem problem = make_problem({}, 8);
  for (const double lost : {std::nan(""), std::numeric_limits<double>::infinity(), 0.0}) {
    Oracles at(problem, topology);
    Survey survey(at.W);
    survey.begin(Block::Constant(survey_probes, 8, lost), 4);
    while (!survey.over()) at.W.send(survey);
    const Spectrum found = survey.found();
    EXPECT_EQ(found.lambda_max, 4) << lost;
    EXPECT_GT(found.lambda_min, 0.1 * topology.spectrum().lambda_min) << lost;
    EXPECT_LE(found.lambda_min, 4) << lost;
  }
}

TEST(FindOut, KnowsTheCurvatureAtTheStart) {
  for (const LossKind loss : {LossKind::logistic, LossKind::ridge}) {  // largest at 0, or the same everywhere
    const Topology topology = Topology::parse("cycle:8", "laplacian");
    const Problem problem = make_problem({.loss = loss}, 8);
    Oracles at(problem, topology);
    Block directions;
    const Beliefs found = find_out(at.F, at.W, Block::Zero(7, 8), directions);
    EXPECT_EQ(at.meter.computations, 3);
    EXPECT_EQ(at.meter.communications, at.W.reach());
    EXPECT_GE(found.L, 0.9 * problem.constants.L);
    EXPECT_LE(found.L, 1.05 * problem.constants.L);
    EXPECT_LE(found.mu, problem.constants.mu);
  }
}

TEST(FindOut, BoundsWeightsOfAnySign) {
  Block W(4, 4);  // its rows' absolute values add up to more than twice the diagonal
  W << 1.5, -1, -1, 0.5, -1, 1.5, 0.5, -1, -1, 0.5, 1.5, -1, 0.5, -1, -1, 1.5;
  const Topology topology = Topology::from_matrix(SparseRows(W.sparseView()));
  const Problem problem = make_problem({}, 4);
  Oracles at(problem, topology);
  EXPECT_GE(at.W.local_bounds().maxCoeff(), topology.spectrum().lambda_max);
  EXPECT_NEAR(surveyed(at).lambda_max, topology.spectrum().lambda_max, 0.05 * topology.spectrum().lambda_max);
}

}  // namespace
}  // namespace ideal::test
