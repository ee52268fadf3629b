// SPDX-License-Identifier: Apache-2.0
// Regularisers that enter by proximal steps, against closed forms and optimality conditions.
#include "support/dense.hpp"
#include "support/message.hpp"
#include "support/quadratics.hpp"
#include "support/recorder.hpp"

#include <ideal/diagnosis.hpp>
#include <ideal/error.hpp>
#include <ideal/random.hpp>

#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace ideal::test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// sum_i f_i of diagonal quadratics of different curvatures and minima.
struct Diagonal {
  explicit Diagonal(Index agents, Index d = 9) : H(Vector::Zero(d)), h(Vector::Zero(d)) {
    Random random(5);
    for (Index i = 0; i < agents; ++i) {
      const Vector a = Vector::NullaryExpr(d, [&] { return 1 + 9 * random.uniform(); });
      const Vector b = Vector::NullaryExpr(d, [&] { return 4 * random.normal(); });
      problem.losses.push_back(std::make_shared<Quadratic>(Block(a.asDiagonal()), b));
      H += a;
      h += b;
    }
    Threads threads;
    problem.constants = constants_of(problem.losses, {}, {}, threads);
  }

  /// Entry by entry: the threshold softened and cut, of the minimiser of a parabola.
  [[nodiscard]] Vector minimiser(const Regulariser& r) const {
    const double n = static_cast<double>(problem.losses.size());
    return Vector::NullaryExpr(h.size(), [&](Index j) {
      const double soft = h[j] > n * r.l1 ? h[j] - n * r.l1 : h[j] < -n * r.l1 ? h[j] + n * r.l1 : 0;
      return std::min(std::max(soft / H[j], r.low), r.high);
    });
  }

  Problem problem = {};
  Vector H, h;
};

const Regulariser regularisers[] = {
    {.l1 = 0.8}, {.l1 = 0.3, .low = -0.4, .high = 0.5}, {.low = 0.1}, {.high = 0.3}};

void give(Problem& problem, const Regulariser& r) {
  Threads threads;
  problem.regulariser = r;
  problem.reference = solve_reference(problem.losses, threads, {}, r);
}

/// The lasso, or elastic net, of shared rows.
Problem lasso(Index agents, double l1, LossKind loss = LossKind::ridge, Index columns = 20) {
  Problem problem = make_problem(
      {.loss = loss, .rows = 240, .columns = columns, .kappa = loss == LossKind::ridge ? 30.0 : 50.0},
      agents);
  give(problem, {.l1 = l1});
  return problem;
}

std::vector<std::string> composite_methods() {
  std::vector<std::string> names;
  for (const Method& m : methods())
    if (m.about().meets.has(Demand::composite)) names.push_back(m.about().name);
  return names;
}

/// Without acceleration or with exact subproblems it takes long, and nothing else.
bool slow(const std::string& name) { return name == "al" || name == "aal"; }

// ---- the regulariser itself ----------------------------------------------------------------------------

TEST(Regulariser, ProxMinimisesWhatItShould) {
  for (const Regulariser& r : regularisers)
    for (const double step : {0.1, 1.0, 3.0})
      for (double v = -4; v < 4; v += 0.37) {
        const double x = r.prox(v, step);
        const auto objective = [&](double y) {
          return step * r.value(Vector::Constant(1, y)) + (y - v) * (y - v) / 2;
        };
        for (const double other : {x + 1e-4, x - 1e-4, x + 0.3, x - 0.3, 0.0})
          EXPECT_LE(objective(x), objective(other) + 1e-15);
        EXPECT_LT(std::abs(r.slope(x, (x - v) / step)), 1e-13) << "and its subgradient is zero";
      }
}

TEST(Regulariser, WithInfiniteBoundsIsNone) {
  EXPECT_TRUE((Regulariser{.low = -infinity, .high = infinity}.none()));
  EXPECT_TRUE(Regulariser{}.none());
  EXPECT_FALSE(Regulariser{.l1 = 1e-9}.none());
  EXPECT_FALSE(Regulariser{.low = -1e300}.none());
  EXPECT_TRUE(std::isnan(Regulariser{.l1 = 1}.prox(std::nan(""), 1))) << "divergence stays visible";
}

// ---- the reference -------------------------------------------------------------------------------------

