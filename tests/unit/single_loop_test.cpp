// SPDX-License-Identifier: Apache-2.0
#include "method/single_loop.hpp"

#include "core/symmetric.hpp"
#include "support/dense.hpp"
#include "support/quadratics.hpp"
#include "support/recorder.hpp"

#include <ideal/random.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <Eigen/LU>
#include <gtest/gtest.h>

namespace ideal::test {
namespace {

std::vector<Index> all_agents(Index n) {
  std::vector<Index> agents(static_cast<std::size_t>(n));
  std::iota(agents.begin(), agents.end(), Index{0});
  return agents;
}

/// Both oracles over the simulator.
struct Oracles {
  Oracles(const Problem& problem, const Topology& topology)
      : transport(in_process(topology.agents())),
        F(problem.losses, all_agents(topology.agents()), problem.constants, 0, meter, threads),
        W(topology, *transport, meter, threads) {}

  Meter meter;
  Threads threads{1};
  std::unique_ptr<Transport> transport;
  Objective F;
  Network W;
};

const std::vector<std::string> many_graphs{"cycle:8",    "cycle:64",        "line:32",     "star:9",
                                           "complete:7", "torus:8x8",       "hypercube:5", "tree:20",
                                           "barbell:16", "geometric:30,0.4"};

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

TEST(Survey, RidesOnMessagesWithoutARound) {
  for (const std::string& graph : many_graphs) {
    const Topology topology = Topology::parse(graph, "laplacian", 3);
    const Index n = topology.agents();
    const Problem problem = make_problem({}, n);
    Oracles alone(problem, topology), at(problem, topology);
    const Spectrum expected = surveyed(alone);

    Survey survey(at.W);
    survey.begin(at.F.noise(survey_probes), 2 * topology.weights().diagonal().maxCoeff());
    const Block X = Block::Random(7, n), product = X * Block(topology.weights()).transpose();
    at.W.take_along(&survey);
    Index rounds = 0;
    for (; !survey.over(); ++rounds)
      EXPECT_LT((at.W.mix(X) - product).norm(), 1e-12 * product.norm())
          << "the message itself stays as it was";
    EXPECT_EQ(survey.found().lambda_max, expected.lambda_max) << graph;
    EXPECT_EQ(survey.found().lambda_min, expected.lambda_min) << graph;
    const auto result = survey.state.numbers.bottomRows(2);
    EXPECT_TRUE((result.colwise() - result.col(0)).isZero(0)) << "every agent knows the same";
    EXPECT_EQ(at.meter.communications, rounds);
    const auto links = 2 * std::ssize(topology.graph().edges());
    EXPECT_EQ(at.meter.bytes, rounds * links * (7 + survey.leaving().rows()) * 8);
  }
}

TEST(Survey, LeavesRoomForNumbersThatAreCarried) {
  for (const std::string& graph : many_graphs) {
    const Topology topology = Topology::parse(graph, "laplacian", 3);
    const Index n = topology.agents();
    const Problem problem = make_problem({}, n);
    Oracles alone(problem, topology), at(problem, topology);
    const Spectrum expected = surveyed(alone);

    Survey survey(at.W);
    survey.begin(at.F.noise(survey_probes), 2 * topology.weights().diagonal().maxCoeff());
    Block numbers(2, n);
    numbers.row(0).setLinSpaced(n, 1, static_cast<double>(n));
    numbers.row(1) = -numbers.row(0);
    const Block X = Block::Random(7, n), product = X * Block(topology.weights()).transpose();
    at.W.take_along(&survey);
    at.W.carry(&numbers);
    for (Index round = 0; round < at.W.reach(); ++round)
      EXPECT_LT((at.W.mix(X) - product).norm(), 1e-12 * product.norm());
    EXPECT_TRUE((numbers.row(0).array() == static_cast<double>(n)).all()) << graph;
    EXPECT_TRUE((numbers.row(1).array() == -1).all()) << graph;
    EXPECT_EQ(at.W.rounds_carried(), at.W.reach());
    const auto links = 2 * std::ssize(topology.graph().edges());
    EXPECT_EQ(at.meter.bytes, at.W.reach() * links * (7 + survey.leaving().rows() + 2) * 8);
    at.W.carry(nullptr);
    while (!survey.over()) at.W.mix(X);
    EXPECT_EQ(survey.found().lambda_max, expected.lambda_max) << graph;
    EXPECT_EQ(survey.found().lambda_min, expected.lambda_min) << graph;
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

TEST(SymmetricEigenvalues, AreNaNWhereTheyAreNotFound) {
  Block A = Block::Identity(4, 4);
  EXPECT_TRUE(ideal::symmetric_eigenvalues(A).isOnes());
  for (const double lost : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    A(1, 2) = A(2, 1) = lost;
    EXPECT_TRUE(ideal::symmetric_eigenvalues(A).array().isNaN().all());
    EXPECT_TRUE(ideal::symmetric_eigen(A).values.array().isNaN().all());
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

/// The page's claim: for c <= 1 it is IDEAL with M' = M (I - c M / lambda)^-1, rho = c L / lambda, the inner
/// problem treated by one step of FISTA with the penalty implicit.
TEST(Ideal1, IsOneFistaStepOnTheAugmentedLagrangian) {
  const Topology topology = Topology::parse("cycle:6", "metropolis");
  const Quadratics quadratics(6, 5, 20, 3);
  const Problem problem = quadratics.problem();
  const double c = 0.9, eta = 0.1, b = 0.5, L = problem.constants.L;
  const auto recorded = record(problem, topology,
                               with("ideal1", {{"J", "1"},
                                               {"momentum", "0.5"},
                                               {"penalty", "0.9"},
                                               {"eta", "0.1"},
                                               {"follow", "false"},
                                               {"guard", "false"}}),
                               60);

  const Spectrum W = topology.spectrum();
  const Block M = Block(topology.weights()) * 2 / (W.lambda_max + W.lambda_min);
  const double lambda = 2 * W.lambda_max / (W.lambda_max + W.lambda_min);
  const Block I = Block::Identity(6, 6), M_prime = M * (I - c / lambda * M).inverse();
  const Block prox = (I + c / lambda * M_prime).inverse();  // of (rho/2)<X, M'X> with step 1/L
  Block X = Block::Zero(5, 6), X_prev = X, Omega = X;
  for (std::size_t k = 0; k < recorded.X.size(); ++k) {
    EXPECT_LT((recorded.X[k] - X).norm(), 1e-11 * (1 + X.norm())) << k;
    const Block Y = X + b * (X - X_prev);
    Block G(5, 6);
    for (Index i = 0; i < 6; ++i) problem.losses[i]->gradient(Y.col(i), G.col(i));
    X_prev = X;
    X = (Y - (G + Omega) / L) * prox;
    Omega += eta * L / lambda * X * M_prime;
  }
}

/// Li, Shi and Yan's recurrence, which its last resort rests on.
TEST(Ideal1, IsNidsWithoutMomentumAndWithHalfThePenaltyAndDualStep) {
  const Topology topology = Topology::parse("cycle:6", "laplacian");
  const Quadratics quadratics(6, 5, 20, 3);
  const Problem problem = quadratics.problem();
  const Tuning nids = nids_tuning(20, 4);
  const auto recorded = record(problem, topology,
                               with("ideal1", {{"J", "1"},
                                               {"momentum", std::to_string(nids.momentum)},
                                               {"penalty", std::to_string(nids.penalty)},
                                               {"eta", std::to_string(nids.dual_step)},
                                               {"follow", "false"},
                                               {"guard", "false"}}),
                               60);
  const double alpha = 1 / problem.constants.L, s = 1 / topology.spectrum().lambda_max;
  const Block averaging = Block::Identity(6, 6) - s / 2 * Block(topology.weights());
  const auto gradients = [&](const Block& X) {
    Block G(5, 6);
    for (Index i = 0; i < 6; ++i) problem.losses[i]->gradient(X.col(i), G.col(i));
    return G;
  };
  for (std::size_t k = 1; k + 1 < recorded.X.size(); ++k) {
    const Block &before = recorded.X[k - 1], &X = recorded.X[k];
    const Block expected = (2 * X - before - alpha * (gradients(X) - gradients(before))) * averaging;
    EXPECT_LT((recorded.X[k + 1] - expected).norm(), 1e-12 * (1 + X.norm())) << k;
  }
}

TEST(Ideal1, DualsAddUpToNothing) {
  const Topology topology = Topology::parse("barbell:8", "laplacian");
  const Problem problem = make_problem({.kappa = 500}, 8);
  SolveOptions options;
  options.watch = {.computations = 300, .every = 0};
  const Result result = simulate(problem, topology, method("ideal1"), options);
  const Block& Omega = std::get<Block>(result.checkpoint.state[2]);
  EXPECT_GT(Omega.norm(), 1e-3);
  EXPECT_LT(Omega.rowwise().sum().norm(), 1e-10 * Omega.norm());
}

TEST(Tuning, IsNesterovsWhereMixingIsGood) {
  for (const double kappa_f : {10.0, 1e3, 1e6}) {
    const double root = std::sqrt(kappa_f);
    const Tuning t = tuning(kappa_f, 1.5, 1);
    EXPECT_NEAR(t.momentum, (root - 1) / (root + 1), 1e-9);
    EXPECT_NEAR(t.iterations, root, 1e-9);
  }
}

TEST(Tuning, CostlierRoundsMeanFewer) {
  for (const double kappa_f : {30.0, 1e4, 1e6})
    for (const double kappa_W : {5.0, 100.0, 5000.0}) {
      Index last = 1 << 20;
      for (const double tau : {1e-3, 0.1, 1.0, 10.0, 1000.0}) {
        const Index J = best_degree(kappa_f, kappa_W, tau, 0.25).J;
        EXPECT_LE(J, last) << kappa_f << ' ' << kappa_W << ' ' << tau;
        last = J;
      }
    }
}

/// Rates of the others as their theories have them, with the constants that were measured: a choice among
/// methods at the start would be a choice of one.
TEST(Tuning, IsNeverPredictedMuchSlowerThanAnotherMethod) {
  for (const double kappa_f : {3.0, 10.0, 100.0, 1e4, 1e6})
    for (const double kappa_W : {1.01, 2.0, 5.0, 20.0, 100.0, 1e4})
      for (const double tau : {0.0, 1e-3, 0.1, 1.0, 10.0, 1e3})
        for (const double sigma : {0.25, 1.0}) {
          const auto J = static_cast<double>(Chebyshev::default_degree(kappa_W));
          const double opapc = (1 + tau * J) * 1.5 * std::sqrt(kappa_f);
          const double apapc = (1 + tau) * std::max(std::sqrt(kappa_f * kappa_W), kappa_W);
          const double nids = (1 + tau) * (kappa_f + kappa_W);
          EXPECT_LE(best_degree(kappa_f, kappa_W, tau, sigma).time, 1.05 * std::min({opapc, apapc, nids}))
              << kappa_f << ' ' << kappa_W << ' ' << tau << ' ' << sigma;
        }
}

/// Squares are as steep everywhere: after the first look no gradient is spent on others.
TEST(Ideal1, LooksOnceAtACurvatureThatIsConstant) {
  const Topology topology = Topology::parse("cycle:6", "laplacian");
  for (const auto& [loss, looks] : {std::pair{LossKind::ridge, 1.0}, {LossKind::logistic, 8.0}}) {
    const Result result =
        run_for(make_problem({.loss = loss, .kappa = 60}, 6), topology, method("auto"), 200);
    const double set_up = 3, iterations = static_cast<double>(result.trace.back().iteration);
    EXPECT_EQ(result.trace.back().meter.computations - iterations - set_up, looks) << to_string(loss);
  }
}

Result certified_run(const Problem& problem, const Topology& topology, const Method& m, double tol) {
  SolveOptions options;
  options.watch = {.tol = tol, .certified = true, .computations = 20000, .every = 0};
  return simulate(problem, topology, m, options);
}

TEST(Certificate, HoldsForEveryAgentWheneverItIsGiven) {
  for (const LossKind loss : {LossKind::logistic, LossKind::ridge, LossKind::softmax})
    for (const std::string& graph : five_graphs)
      for (const char* partition : {"by-label", "shuffled"})
        for (const double tol : {1e-2, 1e-5, 1e-9}) {
          const Topology topology = Topology::parse(graph, "laplacian");
          const Problem problem = make_problem(
              {.loss = loss, .classes = 3, .kappa = 25, .partition = partition}, topology.agents());
          const Result result = certified_run(problem, topology, method("auto"), tol);
          ASSERT_EQ(result.status, Status::converged) << graph << ' ' << to_string(loss);
          const TraceRow& last = result.trace.back();
          EXPECT_LE(*last.certified, tol);
          EXPECT_LE(last.worst_suboptimality, *last.certified)
              << graph << ' ' << to_string(loss) << ' ' << tol;
        }
}

/// Two dense halves joined by one weak edge: the moments of a few rounds do not see how weak.
Topology weak_link(double weight) {
  constexpr Index half = 12;
  Block W = Block::Zero(2 * half, 2 * half);
  const auto join = [&](Index a, Index b, double w) {
    W(a, b) = W(b, a) = -w;
    W(a, a) += w;
    W(b, b) += w;
  };
  Random random(7);
  for (Index side : {Index{0}, half})
    for (Index i = 0; i < half; ++i)
      for (Index j = 0; j < i; ++j)
        if (i - j == 1 || random.uniform() < 0.4) join(side + i, side + j, 1 + random.uniform());
  join(0, half, weight);
  return Topology::from_matrix(SparseRows(W.sparseView()));
}

TEST(Certificate, HoldsWhereTheNetworkIsWorseThanWasFoundOut) {
  for (const double weight : {1e-2, 1e-4})
    for (const double tol : {1e-3, 1e-7}) {
      const Topology topology = weak_link(weight);
      const Problem problem = make_problem({.kappa = 100}, topology.agents());
      const Result result = certified_run(problem, topology, method("auto"), tol);
      if (result.status == Status::converged) {
        EXPECT_LE(result.trace.back().worst_suboptimality, tol) << weight << ' ' << tol;
      }
    }
}

TEST(Certificate, DoesNotTrustAMuThatWasTold) {
  const Topology topology = Topology::parse("cycle:6", "laplacian");
  Problem problem = make_problem({.kappa = 200}, 6);
  problem.constants.mu *= 20;
  const Result result = certified_run(problem, topology, method("ideal1"), 1e-4);
  ASSERT_EQ(result.status, Status::converged);
  EXPECT_LE(result.trace.back().worst_suboptimality, *result.trace.back().certified);
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

/// Where many directions are of medium curvature the gradient bounds the gap badly, but nobody has to wait
/// for it: the last iterations make it smaller.
TEST(Certificate, ComesSoonAfterTheGapIsClosedWhereCurvaturesAreSpread) {
  constexpr Index n = 6, d = 20;
  const double kappa = 1e5;
  Random random(3);
  std::vector<std::shared_ptr<const Loss>> losses;
  for (Index i = 0; i < n; ++i) {
    Block H = Block::Zero(d, d);
    Vector h(d);
    for (Index j = 0; j < d; ++j) {
      H(j, j) =
          std::pow(kappa, -static_cast<double>(j) / (d - 1)) * (0.8 + 0.2 * random.uniform()) + 1 / kappa;
      h[j] = 1e-2 * random.normal() * std::sqrt(H(j, j));
    }
    losses.push_back(std::make_shared<Quadratic>(H, h));
  }
  Problem problem{.losses = losses, .constants = {}};
  Threads threads(1);
  problem.constants = constants_of(losses, {}, 1 / kappa, threads);
  problem.reference = solve_reference(losses, *in_process(n), threads);
  const Topology topology = Topology::parse("cycle:6", "laplacian");
  SolveOptions options;
  options.watch = {.tol = 1e-8, .computations = 20000, .every = 1};
  const Result seen = simulate(problem, topology, method("auto"), options);
  options.watch.certified = true;
  const Result proven = simulate(problem, topology, method("auto"), options);
  ASSERT_EQ(seen.status, Status::converged);
  ASSERT_EQ(proven.status, Status::converged);
  EXPECT_LE(proven.trace.back().worst_suboptimality, 1e-8);
  EXPECT_LT(proven.trace.back().meter.computations, 1.35 * seen.trace.back().meter.computations);
}

/// Nothing moves there, and no ratio of what moved is a number.
TEST(Certificate, IsGivenAtOnceWhereTheStartIsTheOptimum) {
  for (const Index d : {4, 20}) {
    std::vector<std::shared_ptr<const Loss>> losses;
    for (Index i = 0; i < 6; ++i)
      losses.push_back(
          std::make_shared<Quadratic>(Block::Identity(d, d) * (1 + static_cast<double>(i)), Vector::Zero(d)));
    Problem problem{.losses = losses, .constants = {}};
    Threads threads(1);
    problem.constants = constants_of(losses, {}, 1, threads);
    problem.reference = Reference{.x = Vector::Zero(d), .value = 0, .gradient_norm = 0};
    const Topology topology = Topology::parse("cycle:6", "laplacian");
    const Result result = certified_run(problem, topology, method("auto"), 1e-8);
    EXPECT_EQ(result.status, Status::converged) << d;
    EXPECT_EQ(*result.trace.back().certified, 0) << d;
    EXPECT_TRUE(result.X.isZero(0)) << d;
    EXPECT_LT(result.trace.back().meter.computations, 20) << d;
    // Without a tolerance it stays there.
    const Result longer = run_for(problem, topology, method("auto"), 100);
    EXPECT_TRUE(longer.X.isZero(0)) << d;
    for (const auto& [name, value] : longer.parameters)
      if (const auto* number = std::get_if<double>(&value)) {
        EXPECT_TRUE(std::isfinite(*number)) << name;
      }
  }
  const Topology topology = Topology::parse("cycle:6", "laplacian");
  const Problem problem = make_problem({}, 6);
  SolveOptions options;
  options.watch = {.tol = 1e-8, .certified = true, .computations = 200, .every = 0};
  options.start = problem.reference->x;  // but for rounding
  EXPECT_EQ(simulate(problem, topology, method("auto"), options).status, Status::converged);
}

/// Logarithms of what is left to do are infinite, and waiting so long is no number of iterations.
TEST(Certificate, MayBeWantedSmallerThanNumbersTell) {
  const Topology topology = Topology::parse("cycle:6", "laplacian");
  std::vector<std::shared_ptr<const Loss>> losses;
  for (Index i = 0; i < 6; ++i)
    losses.push_back(std::make_shared<Quadratic>(Block(Vector::LinSpaced(4, 1, 1e4).asDiagonal()),
                                                 Vector::Constant(4, static_cast<double>(i))));
  Problem problem{.losses = losses, .constants = {}};
  Threads threads(1);
  problem.constants = constants_of(losses, {}, 1, threads);
  problem.reference = solve_reference(losses, *in_process(6), threads);
  for (const double tol : {5e-324, 1e-310, 1e-200}) {
    SolveOptions options;
    options.watch = {.tol = tol, .certified = true, .computations = 3000, .every = 0};
    const Result result = simulate(problem, topology, method("auto"), options);
    EXPECT_TRUE(result.X.allFinite());
    EXPECT_LT(result.trace.back().worst_suboptimality, 1e-10) << tol;
  }
}

TEST(Certificate, NeedsNoReference) {
  const Topology topology = Topology::parse("grid:3x3", "laplacian");
  Problem problem = make_problem({}, 9);
  const Reference truth = *problem.reference;
  problem.reference.reset();
  const Result result = certified_run(problem, topology, method("auto"), 1e-8);
  EXPECT_EQ(result.status, Status::converged);
  EXPECT_LT((result.X.colwise() - truth.x).norm(), 1e-2);
  EXPECT_TRUE(std::isnan(result.trace.back().worst_suboptimality));
}

TEST(Auto, BearsBeliefsThatAreAFifthWrong) {
  for (const std::string& graph : five_graphs) {
    const Topology topology = Topology::parse(graph, "laplacian");
    const Problem problem = make_problem({.kappa = 1000}, topology.agents());
    const Spectrum truth = topology.spectrum();
    for (const double wrong : {0.8, 1.2})
      for (const auto& [key, value] : {std::pair{"L", problem.constants.L},
                                       {"lambda-max", truth.lambda_max},
                                       {"lambda-min", truth.lambda_min}}) {
        Method m = method("auto");
        m.set(key, std::to_string(wrong * value));
        SolveOptions options;
        options.watch = {.tol = 1e-10, .computations = 20000, .every = 5};
        const Result result = simulate(problem, topology, m, options);
        EXPECT_EQ(result.status, Status::converged) << graph << ' ' << key << ' ' << wrong;
      }
  }
}

/// Vectors are so long that the survey rides along: agents watch the run meanwhile, and what they have learnt
/// is not forgotten when it ends.
TEST(Auto, IsWatchedWhileASurveyRidesAlong) {
  for (const LossKind loss : {LossKind::ridge, LossKind::logistic})
    for (const char* graph : {"cycle:12", "line:16", "torus:4x4", "cycle:48"}) {
      const Topology topology = Topology::parse(graph, "laplacian");
      const Problem problem =
          make_problem({.loss = loss, .rows = 480, .columns = 20, .kappa = 200}, topology.agents());
      for (const auto& [key, wrong] :
           {std::pair{"L", problem.constants.L / 40}, {"lambda-max", topology.spectrum().lambda_max / 3}})
        for (const char* tau : {"0.1", "100"}) {
          const Method m = with("auto", {{key, std::to_string(wrong)}, {"tau", tau}});
          SolveOptions options;
          options.watch = {.tol = 1e-9, .certified = true, .computations = 20000, .every = 1};
          const Result result = simulate(problem, topology, m, options);
          EXPECT_EQ(result.status, Status::converged) << graph << ' ' << key << ' ' << tau;
          EXPECT_LE(result.trace.back().worst_suboptimality, 1e-9) << graph << ' ' << key << ' ' << tau;
        }
    }
}

/// A bound and a guess are not what was found out.
TEST(Auto, TellsNothingOfTheNetworkThatItHasNotFoundOut) {
  const Topology topology = Topology::parse("cycle:24", "laplacian");
  const Problem problem = make_problem({.columns = 20, .kappa = 200}, 24);
  const Result early = run_for(problem, topology, method("auto"), 6);
  EXPECT_FALSE(early.parameters.contains("lambda-max"));
  EXPECT_FALSE(early.parameters.contains("lambda-min"));
  ASSERT_FALSE(early.notes.empty());
  EXPECT_NE(early.notes.back().find("before its survey"), std::string::npos) << early.notes.back();
  const Result late = run_for(problem, topology, method("auto"), 200);
  const Spectrum truth = topology.spectrum();
  EXPECT_NEAR(std::get<double>(late.parameters.at("lambda-max")), truth.lambda_max, 0.05 * truth.lambda_max);
  EXPECT_NEAR(std::get<double>(late.parameters.at("lambda-min")), truth.lambda_min, 0.2 * truth.lambda_min);
}

/// Agents whose Hessians have rank one beside mu differ as much as they can, and together are much better
/// conditioned than each.
Problem rank_one_problem(Index agents, double kappa) {
  Random random(5);
  std::vector<std::shared_ptr<const Loss>> losses;
  Block sum = Block::Zero(4, 4);
  Vector right = Vector::Zero(4);
  for (Index i = 0; i < agents; ++i) {
    Vector a(4), h(4);
    for (double& x : a) x = random.normal();
    for (double& x : h) x = random.normal();
    a.normalize();
    const Block H = a * a.transpose() + Block::Identity(4, 4) / kappa;
    losses.push_back(std::make_shared<Quadratic>(H, h));
    sum += H;
    right += h;
  }
  Problem problem{.losses = losses, .constants = {}};
  Threads threads(1);
  problem.constants = constants_of(losses, {}, {}, threads);
  const Vector x = solve_symmetric(sum, right);
  problem.reference = Reference{.x = x, .value = -right.dot(x) / 2, .gradient_norm = 0};
  return problem;
}

bool has_note(const Result& result, std::string_view text) {
  return std::ranges::any_of(result.notes,
                             [&](const std::string& note) { return note.find(text) != std::string::npos; });
}

/// What is predicted of it is wrong, and it is faster by the way it shows itself: all agents go on with nids,
/// which does not know that these problems are easy, but feels it.
TEST(Auto, SwitchesWhereTheRunShowsThatAnotherIsFaster) {
  for (const char* graph : {"star:6", "cycle:16"})
    for (const char* tau : {"0.1", "100"}) {
      const Topology topology = Topology::parse(graph, "laplacian");
      const Problem problem = rank_one_problem(topology.agents(), 3e4);
      SolveOptions options;
      options.watch = {.tol = 1e-8, .certified = true, .computations = 30000, .every = 1};
      const Method m = with("auto", {{"tau", tau}});
      const Result switched = simulate(problem, topology, m, options);
      ASSERT_EQ(switched.status, Status::converged) << graph << ' ' << tau;
      EXPECT_TRUE(has_note(switched, "on nids, while")) << graph << ' ' << tau;
      EXPECT_FALSE(has_note(switched, "ideal1 again")) << graph << ' ' << tau;
      EXPECT_LE(switched.trace.back().worst_suboptimality, 1e-8);
      const Result safe =
          simulate(problem, topology, with("ideal1", {{"tau", tau}, {"sigma", "1"}}), options);
      const double t = std::stod(tau);
      EXPECT_LT(switched.trace.back().meter.time(t), 0.8 * safe.trace.back().meter.time(t))
          << graph << ' ' << tau;

      std::vector<Index> host_of(static_cast<std::size_t>(topology.agents()));
      for (std::size_t i = 0; i < host_of.size(); ++i) host_of[i] = static_cast<Index>(i * i % 3);
      host_of[2] = 2;
      EXPECT_EQ(simulate_hosts(problem, topology, m, host_of, options).X, switched.X);
      SolveOptions part = options;
      part.watch.computations = switched.trace.back().meter.computations - 40;
      const Result begun = simulate(problem, topology, m, part);
      options.run.resume = &begun.checkpoint;
      EXPECT_EQ(simulate(problem, topology, m, options).X, switched.X);
    }
}

/// Where it is no faster than ideal1 should be, that goes on.
TEST(Auto, SwitchesBackFromWhatIsSlower) {
  const Topology topology = Topology::parse("line:32", "laplacian");
  const Problem problem = make_problem({.rows = 640}, 32);
  const std::string wrong = std::to_string(topology.spectrum().lambda_max);
  const Result result = certified_run(problem, topology, with("auto", {{"lambda-min", wrong}}), 1e-8);
  EXPECT_EQ(result.status, Status::converged);
  EXPECT_TRUE(has_note(result, "on nids, while"));
  EXPECT_TRUE(has_note(result, "ideal1 again"));
}

/// Trust in their likeness is misplaced, and with sigma = 0.25 alone the iteration grows.
TEST(Auto, FindsOutThatAgentsDiffer) {
  for (const char* graph : {"cycle:6", "line:8", "star:6"}) {
    const Topology topology = Topology::parse(graph, "laplacian");
    const Problem problem = rank_one_problem(topology.agents(), 3000);
    const Vector& x = problem.reference->x;
    SolveOptions options;
    options.watch = {.computations = 30000, .every = 0};
    for (const char* tau : {"0.1", "100"}) {
      Method m = method("auto");
      m.set("tau", tau);
      const Result result = simulate(problem, topology, m, options);
      EXPECT_LT((result.X.colwise() - x).norm(), 1e-6 * x.norm()) << graph << ' ' << tau;
    }
  }
}

/// What was told of the network is so wrong that going back does not help: all agents go on with a method
/// that needs none of it, and certify what they reach.
TEST(Auto, HandsOverWhereNothingElseHelps) {
  for (const Index columns : {7, 20}) {
    const Topology line = Topology::parse("line:32", "laplacian");
    const Problem problem = make_problem({.rows = 640, .columns = columns}, 32);
    const Spectrum truth = line.spectrum();
    const Method m = with("auto", {{"lambda-max", std::to_string(truth.lambda_max / 8)}});
    SolveOptions options;
    options.watch = {.tol = 1e-6, .certified = true, .computations = 20000, .every = 1};
    const Result result = simulate(problem, line, m, options);
    EXPECT_EQ(result.status, Status::converged) << columns;
    EXPECT_TRUE(has_note(result, "handed over to nids")) << columns;
    EXPECT_LE(result.trace.back().worst_suboptimality, *result.trace.back().certified) << columns;
    const std::vector<Index> host_of{0, 1, 1, 2, 2, 2, 0, 0, 1, 0, 1, 2, 0, 1, 2, 2,
                                     2, 1, 0, 0, 1, 2, 1, 0, 0, 2, 1, 1, 0, 2, 1, 0};
    EXPECT_EQ(simulate_hosts(problem, line, m, host_of, options).X, result.X) << columns;
  }
}

/// What it has learnt by going back is part of what it continues with.
TEST(Auto, ContinuesBitForBitAfterItWentBack) {
  const Topology topology = Topology::parse("cycle:8", "laplacian");
  const Problem problem = make_problem({.loss = LossKind::logistic, .kappa = 200}, 8);
  const Method m = with("auto", {{"lambda-max", "2.5"}});
  const Result whole = run_for(problem, topology, m, 300);
  ASSERT_GT(std::get<Index>(whole.parameters.at("retreats")), 0);
  for (const double until : {40.0, 90.0, 150.0}) {
    const Result half = run_for(problem, topology, m, until);
    SolveOptions options;
    options.watch.computations = 300;
    options.run.resume = &half.checkpoint;
    EXPECT_EQ(simulate(problem, topology, m, options).X, whole.X) << until;
  }
}

TEST(Auto, ContinuesBitForBitAfterItWasHandedOver) {
  const Topology topology = Topology::parse("line:12", "laplacian");
  const Problem problem = make_problem({.columns = 20}, 12);
  const Method m = with("auto", {{"lambda-max", "0.4"}});
  const Result whole = run_for(problem, topology, m, 600);
  ASSERT_TRUE(has_note(whole, "handed over to nids"));
  for (const double until : {20.0, 100.0, 200.0, 300.0, 500.0}) {
    const Result half = run_for(problem, topology, m, until);
    SolveOptions options;
    options.watch.computations = 600;
    options.run.resume = &half.checkpoint;
    const Result rest = simulate(problem, topology, m, options);
    EXPECT_EQ(rest.X, whole.X) << until;
    EXPECT_EQ(rest.trace.back().meter, whole.trace.back().meter) << until;
  }
}

/// A survey of the network that was under way goes on.
TEST(Auto, ContinuesBitForBitInTheMiddleOfASurvey) {
  const Topology topology = Topology::parse("cycle:12", "laplacian");
  const Problem problem = make_problem({.columns = 20, .kappa = 200}, 12);
  for (const Method& m : {method("auto"), with("auto", {{"lambda-max", "1.4"}})}) {
    const Result whole = run_for(problem, topology, m, 80);
    for (const double until : {4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 12.0, 40.0}) {
      const Result part = run_for(problem, topology, m, until);
      SolveOptions options;
      options.watch.computations = 80;
      options.run.resume = &part.checkpoint;
      const Result rest = simulate(problem, topology, m, options);
      EXPECT_EQ(rest.X, whole.X) << until;
      EXPECT_EQ(rest.trace.back().meter, whole.trace.back().meter) << until;
    }
  }
}

}  // namespace
}  // namespace ideal::test
