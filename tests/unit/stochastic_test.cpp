// SPDX-License-Identifier: Apache-2.0
// Methods that sample rows, against what their theory says of bias, noise, rates and counts.
#include "method/similar_triangles.hpp"
#include "support/dense.hpp"
#include "support/quadratics.hpp"
#include "support/recorder.hpp"
#include "support/sanitized.hpp"

#include <ideal/random.hpp>

#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace ideal::test {
namespace {

constexpr const char* everything = "1000000";  // a batch that is the whole

std::string text(double number) { return fmt::format("{:.17g}", number); }

/// The worst agent's gap, mean over seeds, at each of some numbers of computations.
std::vector<double> mean_gaps(const Problem& problem, const Topology& topology, const Method& m,
                              const std::vector<double>& computations, std::uint64_t seeds) {
  std::vector<double> gaps(computations.size());
  SolveOptions options;
  options.watch = {.computations = computations.back(), .every = 1};
  for (options.seed = 0; options.seed < seeds; ++options.seed) {
    const Trace trace = simulate(problem, topology, m, options).trace;
    for (std::size_t i = 0; i < gaps.size(); ++i) {
      const auto after = std::ranges::find_if(
          trace, [&](const TraceRow& row) { return row.meter.computations >= computations[i] - 1e-9; });
      gaps[i] +=
          (after == trace.end() ? trace.back() : *after).worst_suboptimality / static_cast<double>(seeds);
    }
  }
  return gaps;
}

/// Of log y over log x, by least squares.
double slope(const std::vector<double>& x, const std::vector<double>& y) {
  double mean_x = 0, mean_y = 0, xy = 0, xx = 0;
  const auto count = static_cast<double>(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    mean_x += std::log(x[i]) / count;
    mean_y += std::log(y[i]) / count;
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    xy += (std::log(x[i]) - mean_x) * (std::log(y[i]) - mean_y);
    xx += (std::log(x[i]) - mean_x) * (std::log(x[i]) - mean_x);
  }
  return xy / xx;
}

double squared_distance(const Block& X, const Vector& best) { return (X.colwise() - best).squaredNorm(); }

// ---- oracles -------------------------------------------------------------------------------------------

class Oracles : public testing::Test {
 protected:
  Problem problem = make_problem({.rows = 250, .partition = "dirichlet:1"}, 4);  // as many rows nowhere
  Meter meter;
  Threads threads;
  Objective F{problem.losses, {0, 1, 2, 3}, problem.constants, 5, meter, threads};
  Block X = Block::Random(7, 4), S = Block::Random(7, 4);
};

TEST_F(Oracles, PartsAreTheWholeOnAverage) {
  const Block whole = F.gradient(X);
  for (const Index parts : {Index{1}, Index{3}, Index{7}, F.rows()}) {
    Block mean = Block::Zero(7, 4);
    meter = {};
    for (Index j = 0; j < parts; ++j)
      mean += F.part_gradient(X, parts, std::vector<Index>(4, j)) / static_cast<double>(parts);
    EXPECT_LT((mean - whole).norm(), 1e-13 * whole.norm()) << parts;
    EXPECT_NEAR(meter.computations, 1, 1e-12);
  }
}

TEST_F(Oracles, PartsAreConvexAndAsSmoothAsToldWithoutTheRegulariser) {
  for (const Index parts : {Index{1}, Index{3}, F.rows()}) {
    for (Index j = 0; j < parts; ++j) {
      const std::vector<Index> which(4, j);
      const Block at_X = F.part_gradient(X, parts, which), change = at_X - F.part_gradient(S, parts, which);
      for (Index c = 0; c < 4; ++c) {
        const double along = change.col(c).dot(X.col(c) - S.col(c)),
                     apart = (X.col(c) - S.col(c)).squaredNorm();
        EXPECT_GE(along, F.own_l2() * apart * (1 - 1e-12));
        EXPECT_LE(along, F.part_L(parts) * apart);
      }
    }
  }
}

TEST_F(Oracles, RowsAreNoSteeperThanTold) {
  double steepest = 0;
  for (const auto& f : problem.losses) {
    ASSERT_GT(f->row_smoothness(), 0);
    EXPECT_GE(f->row_smoothness(), f->curvature().L) << "the mean of rows is no steeper than the steepest";
    steepest = std::max(steepest, f->row_smoothness());
  }
  EXPECT_EQ(F.row_L(), steepest);
}

TEST_F(Oracles, ChangesAreUnbiasedAndVanishWithTheDistance) {
  const Block at_X = F.gradient(X), expected = at_X - F.gradient(S);
  Block mean = Block::Zero(7, 4);
  constexpr Index draws = 4000;
  meter = {};
  for (Index t = 0; t < draws; ++t) mean += F.change(X, S, 2, t) / double{draws};
  EXPECT_NEAR(meter.computations, draws * 4 / static_cast<double>(F.rows()), 1e-9) << "two batches";
  EXPECT_LT((mean - expected).norm(), 0.1 * expected.norm());
  EXPECT_EQ(F.change(X, X, 2, 9).norm(), 0);
}

TEST_F(Oracles, VarianceIsThatOfBatchesOfOneRow) {
  const Block G = F.gradient(X);
  const Vector told = F.row_variance(X, G);
  Vector met = Vector::Zero(4);
  constexpr Index draws = 6000;
  for (Index t = 0; t < draws; ++t)
    met += (F.gradient(X, 1, t) - G).colwise().squaredNorm().transpose() / double{draws};
  for (Index c = 0; c < 4; ++c) EXPECT_NEAR(met[c] / told[c], 1, 0.1);
}

TEST_F(Oracles, CommonDrawsAreUniformAndTheSameOnEveryHost) {
  const Objective elsewhere({problem.losses[2]}, {2}, problem.constants, 5, meter, threads);
  double mean = 0, square = 0;
  for (Index t = 0; t < 4000; ++t) {
    const double u = F.common_draw(t);
    ASSERT_EQ(u, elsewhere.common_draw(t));
    mean += u / 4000;
    square += u * u / 4000;
  }
  EXPECT_NEAR(mean, 0.5, 0.02);
  EXPECT_NEAR(square, 1.0 / 3, 0.02);
  std::vector<Index> all(4), one(1);
  for (Index t = 0; t < 100; ++t) {
    F.draw_parts(9, t, all);
    elsewhere.draw_parts(9, t, one);
    ASSERT_EQ(all[2], one[0]);
  }
}

// ---- D-ASG ---------------------------------------------------------------------------------------------

/// Without noise it is Nesterov's method on F + <X, (I - W_p) X>/(2 alpha): its limit is that minimiser, and
/// its rate the accelerated one.
TEST(Dasg, WithoutNoiseReachesThePenalisedOptimumAtTheAcceleratedRate) {
  for (const char* graph : {"cycle:6", "barbell:8", "complete:5"}) {
    const Topology topology = Topology::parse(graph, "laplacian");
    const Quadratics f(topology.agents(), 5, 80, 3);
    const Problem problem = f.problem();
    // The Laplacian's W_DS = I - W/lambda_max has the eigenvalue 0, so W_p is half way to the identity.
    const double s = 1 / (2 * topology.spectrum().lambda_max), alpha = 0.5 / problem.constants.L;
    const Block limit =
        f.minimise_augmented(Block::Zero(5, topology.agents()), s / alpha, Block(topology.weights()));
    const auto X = record(problem, topology, method("dasg"), 1200).X;
    EXPECT_LT((X.back() - limit).norm(), 1e-11 * limit.norm()) << graph;
    const double rate = 1 - std::sqrt(alpha * problem.constants.mu),
                 kappa_P = 1 / (alpha * problem.constants.mu);
    for (const std::size_t k : {40u, 100u, 200u, 300u})
      EXPECT_LE((X[k] - limit).squaredNorm(),
                2 * kappa_P * (X[0] - limit).squaredNorm() * std::pow(rate, static_cast<double>(k)) + 1e-20)
          << graph << ' ' << k;
  }
}

/// The noise of its limit is of order sigma^2 sqrt(alpha): a sixteenth of the step leaves a quarter. Agents
/// with the same data have no bias that would hide it.
TEST(Dasg, NeighbourhoodShrinksWithTheStepAndTheBatch) {
  const Topology topology = Topology::parse("complete:4", "laplacian");
  Problem problem = make_problem({.rows = 400, .kappa = 10, .partition = "shuffled"}, 4);
  std::ranges::fill(problem.losses, problem.losses[0]);
  Threads threads;
  problem.reference = solve_reference(problem.losses, threads);
  const auto noise = [&](double step_scale, const char* batch) {
    SolveOptions options;
    options.watch = {.computations = 400, .every = 10};
    const Trace trace = simulate(problem, topology,
                                 with("dasg", {{"batch", batch}, {"step-scale", text(step_scale)}}), options)
                            .trace;
    double sum = 0;
    for (std::size_t r = trace.size() / 2; r < trace.size(); ++r) sum += trace[r].worst_suboptimality;
    return sum / static_cast<double>(trace.size() - trace.size() / 2);
  };
  const double large = noise(1, "4"), small = noise(1.0 / 16, "4"), calm = noise(1, "16");
  EXPECT_GT(large / small, 3);
  EXPECT_LT(large / small, 20) << "no faster than the step";
  EXPECT_NEAR(large / calm, 4, 2) << "sigma^2 is in proportion to 1/batch";
}

// ---- D-MASG --------------------------------------------------------------------------------------------

TEST(Dmasg, GetsWhereDasgCannot) {
  for (const char* graph : {"cycle:6", "star:5"}) {
    const Topology topology = Topology::parse(graph, "laplacian");
    const Problem problem = Quadratics(topology.agents(), 5, 20, 3).problem();
    const double stuck = run_for(problem, topology, method("dasg"), 4000).trace.back().worst_suboptimality;
    const Trace trace = run_for(problem, topology, method("dmasg"), 4000).trace;
    EXPECT_LT(trace.back().worst_suboptimality, stuck / 100) << graph;
    // Its network error is of order 1/k^2, the gap its square.
    EXPECT_LT(trace.back().worst_suboptimality, trace[1000].worst_suboptimality / 50) << graph;
  }
}

TEST(Dmasg, StagesAreDasgWithTheirSteps) {
  const Topology topology = Topology::parse("cycle:6", "laplacian");
  const Problem problem = make_problem({}, 6);
  const auto stages = record(problem, topology, with("dmasg", {{"T", "5"}, {"batch", "3"}}), 40);
  EXPECT_EQ(difference(stages.X, record(problem, topology, with("dasg", {{"batch", "3"}}), 10).X, 11), 0)
      << "the first is as long as 2 T";
  const auto stage_after = [&](std::size_t steps) {
    return std::get<Index>(stages.states[steps - 1].state[4]);
  };
  EXPECT_EQ(stage_after(9), 1);
  EXPECT_EQ(stage_after(10), 2);
  EXPECT_EQ(stage_after(29), 2);
  EXPECT_EQ(stage_after(30), 3);
  const auto longer =
      record(problem, topology, with("dmasg", {{"T", "5"}, {"first", "17"}, {"batch", "3"}}), 40);
  EXPECT_EQ(std::get<Index>(longer.states[15].state[4]), 1);
  EXPECT_EQ(std::get<Index>(longer.states[16].state[4]), 2) << "as long as told";
  EXPECT_EQ(std::get<Index>(longer.states[36].state[4]), 3) << "and then 4 T";
}

/// Three stages without noise, with dense matrices: steps alpha, alpha/16, alpha/64, each with momentum of
/// its own that starts at rest.
TEST(Dmasg, StagesHaveTheirOwnStepsAndMomenta) {
  const Topology topology = Topology::parse("barbell:6", "laplacian");
  const Problem problem = Quadratics(6, 4, 30, 5).problem();
  const double L = problem.constants.L, mu = problem.constants.mu, alpha = 0.5 / L;
  const Block P = Block::Identity(6, 6) - Block(topology.weights()) / (2 * topology.spectrum().lambda_max);
  Block X = Block::Zero(4, 6), Y = X, G = X;
  std::vector<Block> dense{X};
  for (int stage = 1; stage <= 3; ++stage) {
    const double step = alpha / (stage == 1 ? 1 : std::pow(4, stage)), root = std::sqrt(step * mu);
    Y = X;
    for (int t = 0; t < 5 << stage; ++t) {
      for (Index i = 0; i < 6; ++i) problem.losses[static_cast<std::size_t>(i)]->gradient(Y.col(i), G.col(i));
      const Block next = product(Y, P) - step * G;
      Y = next + (1 - root) / (1 + root) * (next - X);
      X = next;
      dense.push_back(X);
    }
  }
  const auto ours = record(problem, topology, with("dmasg", {{"T", "5"}, {"batch", everything}}), 70).X;
  EXPECT_LT(difference(ours, dense, 71), 1e-12);
}

// ---- laws of noise -------------------------------------------------------------------------------------

/// Table 2 of the paper for SGD, and the rate of D-MASG: rows for accuracy eps in proportion to sigma^2/eps.
TEST(StochasticLaws, RowsNeededGrowAsOneOverAccuracy) {
  if (sanitized) GTEST_SKIP() << "takes minutes under sanitizers";
  const Topology topology = Topology::parse("complete:4", "laplacian");
  const Problem problem = make_problem({.rows = 400, .kappa = 10, .partition = "shuffled"}, 4);
  const std::vector<double> computations{150, 300, 600, 1200, 2400};
  for (const Method& m : {with("ideal", {{"solver", "sgd"}, {"batch", "20"}, {"guard", "false"}}),
                          with("dmasg", {{"batch", "4"}})}) {
    const auto gaps = mean_gaps(problem, topology, m, computations, 6);
    const double law = slope(computations, gaps);
    EXPECT_LT(law, -0.65) << m.about().name;
    EXPECT_GT(law, -1.6) << m.about().name;
  }
}

/// Least squares whose Hessian is the same in all directions, so that sigma^2/mu is all there is to the law:
/// rows along the axes, as long as `length` says, and labels of noise.
Problem isotropic(double length, double noise) {
  constexpr Index agents = 4, d = 6, rows = 60;
  Dataset data{
      .name = "axes", .features = DenseRows::Zero(agents * rows, d), .labels = Vector(agents * rows)};
  Random random(3);
  std::vector<Index> offsets{0};
  for (Index j = 0; j < agents * rows; ++j) {
    std::get<DenseRows>(data.features)(j, j % d) = length * std::sqrt(double{d});
    data.labels[j] = noise * random.normal();
    if ((j + 1) % rows == 0) offsets.push_back(j + 1);
  }
  Problem problem{
      .losses = make_losses(std::make_shared<const Dataset>(std::move(data)), offsets, LossKind::ridge, 0),
      .constants = {}};
  Threads threads;
  problem.constants = constants_of(problem.losses, {}, {}, threads);
  problem.reference = solve_reference(problem.losses, threads);
  return problem;
}

/// Table 2 in numbers: at the end of an inner loop, after N rows an agent, the gap is sigma^2/(2 mu N) times
/// a constant, which is the same for other noise, other mu, other batches and eight times as many rows. With
/// these losses T_k = 4 2^k.
TEST(StochasticLaws, TheGapOfSgdIsVarianceOverConvexityAndRows) {
  if (sanitized) GTEST_SKIP() << "takes minutes under sanitizers";
  const Topology topology = Topology::parse("complete:4", "laplacian");
  double least = 1e300, most = 0;
  const struct {
    double length, noise;
    Index batch;
  } cases[] = {{1, 1, 5}, {0.25, 8, 5}, {1, 1, 20}};
  for (const auto& [length, noise, batch] : cases) {
    const Problem problem = isotropic(length, noise);
    Meter meter;
    Threads threads;
    Objective F(problem.losses, {0, 1, 2, 3}, problem.constants, 0, meter, threads);
    const Block best = problem.reference->x.replicate(1, 4);
    const double variance = F.row_variance(best, F.gradient(best)).mean();
    std::vector<double> rows, computations;
    for (const Index k : {7, 10}) {
      rows.push_back(static_cast<double>(4 * ((Index{2} << k) - 1) * batch));
      computations.push_back(rows.back() / static_cast<double>(F.rows()));
    }
    const Method m = with("ideal", {{"solver", "sgd"}, {"batch", std::to_string(batch)}, {"guard", "false"}});
    const auto gaps = mean_gaps(problem, topology, m, computations, 8);
    for (std::size_t i = 0; i < gaps.size(); ++i) {
      const double constant = gaps[i] * 2 * problem.constants.mu * rows[i] / variance;
      least = std::min(least, constant);
      most = std::max(most, constant);
    }
  }
  EXPECT_LT(most / least, 1.6);
  EXPECT_LT(most, 40);
  EXPECT_GT(least, 15);
}

// ---- defaults ------------------------------------------------------------------------------------------

/// Where a batch is a part of the rows: to the optimum where that is promised, else to a neighbourhood that
/// is small beside the start.
TEST(StochasticDefaults, ReachTheOptimumOrItsNeighbourhoodOnFiveGraphs) {
  if (sanitized) GTEST_SKIP() << "takes minutes under sanitizers";
  const struct {
    Method method;
    double of_first;  // the gap that is left, as a share of the first; 0: 1e-9
  } cases[] = {{with("ideal", {{"solver", "svrg"}}), 0},
               {with("ideal", {{"solver", "katyusha"}}), 0},
               {with("mideal", {{"solver", "svrg"}}), 0},
               {with("mideal", {{"solver", "katyusha"}}), 0},
               {method("dvr"), 0},
               {with("ideal", {{"solver", "sgd"}}), 0.02},
               {with("mideal", {{"solver", "sgd"}}), 0.02},
               {method("dasg"), 0.2},
               {method("dmasg"), 0.002},
               {method("penalty-stm"), 0.002},
               {with("fedavg", {{"batch", "32"}}), 0.05}};
  for (const std::string& graph : five_graphs) {
    const Topology topology = Topology::parse(graph, "laplacian");
    const Problem problem = make_problem(
        {.rows = 100 * topology.agents(), .kappa = 20, .partition = "shuffled"}, topology.agents());
    for (const auto& [m, of_first] : cases) {
      SolveOptions options;
      options.watch = {
          .tol = of_first > 0 ? 0 : 1e-9, .computations = of_first > 0 ? 300.0 : 4000.0, .every = 20};
      std::vector<Result> runs;
      for (options.seed = 0; options.seed < 3; ++options.seed)
        runs.push_back(simulate(problem, topology, m, options));
      double gap = 0;
      for (const Result& result : runs) {
        EXPECT_EQ(result.status, of_first > 0 ? Status::budget : Status::converged)
            << m.about().name << ' ' << graph;
        gap += result.trace.back().worst_suboptimality / 3;
      }
      if (of_first > 0) {
        EXPECT_LT(gap, of_first * runs[0].trace.front().worst_suboptimality)
            << m.about().name << ' ' << graph;
      }
      EXPECT_NE(runs[0].X, runs[1].X) << m.about().name << ": it does draw";
    }
  }
}

// ---- similar triangles ---------------------------------------------------------------------------------

TEST(SimilarTriangles, NumbersSatisfyTheirEquations) {
  for (const double mu : {0.0, 0.3}) {
    SimilarTriangles numbers{.L = 7, .mu = mu};
    double A = 0;
    for (int k = 0; k < 60; ++k) {
      numbers.advance(k == 0);
      const double A_next = 1 / numbers.inverse, alpha = numbers.theta * A_next;
      EXPECT_NEAR(A_next, A + alpha, 1e-12 * A_next);
      EXPECT_NEAR(7 * alpha * alpha, A_next * (1 + mu * A), 1e-11 * 7 * alpha * alpha);
      EXPECT_NEAR(numbers.stays(), (1 + mu * A) / (1 + mu * A_next), 1e-12);
      EXPECT_NEAR(numbers.pulls(), alpha / (1 + mu * A_next), 1e-12 * numbers.pulls());
      A = A_next;
    }
    if (mu > 0) {
      EXPECT_NEAR(numbers.theta, (std::sqrt(mu * mu + 4 * 7 * mu) - mu) / 14, 1e-3);
    }
  }
  SimilarTriangles forever{.L = 7, .mu = 0.3};
  for (int k = 0; k < 100000; ++k) forever.advance(k == 0);
  EXPECT_TRUE(std::isfinite(forever.stays()) && std::isfinite(forever.pulls()));
}

TEST(PenaltyStm, WithoutNoiseReachesThePenalisedOptimumAtItsRate) {
  for (const char* graph : {"cycle:6", "star:5"}) {
    const Topology topology = Topology::parse(graph, "laplacian");
    const auto [lambda_max, lambda_min] = topology.spectrum();
    const Quadratics f(topology.agents(), 5, 30, 3);
    const Problem problem = f.problem();
    const double r = 40, scale = 2 / (lambda_max + lambda_min);  // Q = scale W at J = 1
    const Block limit =
        f.minimise_augmented(Block::Zero(5, topology.agents()), r * scale, Block(topology.weights()));
    const auto X = record(problem, topology, with("penalty-stm", {{"penalty", text(r)}, {"J", "1"}}), 1500).X;
    EXPECT_LT((X.back() - limit).norm(), 1e-11 * limit.norm()) << graph;
    const double L = problem.constants.L + r * lambda_max * scale, mu = problem.constants.mu;
    for (const std::size_t k : {50u, 100u, 200u})
      EXPECT_LE(mu * (X[k] - limit).squaredNorm(),
                L * (X[0] - limit).squaredNorm() *
                    std::pow(1 + std::sqrt(mu / L) / 2, -2.0 * static_cast<double>(k - 1)))
          << graph << ' ' << k;
  }
}

/// What it promises: the accuracy asked for, noise included.
TEST(PenaltyStm, ReachesTheAccuracyAskedFor) {
  const Topology topology = Topology::parse("cycle:6", "laplacian");
  const Problem problem = make_problem({.rows = 1200, .kappa = 20, .partition = "shuffled"}, 6);
  for (const char* accuracy : {"1e-1", "1e-2"}) {
    SolveOptions options;
    options.watch = {.computations = 300, .every = 0};
    double gap = 0, eps = 0;
    for (options.seed = 0; options.seed < 4; ++options.seed) {
      const Result result =
          simulate(problem, topology, with("penalty-stm", {{"accuracy", accuracy}}), options);
      gap += result.trace.back().suboptimality / 4;
      eps = std::get<double>(result.parameters.at("eps"));
      EXPECT_LT(std::get<Index>(result.parameters.at("batch")), 200) << "a batch, not everything";
    }
    EXPECT_LT(gap, eps) << accuracy;
  }
}

/// n sigma^2 alpha_k/((1 + mu A_k) eps) rows, where L alpha_k^2 = A_k (1 + mu A_{k-1}), A_k = A_{k-1} +
/// alpha_k.
TEST(PenaltyStm, BatchesAreThoseOfTheTheory) {
  constexpr Index n = 8, rows = 100;
  constexpr double penalty = 0.5, accuracy = 0.01;
  const Topology topology = Topology::parse("cycle:8", "laplacian");
  const Problem problem = make_problem({.rows = n * rows, .kappa = 10, .partition = "shuffled"}, n);
  double slope = 0;
  for (const auto& loss : problem.losses) {
    Vector g(7);
    loss->gradient(Vector::Zero(7), g);
    slope = std::max(slope, g.squaredNorm());
  }
  const auto [lambda_max, lambda_min] = topology.spectrum();
  const double of_Q = 2 * lambda_max / (lambda_max + lambda_min);  // for J = 1
  const double mu = problem.constants.mu, eps = accuracy * n * slope / (2 * mu),
               L = problem.constants.L + penalty * of_Q;
  const double variance = 40 * eps * std::sqrt(mu * L) / n;  // in the end some forty rows
  const auto spent = record(problem, topology,
                            with("penalty-stm", {{"accuracy", text(accuracy)},
                                                 {"penalty", text(penalty)},
                                                 {"sigma", text(std::sqrt(variance))},
                                                 {"J", "1"}}),
                            40)
                         .meter;
  double A = 0;
  for (std::size_t k = 0; k < 40; ++k) {
    const double c = 1 + mu * A, alpha = (c + std::sqrt(c * c + 4 * L * A * c)) / (2 * L);
    A += alpha;
    if (k == 0) continue;  // it also finds out slopes and variances
    const double batch = (spent[k + 1].computations - spent[k].computations) * rows;
    EXPECT_NEAR(batch, std::ceil(n * variance * alpha / ((1 + mu * A) * eps)), 1e-6) << k;
  }
}

/// Similar triangles on a dual with curvature in [lambda_min/L, lambda_max/mu].
TEST(Spdstm, KeepsItsRates) {
  const Topology topology = Topology::parse("barbell:8", "laplacian");
  const Quadratics f(8, 4, 20, 6);
  const Problem problem = f.problem();
  const double kappa_dual = problem.constants.kappa() * topology.spectrum().kappa();
  const Vector best = f.minimiser();
  const auto strong = record(problem, topology, with("spdstm", {{"exact", "true"}}), 900).X;
  for (const std::size_t k : {200u, 400u, 800u})
    EXPECT_LE(squared_distance(strong[k], best),
              10 * kappa_dual * squared_distance(strong[0], best) *
                  std::pow(1 + 0.5 / std::sqrt(kappa_dual), -static_cast<double>(k)))
        << k;
  const auto plain =
      record(problem, topology, with("spdstm", {{"exact", "true"}, {"strong", "false"}}), 900).X;
  double early = 0, late = 0;  // disagreement, at most of order 1/k^2
  for (std::size_t k = 80; k < 100; ++k) early = std::max(early, (plain[k].colwise() - best).norm());
  for (std::size_t k = 800; k < 900; ++k) late = std::max(late, (plain[k].colwise() - best).norm());
  EXPECT_LT(late, early / 20);
}

/// What they are derived from differs, and their points are the same.
TEST(Spdstm, WithoutStrongConvexityIsTheDualApproachOfTheSecondClass) {
  for (const char* graph : {"barbell:6", "star:5", "cycle:7"}) {
    const Topology topology = Topology::parse(graph, "laplacian");
    const Problem problem = Quadratics(topology.agents(), 3, 20, 6).problem();
    EXPECT_LT(
        difference(record(problem, topology, with("spdstm", {{"strong", "false"}, {"exact", "true"}}), 200).X,
                   record(problem, topology, with("dual-fgm", {{"class", "2"}}), 200).X, 201),
        1e-9)
        << graph;
  }
}

TEST(Spdstm, DualVariablesSumToZeroThroughout) {
  const Topology topology = Topology::parse("barbell:8", "laplacian");
  const auto recording = record(make_problem({}, 8), topology, method("spdstm"), 800);
  for (const Checkpoint& state : recording.states)
    for (const std::size_t dual : {3u, 4u, 5u})
      ASSERT_LT(relative_column_sum(std::get<Block>(state.state[dual])), 1e-12);
  EXPECT_GT(std::get<Block>(recording.states.back().state[4]).norm(), 0.1);
}

// ---- DVR -----------------------------------------------------------------------------------------------

constexpr std::size_t dvr_X = 1, dvr_Z = 2, dvr_Y = 3;  // positions in the kept state

/// sigma sum_i x_i = - sum_ij y_ij: with all points in one place that says that the gradient is zero.
TEST(Dvr, SumsOfPointsAndGradientsBelongTogether) {
  const Topology topology = Topology::parse("barbell:8", "laplacian");
  const Problem problem = make_problem({}, 8);
  const auto recording = record(problem, topology, with("dvr", {{"parts", "5"}}), 800);
  for (std::size_t p = 0; p < recording.states.size(); ++p) {  // state p is that of X[p + 1]
    const auto& state = recording.states[p].state;
    const Vector gradients = std::get<Block>(state[dvr_Y]).rowwise().sum().reshaped(7, 5).rowwise().sum();
    const Vector points = problem.constants.own_l2 * std::get<Block>(state[dvr_X]).rowwise().sum();
    ASSERT_LT((gradients + points).norm(), 1e-10 * gradients.norm() + 1e-12);
    const Block mean = std::get<Block>(state[dvr_Z]).reshaped(7, 5 * 8).eval();
    for (Index c = 0; c < 8; ++c)
      ASSERT_LT((mean.middleCols(5 * c, 5).rowwise().mean() - recording.X[p + 1].col(c)).norm(), 1e-11);
  }
}

/// The publication's list with dense matrices and its parameters, from the same draws.
TEST(Dvr, IsThePublishedListing) {
  constexpr Index n = 6, parts = 4;
  const Topology topology = Topology::parse("cycle:6", "laplacian");
  const Problem problem = make_problem({}, n);
  const auto recording = record(problem, topology, with("dvr", {{"parts", "4"}, {"J", "1"}}), 401);

  Meter meter;
  Threads threads;
  Objective F{problem.losses, {0, 1, 2, 3, 4, 5}, problem.constants, SolveOptions{}.seed, meter, threads};
  const auto [lambda_max, lambda_min] = topology.spectrum();
  const double sigma = F.own_l2(), m = parts, smoothness = (F.part_L(parts) - sigma) / m;
  const double alpha = 2 * lambda_min / (2 * F.L() - sigma);
  const double p = lambda_max / (lambda_max + sigma * alpha * (m + m * smoothness / sigma));
  const double communicating = p / (lambda_max / sigma),
               computing = (1 - p) / m / (alpha * (1 + smoothness / sigma));
  EXPECT_NEAR(communicating / computing, 1, 1e-12) << "p makes neither limit the step alone";
  const double eta = std::min(communicating, computing);

  std::vector<Block> z(parts, Block::Zero(7, n)), y = z;
  Block X = Block::Zero(7, n);
  const auto gradient = [&](const Block& points, const std::vector<Index>& which) -> Block {
    return (F.part_gradient(points, parts, which) - sigma * points) / m;
  };
  for (Index j = 0; j < parts; ++j) {
    y[static_cast<std::size_t>(j)] = gradient(z[0], std::vector<Index>(n, j));
    X -= y[static_cast<std::size_t>(j)] / sigma;
  }
  std::vector<Index> drawn(n);
  for (Index k = 1; k < 400; ++k) {
    if (F.common_draw(k) < p) {
      X -= eta / (p * sigma) * product(X, Block(topology.weights()));
    } else {
      F.draw_parts(parts, k, drawn);
      const double q = alpha * eta / ((1 - p) / m);
      Block points(7, n);
      for (Index i = 0; i < n; ++i)
        points.col(i) =
            (1 - q) * z[static_cast<std::size_t>(drawn[static_cast<std::size_t>(i)])].col(i) + q * X.col(i);
      const Block G = gradient(points, drawn);
      for (Index i = 0; i < n; ++i) {
        const auto j = static_cast<std::size_t>(drawn[static_cast<std::size_t>(i)]);
        X.col(i) -= (G.col(i) - y[j].col(i)) / sigma;
        z[j].col(i) = points.col(i);
        y[j].col(i) = G.col(i);
      }
    }
    const Block& ours = std::get<Block>(recording.states.at(static_cast<std::size_t>(k)).state[dvr_X]);
    ASSERT_LT((ours - X).norm(), 1e-10 * (1 + X.norm())) << k;
  }
  EXPECT_LT(((z[0] + z[1] + z[2] + z[3]) / m - recording.X[400]).norm(), 1e-11);
}

/// |X - X*|^2 falls on average at least as fast as (1 - alpha eta/2)^k.
TEST(Dvr, KeepsItsRate) {
  for (const char* graph : {"cycle:6", "star:5"}) {
    const Topology topology = Topology::parse(graph, "laplacian");
    const Problem problem = make_problem({.loss = LossKind::ridge, .kappa = 20}, topology.agents());
    const auto recording = record(problem, topology, with("dvr", {{"parts", "10"}}), 12000);
    const Result told = run_for(problem, topology, with("dvr", {{"parts", "10"}}), 1);
    const auto number = [&](const char* name) { return std::get<double>(told.parameters.at(name)); };
    const double rate = 1 - number("alpha") * number("eta") / 2;
    const auto distance = [&](std::size_t p) {
      return squared_distance(std::get<Block>(recording.states[p].state[dvr_X]), problem.reference->x);
    };
    const double early = distance(2000), late = distance(10000);
    EXPECT_LT(late, 10 * early * std::pow(rate, 8000) + 1e-22) << graph;
    EXPECT_GT(late, early * std::pow(rate, 20 * 8000)) << "the theory is not far off, " << graph;
  }
}

/// As often as its probability says, agents talk.
TEST(Dvr, TalksAsOftenAsToldTo) {
  const Topology topology = Topology::parse("cycle:6", "laplacian");
  const Problem problem = make_problem({}, 6);
  const auto recording =
      record(problem, topology, with("dvr", {{"p", "0.3"}, {"J", "2"}, {"parts", "10"}}), 4001);
  const Meter& spent = recording.meter.back();
  const auto rounds = static_cast<double>(spent.communications) / 2;
  EXPECT_NEAR(rounds / 4000, 0.3, 0.03);
  EXPECT_NEAR(spent.computations, 1 + (4000 - rounds) / 10, 1e-6)
      << "a part is a tenth; the start is a whole one";
}

// ---- variance-reduced inner solvers ---------------------------------------------------------------------

TEST(Svrg, WithASnapshotEveryStepOrWholeBatchesIsGradientDescent) {
  const Topology topology = Topology::parse("barbell:8", "laplacian");
  const Problem problem = make_problem({}, 8);
  for (const char* name : {"ideal", "mideal"}) {
    const auto gd =
        record(problem, topology, with(name, {{"solver", "gd"}, {"T", "20"}, {"step", "0.1"}}), 200);
    const auto often = record(
        problem, topology,
        with(name, {{"solver", "svrg"}, {"T", "20"}, {"step", "0.1"}, {"epoch", "1"}, {"batch", "3"}}), 200);
    const auto whole = record(
        problem, topology,
        with(name, {{"solver", "svrg"}, {"T", "20"}, {"step", "0.1"}, {"epoch", "6"}, {"batch", everything}}),
        200);
    EXPECT_LT(difference(gd.X, often.X, 201), 1e-12) << name;
    EXPECT_LT(difference(gd.X, whole.X, 201), 1e-12) << name;
    EXPECT_EQ(gd.meter.back(), often.meter.back()) << "at the same cost";
    EXPECT_EQ(gd.meter.back(), whole.meter.back());
  }
}

TEST(VarianceReduction, ReachesTheOptimumWhereSgdDoesNot) {
  const Topology topology = Topology::parse("cycle:5", "laplacian");
  for (const LossKind loss : {LossKind::logistic, LossKind::ridge}) {
    const Problem problem = make_problem({.loss = loss, .rows = 300, .kappa = 20}, 5);
    SolveOptions options;
    options.watch = {.tol = 1e-10, .computations = 4000, .every = 20};
    for (const char* name : {"ideal", "mideal"})
      for (const char* solver : {"svrg", "katyusha"}) {
        const Method m = with(name, {{"solver", solver}, {"batch", "6"}});
        const Result result = simulate(problem, topology, m, options);
        EXPECT_EQ(result.status, Status::converged) << name << ' ' << solver;
        EXPECT_TRUE(result.notes.empty()) << "without going back";
      }
    const Method sgd = with("ideal", {{"solver", "sgd"}, {"batch", "6"}});
    EXPECT_NE(simulate(problem, topology, sgd, options).status, Status::converged);
  }
}

TEST(VarianceReduction, MomentumPaysOnIllConditionedProblems) {
  const Topology topology = Topology::parse("complete:4", "laplacian");
  const Problem problem = make_problem({.rows = 200, .kappa = 2000, .partition = "shuffled"}, 4);
  SolveOptions options;
  options.watch = {.tol = 1e-8, .computations = 60000, .every = 50};
  const auto spent = [&](const char* solver) {
    return simulate(problem, topology, with("mideal", {{"solver", solver}, {"batch", "10"}}), options)
        .trace.back()
        .meter.computations;
  };
  EXPECT_LT(spent("katyusha"), spent("svrg") / 2);
}

}  // namespace
}  // namespace ideal::test