TEST(CompositeReference, OfDiagonalQuadraticsIsTheClosedForm) {
  Diagonal f(6);
  for (const Regulariser& r : regularisers) {
    give(f.problem, r);
    EXPECT_LT((f.problem.reference->x - f.minimiser(r)).norm(), 1e-13);
    EXPECT_EQ((f.problem.reference->x.array() == 0).count(), (f.minimiser(r).array() == 0).count());
    EXPECT_LT(f.problem.reference->gradient_norm, 1e-12);
  }
}

/// Optimality of the lasso, written out: |A_j'(Ax - b)/m + l2 x_j| <= l1, and = -l1 sign(x_j) where x_j != 0.
TEST(CompositeReference, MeetsTheOptimalityConditionsOfTheLasso) {
  for (const LossKind loss : {LossKind::ridge, LossKind::logistic, LossKind::huber})
    for (const double density : {1.0, 0.3}) {
      const Index agents = 4;
      std::vector<Index> offsets;
      const auto data =
          make_data({.loss = loss, .rows = 120, .columns = 15, .density = density}, agents, offsets);
      for (const double l2 : {0.0, 1e-2}) {
        const auto losses = make_losses(data, offsets, loss, l2);
        Threads threads;
        const double l1 = 0.01;
        const Reference reference = solve_reference(losses, threads, {}, {.l1 = l1});
        Vector g = Vector::Zero(15), part(15);
        for (const auto& f : losses) {
          f->gradient(reference.x, part);
          g += part / static_cast<double>(agents);
        }
        Index zeros = 0;
        for (Index j = 0; j < 15; ++j) {
          const double x = reference.x[j];
          zeros += x == 0 ? 1 : 0;
          if (x == 0)
            EXPECT_LE(std::abs(g[j]), l1 + 1e-12);
          else
            EXPECT_NEAR(g[j], -std::copysign(l1, x), 1e-11) << to_string(loss) << ' ' << l2;
        }
        EXPECT_GT(zeros, 0);
        EXPECT_LT(zeros, 15);
        EXPECT_LT(reference.gradient_norm * farthest_minimiser(reference, {.l1 = l1}, agents), 1e-9)
            << "certified also without strong convexity";
      }
    }
}

TEST(CompositeReference, OfMoreColumnsThanRowsIsFoundAndCertified) {
  std::vector<Index> offsets;
  const auto data = make_data({.loss = LossKind::ridge, .rows = 60, .columns = 500}, 3, offsets);
  const auto losses = make_losses(data, offsets, LossKind::ridge, 0);
  Threads threads;
  const Reference reference = solve_reference(losses, threads, {}, {.l1 = 0.1});
  EXPECT_LT(reference.gradient_norm * farthest_minimiser(reference, {.l1 = 0.1}, 3), 1e-9);
  EXPECT_LE((reference.x.array() != 0).count(), 60) << "no more than rows";
}

TEST(CompositeReference, WithoutRegulariserHasTheBitsOfNewton) {
  const Problem problem = make_problem({}, 5);
  Threads threads;
  const Reference boxed = solve_reference(problem.losses, threads, {}, {.low = -infinity});
  EXPECT_EQ(boxed.x, problem.reference->x);
}

// ---- methods -------------------------------------------------------------------------------------------

class EveryCompositeMethod : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Methods, EveryCompositeMethod, testing::ValuesIn(composite_methods()), readable);

TEST_P(EveryCompositeMethod, ReachesTheClosedFormOnFiveGraphs) {
  for (const std::string& graph : five_graphs) {
    const Topology topology = Topology::parse(graph, "laplacian");
    Diagonal f(topology.agents());
    for (const Regulariser& r : regularisers) {
      give(f.problem, r);
      SolveOptions options;
      options.watch = {.tol = slow(GetParam()) ? 1e-3 : 1e-11, .computations = 40000, .every = 5};
      const Result result = simulate(f.problem, topology, method(GetParam()), options);
      EXPECT_EQ(result.status, Status::converged) << graph << ' ' << result.trace.back().worst_suboptimality;
      EXPECT_LT((result.X.colwise() - f.minimiser(r)).cwiseAbs().maxCoeff(), std::sqrt(options.watch.tol))
          << graph;
    }
  }
}

TEST_P(EveryCompositeMethod, HasExactZerosAtEveryAgent) {
  if (slow(GetParam())) return;
  for (const LossKind loss : {LossKind::ridge, LossKind::logistic})
    for (const std::string& graph : five_graphs) {
      const Topology topology = Topology::parse(graph, "metropolis");
      const Problem problem = lasso(topology.agents(), loss == LossKind::ridge ? 0.05 : 0.02, loss);
      const auto zero = (problem.reference->x.array() == 0).eval();
      ASSERT_GT(zero.count(), 2);
      ASSERT_LT(zero.count(), 18);
      SolveOptions options;
      options.watch = {.tol = 1e-12, .computations = 60000, .every = 10};
      const Result result = simulate(problem, topology, method(GetParam()), options);
      EXPECT_EQ(result.status, Status::converged) << graph << ' ' << result.trace.back().worst_suboptimality;
      EXPECT_EQ(result.notes.size(), 1u) << "which tells what the last step cost";
      for (Index i = 0; i < result.X.cols(); ++i)
        EXPECT_TRUE(((result.X.col(i).array() == 0) == zero).all()) << graph << ", agent " << i;
    }
}

TEST_P(EveryCompositeMethod, WithARegulariserOfNothingHasTheSameBits) {
  const Topology topology = Topology::parse("barbell:6", "laplacian");
  Problem problem = make_problem({}, 6);
  const auto without = record(problem, topology, method(GetParam()), 300).X;
  problem.regulariser = {.low = -infinity, .high = infinity};
  const auto with_none = record(problem, topology, method(GetParam()), 300).X;
  EXPECT_EQ(difference(without, with_none, static_cast<Index>(without.size())), 0);
  if (GetParam() == "gd") return;                        // its step is another one
  problem.regulariser = {.low = -1e300, .high = 1e300};  // proximal steps are made, and change nothing
  EXPECT_LT(difference(record(problem, topology, with(GetParam(), {}), 60).X, without, 20), 1e-9);
}

TEST_P(EveryCompositeMethod, StaysInTheBoxAllTheTime) {
  const Topology topology = Topology::parse("cycle:6", "laplacian");
  Diagonal f(6);
  give(f.problem, {.low = 0.2, .high = 0.6});
  for (const Block& X : record(f.problem, topology, method(GetParam()), 200).X) {
    EXPECT_GE(X.minCoeff(), 0.2);
    EXPECT_LE(X.maxCoeff(), 0.6);
  }
}

/// The last row tells of the answer and of all that was spent for it.
TEST(Composite, TheLastRowIsTheAnswer) {
  const Topology topology = Topology::parse("line:6", "laplacian");
  const Problem problem = lasso(6, 0.05);
  for (const double budget : {40.0, 4000.0}) {
    SolveOptions options;
    options.watch = {.tol = 1e-9, .computations = budget};
    const Result result = simulate(problem, topology, method("nids"), options);
    ASSERT_EQ(result.status, budget < 100 ? Status::budget : Status::converged);
    ASSERT_TRUE(result.concluded);
    const TraceRow &last = result.trace.back(), &before = result.trace[result.trace.size() - 2];
    EXPECT_EQ(last.iteration, before.iteration + 1);
    EXPECT_EQ(last.meter.computations, before.meter.computations + 1);
    EXPECT_EQ(last.meter.communications, before.meter.communications + 4 * 3) << "two sums over a tree";
    EXPECT_LE(last.worst_suboptimality, before.worst_suboptimality);
    EXPECT_LT(last.consensus, 1e-14) << "all agents have the same";
    EXPECT_NEAR(last.distance, 6 * (result.X.col(3) - problem.reference->x).squaredNorm(), 1e-12);
    EXPECT_EQ(result.gaps.maxCoeff(), last.worst_suboptimality);
  }
}

/// That row is no part of a run that goes on: it is not doubled, nor is another lost.
TEST(Composite, GoesOnWithoutTheRowThatConcludedIt) {
  const Topology topology = Topology::parse("line:6", "laplacian");
  const Problem problem = lasso(6, 0.05);
  for (const char* name : {"nids", "ideal"}) {
    const Result whole = run_for(problem, topology, method(name), 80);
    const Result half = run_for(problem, topology, method(name), 40);
    EXPECT_EQ(half.own_rows().size() + 1, half.trace.size());
    EXPECT_EQ(half.own_rows().back().meter, half.checkpoint.meter);
    SolveOptions options;
    options.watch = {.computations = 80, .so_far = half.trace};
    options.run.resume = &half.checkpoint;
    const Result rest = simulate(problem, topology, method(name), options);
    ASSERT_EQ(rest.trace.size(), whole.trace.size()) << name;
    for (std::size_t k = 0; k < whole.trace.size(); ++k) {
      EXPECT_EQ(rest.trace[k].meter, whole.trace[k].meter) << name << ' ' << k;
      EXPECT_EQ(rest.trace[k].iteration, whole.trace[k].iteration) << name << ' ' << k;
      EXPECT_EQ(rest.trace[k].worst_suboptimality, whole.trace[k].worst_suboptimality) << name << ' ' << k;
    }
  }
}

/// The step that concludes a run is none of the method's doing.
TEST(Composite, IsDiagnosedByItsOwnRows) {
  const Topology topology = Topology::parse("line:6", "laplacian");
  const Problem problem = lasso(6, 0.05);
  const Method m = with("nids", {{"step-scale", "0.05"}});
  SolveOptions options;
  options.watch = {.tol = 1e-9, .computations = 60};
  const Result result = simulate(problem, topology, m, options);
  ASSERT_TRUE(result.concluded);
  ASSERT_LT(result.trace.back().worst_suboptimality, 0.9 * result.own_rows().back().worst_suboptimality);
  Result unconcluded = result;
  unconcluded.trace.pop_back();
  unconcluded.concluded = false;
  const auto findings = diagnose(problem, topology, m, result, 1e-9);
  const auto own = diagnose(problem, topology, m, unconcluded, 1e-9);
  ASSERT_FALSE(own.empty());
  ASSERT_EQ(findings.size(), own.size());
  for (std::size_t k = 0; k < own.size(); ++k) EXPECT_EQ(to_string(findings[k]), to_string(own[k]));
  EXPECT_EQ(findings.back().quantity, "rounds");
  EXPECT_EQ(findings.back().value, 60);
}

TEST(Composite, HasTheSameBitsOnAnyHosts) {
  const Topology topology = Topology::parse("barbell:6", "laplacian");
  const Problem problem = lasso(6, 0.05);
  const Index host_of[] = {0, 1, 2, 0, 1, 1};
  SolveOptions options;
  options.watch.computations = 300;
  for (const char* name : {"ideal", "mideal", "extra", "nids"})
    EXPECT_EQ(simulate(problem, topology, method(name), options).X,
              simulate_hosts(problem, topology, method(name), host_of, options).X)
        << name;
}

/// PG-EXTRA and NIDS as published, on dense matrices.
TEST(PgExtra, IsItsPublishedForm) {
  const Topology topology = Topology::parse("grid:3x3", "metropolis");
  Diagonal f(9);
  const Regulariser r{.l1 = 0.5, .low = -1};
  give(f.problem, r);
  const Block W_DS = Block::Identity(9, 9) - Block(topology.weights());
  const Block W_half = (Block::Identity(9, 9) + W_DS) / 2;
  const double lambda_max = topology.spectrum().lambda_max;
  const auto prox = [&](const Block& Z, double step) {
    return Block(Z.unaryExpr([&](double z) { return r.prox(z, step); }));
  };
  for (const std::string name : {"extra", "nids"}) {
    const bool extra = name == "extra";
    const double alpha = extra ? (2 - lambda_max) / (2 * f.problem.constants.L) : 1 / f.problem.constants.L;
    Block X_prev = Block::Zero(9, 9), G_prev = gradient(f.problem, X_prev);
    Block Z = extra ? Block(product(X_prev, W_DS) - alpha * G_prev) : Block(X_prev - alpha * G_prev);
    Block X = prox(Z, alpha);
    std::vector<Block> iterates{X_prev, X};
    for (int k = 0; k < 80; ++k) {
      const Block G = gradient(f.problem, X);
      if (extra)
        Z = product(X, W_DS) + Z - product(X_prev, W_half) - alpha * (G - G_prev);
      else
        Z = Z - X + product(Block(2 * X - X_prev - alpha * (G - G_prev)), W_half);
      X_prev = X;
      G_prev = G;
      X = prox(Z, alpha);
      iterates.push_back(X);
    }
    EXPECT_LT(difference(record(f.problem, topology, method(name), 81).X, iterates, 81), 1e-12) << name;
  }
}

// ---- without strong convexity --------------------------------------------------------------------------

TEST(MerelyConvex, ProblemsAreSolvedByVanishingConvexity) {
  for (const std::string& graph : five_graphs) {
    const Topology topology = Topology::parse(graph, "laplacian");
    const Index n = topology.agents();
    std::vector<Index> offsets;
    const auto data = make_data({.rows = 240}, n, offsets);
    Problem problem{.losses = make_losses(data, offsets, LossKind::logistic, 0), .constants = {}};
    Threads threads;
    problem.constants = constants_of(problem.losses, {}, {}, threads);
    ASSERT_EQ(problem.constants.mu, 0);
    problem.reference = solve_reference(problem.losses, threads);
    ASSERT_LT(problem.reference->gradient_norm, 1e-10);
    for (const char* name : {"ideal", "mideal", "extra", "nids", "gd"}) {
      SolveOptions options;
      options.watch = {.tol = 1e-5, .computations = 40000, .every = 20};
      const Result result = simulate(problem, topology, method(name), options);
      EXPECT_EQ(result.status, Status::converged)
          << name << ' ' << graph << ' ' << result.trace.back().worst_suboptimality;
    }
  }
}

TEST(MerelyConvex, MethodsThatMeetItComeNearer) {
  const Topology topology = Topology::parse("cycle:6", "laplacian");
  std::vector<Index> offsets;
  const auto data = make_data({.rows = 240}, 6, offsets);
  Problem problem{.losses = make_losses(data, offsets, LossKind::logistic, 0), .constants = {}};
  Threads threads;
  problem.constants = constants_of(problem.losses, {}, {}, threads);
  problem.reference = solve_reference(problem.losses, threads);
  std::vector<std::string> able;
  for (const Method& m : methods()) {
    if (!m.about().meets.has(Demand::merely_convex)) continue;
    able.push_back(m.about().name);
    SolveOptions options;
    options.watch = {.computations = 2000, .every = 0};
    const Trace trace = simulate(problem, topology, m, options).trace;
    EXPECT_LT(trace.back().worst_suboptimality, 0.2 * trace.front().worst_suboptimality) << m.about().name;
  }
  EXPECT_EQ(fmt::format("{}", fmt::join(able, " ")),
            "ideal mideal dual-fgm extra nids dgd dng dnc dual-averaging optra mspd drs gd")
      << "as docs/composite.md has them";
}

TEST(MerelyConvex, LassoOfMoreColumnsThanRows) {
  const Topology topology = Topology::parse("cycle:4", "laplacian");
  std::vector<Index> offsets;
  const auto data = make_data({.loss = LossKind::ridge, .rows = 40, .columns = 60}, 4, offsets);
  Problem problem{.losses = make_losses(data, offsets, LossKind::ridge, 0), .constants = {}};
  Threads threads;
  problem.constants = constants_of(problem.losses, {}, {}, threads);
  give(problem, {.l1 = 0.1});
  for (const char* name : {"ideal", "mideal", "extra", "nids"}) {
    SolveOptions options;
    options.watch = {.tol = 1e-6, .computations = 40000, .every = 20};
    const Result result = simulate(problem, topology, method(name), options);
    EXPECT_EQ(result.status, Status::converged) << name << ' ' << result.trace.back().worst_suboptimality;
  }
}

TEST(MerelyConvex, RunsGoOnFromACheckpointInAnyStage) {
  const Topology topology = Topology::parse("cycle:4", "laplacian");
  std::vector<Index> offsets;
  const auto data = make_data({.rows = 240}, 4, offsets);
  Problem problem{.losses = make_losses(data, offsets, LossKind::logistic, 0), .constants = {}};
  Threads threads;
  problem.constants = constants_of(problem.losses, {}, {}, threads);
  const Method m = with("ideal", {{"sigma", "0.05"}});
  const Result whole = run_for(problem, topology, m, 700), part = run_for(problem, topology, m, 400);
  SolveOptions options;
  options.watch.computations = 700;
  options.run.resume = &part.checkpoint;
  EXPECT_EQ(simulate(problem, topology, m, options).X, whole.X);
  EXPECT_LT(std::get<double>(whole.parameters.at("beta-in")), 1);
}

// ---- refusals ------------------------------------------------------------------------------------------

TEST(Demands, MethodsThatCannotAreRefusedByName) {
  const Topology topology = Topology::parse("cycle:6", "laplacian");
  Problem problem = make_problem({}, 6);
  problem.regulariser = {.l1 = 0.1};
  for (const Method& m : methods()) {
    const std::string complaint = message([&] { run_for(problem, topology, m, 3); });
    if (m.about().meets.includes({Demand::composite, Demand::no_dual_oracle}))
      EXPECT_EQ(complaint, "no error") << m.about().name;
    else
      EXPECT_TRUE(complaint.starts_with("--method " + m.about().name + ":")) << complaint;
  }
  EXPECT_EQ(message([&] { run_for(problem, topology, method("ssda"), 3); }).find("ideal, mideal") ==
                std::string::npos,
            false);
}

}  // namespace
}  // namespace ideal::test
