// SPDX-License-Identifier: Apache-2.0
// Losses with kinks, rounded off or not, and the methods for them.
#include "support/dense.hpp"
#include "support/message.hpp"
#include "support/quadratics.hpp"
#include "support/recorder.hpp"
#include "support/sanitized.hpp"

#include <ideal/random.hpp>

#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace ideal::test {
namespace {

constexpr std::array kinds_with_kinks{LossKind::hinge, LossKind::quantile};

std::vector<std::shared_ptr<const Loss>> losses_of(LossOptions options, Index agents, Index rows = 240,
                                                   double density = 1) {
  std::vector<Index> offsets;
  const auto data = make_data({.loss = options.kind, .rows = rows, .density = density}, agents, offsets);
  std::vector<std::shared_ptr<const Loss>> losses;
  for (const auto& own : store_rows(data, offsets)) losses.push_back(make_loss(own, options));
  return losses;
}

Problem problem_of(const LossOptions& options, Index agents, const Regulariser& r = {}) {
  Problem problem{.losses = losses_of(options, agents), .constants = {}, .regulariser = r};
  Threads threads;
  problem.constants = constants_of(problem.losses, {}, {}, threads);
  problem.reference = solve_reference(problem.losses, threads, {}, r);
  return problem;
}

Vector some_point(std::uint64_t stream) {
  Random random(3, stream);
  return Vector::NullaryExpr(7, [&] { return random.normal(); });
}

/// In long double, as the definition says it.
long double by_definition(const LossOptions& o, long double z, long double b) {
  const auto largest = [&](long double low, long double high, long double t) {
    const long double w = o.smoothing;
    const long double s = w > 0 ? std::min(std::max(t / w, low), high) : t > 0 ? high : low;
    return s * t - w * s * s / 2;
  };
  if (o.kind == LossKind::hinge) return largest(0, 1, 1 - b * z);
  if (o.kind == LossKind::quantile)
    return largest(static_cast<long double>(o.quantile) - 1, o.quantile, b - z);
  const long double r = std::abs(z - b), delta = o.delta;
  return r <= delta ? r * r / 2 : delta * r - delta * delta / 2;
}

TEST(KinkedLosses, AreTheirDefinitionInLongDouble) {
  const LossOptions cases[] = {{.kind = LossKind::hinge, .l2 = 0.1},
                               {.kind = LossKind::hinge, .l2 = 0.1, .smoothing = 0.4},
                               {.kind = LossKind::huber, .l2 = 0.1, .delta = 0.3},
                               {.kind = LossKind::quantile, .l2 = 0.1, .quantile = 0.2},
                               {.kind = LossKind::quantile, .l2 = 0.1, .smoothing = 0.5, .quantile = 0.2}};
  for (const LossOptions& o : cases) {
    std::vector<Index> offsets;
    const auto data = make_data({.loss = o.kind, .rows = 50}, 1, offsets);
    const DenseRows& A = std::get<DenseRows>(data->features);
    const auto f = make_loss(store_rows(data, offsets)[0], o);
    for (std::uint64_t stream = 0; stream < 4; ++stream) {
      const Vector x = some_point(stream);
      long double sum = 0, squares = 0;
      for (Index j = 0; j < A.rows(); ++j) {
        long double z = 0;
        for (Index c = 0; c < A.cols(); ++c) z += static_cast<long double>(A(j, c)) * x[c];
        sum += by_definition(o, z, data->labels[j]);
      }
      for (const double v : x) squares += static_cast<long double>(v) * v;
      const auto expected = static_cast<double>(sum / A.rows() + 0.1L / 2 * squares);
      EXPECT_NEAR(f->value(x), expected, 1e-14 * (1 + expected)) << to_string(o.kind);
    }
  }
}

TEST(KinkedLosses, SubgradientsAreBelowTheLoss) {
  for (const LossKind kind : kinds_with_kinks)
    for (const auto& f : losses_of({.kind = kind, .l2 = 0.01, .quantile = 0.3}, 3)) {
      EXPECT_FALSE(f->smooth());
      EXPECT_TRUE(std::isinf(f->curvature().L));
      for (std::uint64_t s = 0; s < 10; ++s) {
        const Vector x = some_point(s), g = gradient(*f, x);
        for (std::uint64_t t = 10; t < 20; ++t) {
          const Vector y = some_point(t);
          EXPECT_GE(f->value(y), f->value(x) + g.dot(y - x) - 1e-13);
        }
        EXPECT_LE((g - 0.01 * x).norm(), f->lipschitz() * (1 + 1e-12));
      }
    }
}

TEST(KinkedLosses, RoundedOffTendToTheLossFromBelow) {
  for (const LossKind kind : kinds_with_kinks) {
    const auto f = losses_of({.kind = kind}, 1)[0];
    const Vector x = some_point(1);
    for (const double width : {1.0, 1e-2, 1e-6}) {
      const auto below = f->smoothed(width);
      EXPECT_TRUE(below->smooth());
      EXPECT_LE(below->value(x), f->value(x));
      EXPECT_GE(below->value(x), f->value(x) - width / 2);
    }
  }
}

TEST(Huber, WithAHugeDeltaIsRidge) {
  const auto huber = losses_of({.kind = LossKind::huber, .l2 = 0.2, .delta = 1e6}, 2),
             ridge = losses_of({.kind = LossKind::ridge, .l2 = 0.2}, 2);
  for (std::uint64_t s = 0; s < 4; ++s) {
    const Vector x = some_point(s);
    EXPECT_NEAR(huber[1]->value(x), ridge[1]->value(x), 1e-13 * ridge[1]->value(x));
    EXPECT_LT((gradient(*huber[1], x) - gradient(*ridge[1], x)).norm(), 1e-13);
  }
}

TEST(Quantile, OfAConstantIsTheQuantile) {
  const Index m = 101;
  Dataset data{.name = "one", .features = DenseRows::Ones(m, 1), .labels = Vector::LinSpaced(m, 0, 100)};
  const Index offsets[] = {0, m};
  const auto rows = store_rows(std::make_shared<const Dataset>(std::move(data)), offsets);
  Threads threads;
  for (const double q : {0.105, 0.5, 0.905}) {
    const std::vector<std::shared_ptr<const Loss>> loss{
        make_loss(rows[0], {.kind = LossKind::quantile, .quantile = q})};
    EXPECT_NEAR(solve_reference(loss, threads).x[0], std::floor(q * m), 1e-5) << q;
  }
}

/// Two rows with label 1: max(0, 1 - x) + max(0, 1 + x) has its least value 2 on [-1, 1], with l2 at 0; one
/// row alone and l2 = 1/2: the kink x = 1 is the minimum.
TEST(Hinge, HasItsMinimumAtTheKink) {
  Dataset data{.name = "one", .features = DenseRows::Ones(1, 1), .labels = Vector::Ones(1)};
  const Index offsets[] = {0, 1};
  const auto rows = store_rows(std::make_shared<const Dataset>(std::move(data)), offsets);
  Threads threads;
  const std::vector<std::shared_ptr<const Loss>> loss{
      make_loss(rows[0], {.kind = LossKind::hinge, .l2 = 0.5})};
  const Reference reference = solve_reference(loss, threads);
  EXPECT_NEAR(reference.x[0], 1, 1e-8);
  EXPECT_NEAR(reference.value, 0.25, 1e-8);
  EXPECT_LE(reference.value - 0.25, reference.rounded_off + 1e-15);
}

TEST(NonsmoothReference, IsCertified) {
  for (const LossKind kind : kinds_with_kinks) {
    const Problem problem = problem_of({.kind = kind, .l2 = 0.01, .quantile = 0.3}, 4);
    const Reference& r = *problem.reference;
    const double gap = r.rounded_off + r.gradient_norm * r.gradient_norm / (2 * 4 * 0.01);
    EXPECT_GE(r.rounded_off, 0);
    EXPECT_LT(gap, 1e-8);
    const auto value = [&](const Vector& x) {
      double sum = 0;
      for (const auto& f : problem.losses) sum += f->value(x);
      return sum;
    };
    for (std::uint64_t s = 0; s < 30; ++s)
      for (const double size : {1e-7, 1e-4, 1e-1})
        EXPECT_GE(value(r.x + size * some_point(s)), r.value - gap);
  }
}

/// The dual oracle of losses with kinks: no point near the minimiser is lower, and zero is among the
/// subgradients there, but for the rounding.
TEST(KinkedLosses, MinimiseTiltedToTheKinks) {
  for (const LossKind kind : kinds_with_kinks)
    for (const double c : {1e-4, 1e-2, 3.0})
      for (const auto& f : losses_of({.kind = kind, .l2 = 1e-3, .quantile = 0.3}, 3)) {
        const Vector a = 0.1 * some_point(40);
        const auto value = [&](const Vector& x) { return f->value(x) + a.dot(x) + c / 2 * x.squaredNorm(); };
        Vector x = some_point(41);
        f->tilted_minimiser(a, c, x);
        const double least = value(x);
        for (std::uint64_t s = 50; s < 70; ++s)
          for (const double size : {1e-6, 1e-3, 1.0})
            EXPECT_GE(value(x + size * some_point(s)), least - 1e-8) << to_string(kind) << ' ' << c;
        // Strong convexity bounds how far any minimiser of the rounded loss can be.
        Vector again = Vector::Zero(7);
        f->tilted_minimiser(a, c, again);
        EXPECT_LT((again - x).norm(), 1e-3) << to_string(kind) << ' ' << c << ": from anywhere the same";
      }
}

TEST(SmoothedLosses, AreForEveryMethodOfTheFamily) {
  const Topology topology = Topology::parse("barbell:8", "laplacian");
  for (const LossOptions& o : {LossOptions{.kind = LossKind::hinge, .l2 = 0.02, .smoothing = 0.5},
                               LossOptions{.kind = LossKind::huber, .l2 = 0.02, .delta = 0.5},
                               LossOptions{.kind = LossKind::quantile, .l2 = 0.02, .smoothing = 0.5}})
    for (const Regulariser& r : {Regulariser{}, Regulariser{.l1 = 0.02}}) {
      const Problem problem = problem_of(o, 8, r);
      EXPECT_LT(problem.reference->gradient_norm, 1e-11);
      for (const char* name : {"ideal", "mideal", "nids", "extra"}) {
        SolveOptions options;
        options.watch = {.tol = 1e-10, .computations = 40000, .every = 5};
        EXPECT_EQ(simulate(problem, topology, method(name), options).status, Status::converged)
            << name << ' ' << to_string(o.kind);
      }
    }
}

TEST(NonsmoothMethods, ApproachTheOptimumOnFiveGraphs) {
  for (const LossKind kind : all_or_first(kinds_with_kinks))
    for (const double l2 : {0.0, 0.01})
      for (const std::string& graph : all_or_first(five_graphs)) {
        const Topology topology = Topology::parse(graph, "laplacian");
        const Problem problem = problem_of({.kind = kind, .l2 = l2, .quantile = 0.3}, topology.agents());
        SolveOptions options;
        options.watch = {.computations = 4000, .every = 400};
        for (const char* name : {"mspd", "drs", "dual-averaging"}) {
          const Trace trace = simulate(problem, topology, method(name), options).trace;
          EXPECT_LT(trace.back().worst_suboptimality, 0.1 * trace.front().worst_suboptimality)
              << name << ' ' << graph << ' ' << to_string(kind) << ' ' << l2;
          EXPECT_LT(trace.back().worst_suboptimality, 0.7 * trace[1].worst_suboptimality)
              << name << ' ' << graph;
        }
      }
}

/// Those that minimise on their own, with losses that are strongly convex and no more.
TEST(LocalMinimisers, ApproachTheOptimumOfKinkedLossesOnFiveGraphs) {
  for (const LossKind kind : all_or_first(kinds_with_kinks))
    for (const std::string& graph : all_or_first(five_graphs)) {
      const Topology topology = Topology::parse(graph, "laplacian");
      const Problem problem = problem_of({.kind = kind, .l2 = 0.1, .quantile = 0.3}, topology.agents());
      for (const char* name : {"dual-fgm", "heavy-ball-ode", "spdstm"}) {
        const Trace trace = run_for(problem, topology, method(name), 40).trace;
        EXPECT_LT(trace.back().worst_suboptimality, 0.05 * trace.front().worst_suboptimality)
            << name << ' ' << graph << ' ' << to_string(kind);
      }
    }
}

/// Algorithm 2 with dense matrices, its steps and inner weights as published, for the sum of the losses; but
/// (1 + c)^2 in sigma for the (1 - c)^2 in print, which misses the condition on the two steps.
TEST(Mspd, IsThePublishedListing) {
  constexpr double R = 1.7, G = 3.1;
  constexpr int J = 2;
  for (const char* graph : {"barbell:8", "cycle:7"})
    for (const bool growing : {false, true}) {
      const Topology topology = Topology::parse(graph, "laplacian");
      const Index n = topology.agents(), d = 3;
      const Problem problem = Quadratics(n, d, 10, 4).problem();
      const Block Q = chebyshev_of(topology, J);
      const double root_gamma = 1 / std::sqrt(topology.spectrum().kappa());
      const double c = std::pow((1 - root_gamma) / (1 + root_gamma), J);
      const double eta = R / G * (1 - c) / (1 + c), sigma = (1 + c * c) / (eta * (1 + c) * (1 + c)),
                   in_print = (1 + c * c) / (eta * (1 - c) * (1 - c)),
                   largest = symmetric_eigenvalues(Q)[n - 1];
      EXPECT_LT(largest * sigma * eta, 1 + 1e-9);
      EXPECT_GT(largest * in_print * eta, 1.5);

      Block X = Block::Zero(d, n), X_prev = X, Lambda = X, sum = X;
      std::vector<Block> means;
      for (int k = 0; k < 12; ++k) {
        Lambda += sigma * product(2 * X - X_prev, Q);
        Block V = X;
        for (int m = 0; m < (growing ? k + 1 : 5); ++m)
          V = double(m) / (m + 2) * V - 2.0 / (m + 2) * (eta * gradient(problem, V) + eta * Lambda - X);
        X_prev = X;
        X = V;
        sum += X;
        means.push_back(sum / (k + 1));
      }
      Method m =
          with("mspd", {{"radius", fmt::format("{}", R)}, {"lipschitz", fmt::format("{}", G)}, {"J", "2"}});
      if (!growing) m.set("T", "5");
      EXPECT_LT(difference(record(problem, topology, m, growing ? 78 : 60).outer(), means, 12), 1e-11)
          << graph;
    }
}

/// <c, x>: displacements do not change its gradient.
class Linear final : public Loss {
 public:
  explicit Linear(Vector c) : c_(std::move(c)) {}
  Index dimension() const override { return c_.size(); }
  double value(VectorRef x) const override { return c_.dot(x); }
  void gradient(VectorRef, VectorOut g) const override { g = c_; }
  Curvature curvature() const override { return {.L = 1, .mu = 0}; }

 private:
  Vector c_;
};

/// Of linear losses, z_{t+1} = -eta_{t+1} (mean gradient)/alpha_t^2, because 1/alpha_0 + ... + 1/alpha_t =
/// 1/alpha_t^2.
TEST(Drs, OnLinearLossesStepsAsFarAsPublished) {
  constexpr double R = 0.9, G = 2.3;
  constexpr Index n = 5, d = 4;
  Problem problem{.losses = {}, .constants = {.L = 1, .mu = 0}, .reference = {}};
  Vector mean = Vector::Zero(d);
  for (Index i = 0; i < n; ++i) {
    const Vector c = Vector::LinSpaced(d, -1, static_cast<double>(i));
    problem.losses.push_back(std::make_shared<Linear>(c));
    mean += c / double{n};
  }
  const Method m =
      with("drs", {{"radius", fmt::format("{}", R)}, {"lipschitz", fmt::format("{}", G)}, {"K", "1"}});
  const auto recording = record(problem, Topology::parse("star:5", "laplacian"), m, 41);
  const double fourth_root = std::pow(double{d}, 0.25);
  double alpha = 1;
  for (std::size_t t = 0; t < 40; ++t) {
    const double next = (std::sqrt(alpha * alpha + 4) - alpha) * alpha / 2;  // next^2 = (1 - next) alpha^2
    const double eta = R * next / (2 * G * (fourth_root + std::sqrt(static_cast<double>(t + 2))));
    const Vector z = -eta / (alpha * alpha) * mean;
    const Block& ours = std::get<Block>(recording.states.at(t).state[1]);
    ASSERT_LT((ours.colwise() - z).norm(), 1e-12 * z.norm()) << t;
    alpha = next;
  }
}

/// How far the optimum really is, and how steep the losses are: what theorems ask for.
struct Extremes {
  explicit Extremes(const Problem& problem) : R(problem.reference->x.norm()) {
    for (const auto& f : problem.losses) G = std::max(G, f->lipschitz());
  }
  [[nodiscard]] Method told_to(std::string_view name) const {
    return with(name, {{"radius", fmt::format("{}", R)}, {"lipschitz", fmt::format("{}", G)}});
  }
  double R, G = 0;
};

/// Of the mean loss, at the agents' mean and at the worst agent.
struct MeanGaps {
  double of_mean, of_worst, at_first;
};
MeanGaps mean_gaps(const Problem& problem, const Topology& topology, const Method& m, double computations) {
  SolveOptions options;
  options.watch = {.computations = computations, .every = 0};
  const Trace trace = simulate(problem, topology, m, options).trace;
  const auto n = static_cast<double>(topology.agents());
  return {trace.back().suboptimality / n, trace.back().worst_suboptimality / n,
          trace.front().suboptimality / n};
}

/// Rounded off by little, hardly any row bends: a way of its own to add up those that do.
TEST(KinkedLosses, HessiansOfFewRowsAreThoseOfTheirProducts) {
  for (const double density : {1.0, 0.3})
    for (const double width : {0.02, 0.3, 1.0})
      for (const auto& kinked : losses_of({.kind = LossKind::hinge, .l2 = 0.01}, 2, 900, density)) {
        const auto f = kinked->smoothed(width);
        const Vector x = 0.3 * some_point(4);
        Block H = Block::Zero(7, 7);
        f->add_hessian(x, H);
        Vector column(7);
        for (Index j = 0; j < 7; ++j) {
          f->hessian_vector(x, Vector::Unit(7, j), column);
          EXPECT_LT((H.col(j).tail(7 - j) - column.tail(7 - j)).norm(), 1e-12 * (1 + column.norm()))
              << width << ' ' << density;
        }
      }
}

/// The optimum is no further than they take it to be, whatever the loss and wherever they start.
TEST(Radius, BoundsHowFarTheOptimumIs) {
  const Topology topology = Topology::parse("cycle:6", "laplacian");
  for (const LossKind kind :
       {LossKind::hinge, LossKind::quantile, LossKind::huber, LossKind::logistic, LossKind::ridge})
    for (const double l2 : {1e-3, 0.1, 3.0})
      for (const double from : {0.0, 5.0})
        for (const char* name : {"mspd", "drs"}) {
          const Problem problem = problem_of({.kind = kind, .l2 = l2, .quantile = 0.3}, 6);
          SolveOptions options;
          options.start = from * some_point(8);
          options.watch = {.computations = 3};
          const Result result = simulate(problem, topology, method(name), options);
          const double R = std::get<double>(result.parameters.at("radius"));
          EXPECT_GE(R, (problem.reference->x - options.start).norm()) << name << ' ' << to_string(kind);
          EXPECT_TRUE(result.notes.empty()) << "known, not guessed";
          if (kind != LossKind::hinge || from > 0) continue;
          double G = 0;
          for (const auto& f : problem.losses) G = std::max(G, f->lipschitz());
          EXPECT_NEAR(R, std::min(1 / std::sqrt(l2), G / l2), 1e-12 * R) << "all margins are one at zero";
          EXPECT_NEAR(std::get<double>(result.parameters.at("lipschitz")), G + l2 * R, 1e-12 * G);
        }
}

TEST(Radius, IsAGuessWithoutStrongConvexityAndTheRunSaysSo) {
  const Topology topology = Topology::parse("cycle:6", "laplacian");
  const Problem problem = problem_of({.kind = LossKind::hinge, .l2 = 0}, 6);
  for (const char* name : {"mspd", "drs", "dual-averaging"}) {
    const Result guessed = run_for(problem, topology, method(name), 3),
                 told = run_for(problem, topology, with(name, {{"radius", "7"}}), 3);
    ASSERT_EQ(guessed.notes.size(), 1u) << name;
    EXPECT_NE(guessed.notes[0].find("a guess"), std::string::npos) << guessed.notes[0];
    EXPECT_TRUE(told.notes.empty()) << name;
  }
}

/// R takes a value of every loss, G none where they know it and a gradient where they do not; each is
/// flooded.
TEST(Radius, IsFoundOnceAndPaidFor) {
  const Topology topology = Topology::parse("cycle:8", "laplacian");
  const Index diameter = 4;
  const struct {
    LossOptions losses;
    double computations;
    Index floods;
  } cases[] = {{{.kind = LossKind::hinge, .l2 = 0.1}, 1, 1},
               {{.kind = LossKind::hinge, .l2 = 0}, 0, 1},
               {{.kind = LossKind::ridge, .l2 = 0.1}, 2, 2}};
  for (const auto& [losses, computations, floods] : cases) {
    const Problem problem = problem_of(losses, 8);
    for (const char* name : {"mspd", "drs", "dual-averaging"}) {
      const bool by_theory = name != std::string("dual-averaging") || losses.kind == LossKind::hinge;
      const Meter found = run_for(problem, topology, method(name), 3).trace.front().meter;
      EXPECT_EQ(found.computations, by_theory ? computations : 0) << name << ' ' << to_string(losses.kind);
      EXPECT_EQ(found.communications, by_theory ? floods * diameter : 0) << name;
      const Method told = with(name, {{"radius", "1"}, {"lipschitz", "2"}});
      EXPECT_EQ(run_for(problem, topology, told, 3).trace.front().meter, Meter{}) << name;
    }
  }
}

/// T iterations of T subgradients leave 4 R G/T of the mean loss at the mean of agents and iterations.
TEST(Mspd, KeepsItsPublishedBound) {
  for (const LossKind kind : all_or_first(kinds_with_kinks))
    for (const char* graph : {"cycle:8", "barbell:6", "star:5"}) {
      const Topology topology = Topology::parse(graph, "laplacian");
      const Problem problem = problem_of({.kind = kind, .l2 = 0, .quantile = 0.3}, topology.agents());
      const Extremes known(problem);
      for (const int T : {5, 15, 45}) {
        const MeanGaps gaps =
            mean_gaps(problem, topology, known.told_to("mspd").set("T", std::to_string(T)), double(T) * T);
        EXPECT_LT(gaps.of_mean, 4 * known.R * known.G / T) << graph << ' ' << to_string(kind) << ' ' << T;
        if (T == 45) {
          EXPECT_LT(4 * known.R * known.G / T, gaps.at_first) << "so that it says something";
        }
      }
    }
}

/// T iterations of T/(4 sqrt(d)) subgradients leave 20 R G d^(1/4)/T on average.
TEST(Drs, KeepsItsPublishedBound) {
  for (const LossKind kind : all_or_first(kinds_with_kinks))
    for (const char* graph : {"cycle:8", "star:5"}) {
      const Topology topology = Topology::parse(graph, "laplacian");
      const Problem problem = problem_of({.kind = kind, .l2 = 0, .quantile = 0.3}, topology.agents());
      const Extremes known(problem);
      for (const int T : {60, 240}) {
        const int K = static_cast<int>(std::ceil(T / (4 * std::sqrt(7.0))));
        const MeanGaps gaps =
            mean_gaps(problem, topology, known.told_to("drs").set("K", std::to_string(K)), double(T) * K);
        const double bound = 20 * known.R * known.G * std::pow(7, 0.25) / T;
        EXPECT_LT(gaps.of_worst, bound) << graph << ' ' << to_string(kind) << ' ' << T;
        if (T == 240) {
          EXPECT_LT(bound, gaps.at_first) << "so that it says something";
        }
      }
    }
}

/// T iterations with the step R sqrt(1 - sigma)/(4 G sqrt(k)) leave at most 8 R G log(T sqrt(n))/sqrt(T (1 -
/// sigma)) at every agent; and far less where losses are not made to be hard.
TEST(DualAveraging, KeepsItsPublishedBoundWithoutSmoothness) {
  for (const LossKind kind : all_or_first(kinds_with_kinks))
    for (const char* graph : {"complete:6", "cycle:6", "star:5"}) {
      const Topology topology = Topology::parse(graph, "metropolis");
      const Problem problem = problem_of({.kind = kind, .l2 = 0, .quantile = 0.3}, topology.agents());
      const Extremes known(problem);
      const double gap = topology.spectrum().lambda_min, n = static_cast<double>(topology.agents());
      for (const double T : {100.0, 4000.0}) {
        const MeanGaps gaps = mean_gaps(problem, topology, known.told_to("dual-averaging"), T);
        const double bound =
            8 * known.R * known.G * std::log(T * std::sqrt(n)) / std::sqrt(T * std::min(1.0, gap));
        EXPECT_LT(gaps.of_worst, bound / 4) << graph << ' ' << to_string(kind) << ' ' << T;
        if (T > 1000) {
          EXPECT_LT(gaps.of_worst, 0.15 * gaps.at_first) << graph << ' ' << to_string(kind);
        }
      }
    }
}

TEST(DualAveraging, AStepIsTheUsersOrMadeOfItsParts) {
  EXPECT_EQ(message([] {
              with("dual-averaging", {{"step", "1"}, {"radius", "2"}}).check();
            }),
            "--set radius: given with step (it is what the default step is made of). Leave one of the two "
            "out.");
  const Topology topology = Topology::parse("cycle:6", "metropolis");
  const Problem problem = problem_of({.kind = LossKind::huber, .l2 = 0.1}, 6);
  const Result result =
      run_for(problem, topology, with("dual-averaging", {{"radius", "2"}, {"lipschitz", "3"}}), 3);
  const double sigma = 1 - topology.spectrum().lambda_min;
  EXPECT_NEAR(std::get<double>(result.parameters.at("step")), 2 * std::sqrt(1 - sigma) / (4 * 3), 1e-12);
}

/// Without l2 the radius is 10/G for the G that was told; with it, no subgradient longer than G lets the
/// optimum be further than G/l2 from 0.
TEST(DualAveraging, MakesARadiusOfTheLipschitzConstantItWasTold) {
  const Topology topology = Topology::parse("cycle:6", "metropolis");
  const double sigma = 1 - topology.spectrum().lambda_min;
  for (const LossKind kind : {LossKind::hinge, LossKind::huber})
    for (const double l2 : {0.0, 0.1}) {
      const Problem problem = problem_of({.kind = kind, .l2 = l2}, 6);
      const double G = 0.01, R = l2 > 0 ? G / l2 : 10 / G;
      const Result result = run_for(problem, topology, with("dual-averaging", {{"lipschitz", "0.01"}}), 3);
      EXPECT_NEAR(std::get<double>(result.parameters.at("step")), R * std::sqrt(1 - sigma) / (4 * G), 1e-9)
          << to_string(kind) << ' ' << l2;
      for (const char* name : {"mspd", "drs"})
        EXPECT_NEAR(
            std::get<double>(
                run_for(problem, topology, with(name, {{"lipschitz", "0.01"}}), 3).parameters.at("radius")),
            R, 1e-12 * R)
            << name;
    }
}

/// (R G / eps)^2 computations: a hundred times as many buy a tenth of the gap.
TEST(Mspd, FollowsItsLaw) {
  const Topology topology = Topology::parse("cycle:6", "laplacian");
  const Problem problem = problem_of({.kind = LossKind::hinge, .l2 = 0}, 6);
  SolveOptions options;
  options.watch.every = 0;
  const auto gap_after = [&](double computations) {
    options.watch.computations = computations;
    return simulate(problem, topology, method("mspd"), options).trace.back().worst_suboptimality;
  };
  const double early = gap_after(300), late = gap_after(30000);
  EXPECT_LT(late, early / 5);
}

TEST(Demands, LossesThatAreNotSmoothAreForFewMethods) {
  const Topology topology = Topology::parse("cycle:6", "laplacian");
  const Problem problem = problem_of({.kind = LossKind::hinge, .l2 = 0.1}, 6);
  for (const Method& m : methods()) {
    const std::string complaint = message([&] { run_for(problem, topology, m, 3); });
    const bool able = m.about().meets.has(Demand::nonsmooth);
    EXPECT_EQ(complaint == "no error", able) << m.about().name << ": " << complaint;
    if (able) continue;
    EXPECT_NE(complaint.find("mspd, drs"), std::string::npos) << complaint;
  }
}

/// |x - b| + |x|^2/20, of which nobody knows a smooth loss near it, nor how to minimise it tilted.
class Kink final : public Loss {
 public:
  explicit Kink(double b) : b_(b) {}
  Index dimension() const override { return 1; }
  double value(VectorRef x) const override { return std::abs(x[0] - b_) + x[0] * x[0] / 20; }
  void gradient(VectorRef x, VectorOut g) const override { g[0] = (x[0] > b_ ? 1 : -1) + x[0] / 10; }
  Curvature curvature() const override { return {.L = std::numeric_limits<double>::infinity(), .mu = 0.1}; }
  bool smooth() const override { return false; }

 private:
  double b_;
};

TEST(Demands, WithoutADualOracleLocalMinimisersAreRefused) {
  const Topology topology = Topology::parse("star:4", "laplacian");
  Problem problem{.losses = {}, .constants = {}, .reference = {}};
  for (const double b : {0.3, -1.0, 0.9, 0.1}) problem.losses.push_back(std::make_shared<Kink>(b));
  Threads threads;
  problem.constants = constants_of(problem.losses, {}, {}, threads);
  EXPECT_EQ(
      message([&] { run_for(problem, topology, method("heavy-ball-ode"), 3); }),
      "--method heavy-ball-ode: the losses have no exact dual oracle (its theory asks for: f_i strongly "
      "convex; local minimisers, exact ones where f_i is not smooth). One of: dual-averaging, mspd, drs.");
  for (const Method& m : methods()) {
    Method told = m;
    if (m.about().meets.has(Demand::nonsmooth) && m.about().meets.has(Demand::no_dual_oracle))
      told.set("radius", "1").set("lipschitz", "2");
    const std::string complaint = message([&] { run_for(problem, topology, told, 3); });
    EXPECT_EQ(complaint == "no error", m.about().meets.includes({Demand::nonsmooth, Demand::no_dual_oracle}))
        << complaint;
  }
}

// ---- the optimum where curvature is flat ---------------------------------------------------------------

/// Targets far beyond delta: at zero the Hessian is zero, and says nothing of where the optimum is.
TEST(Flat, TheOptimumIsFoundWithoutCurvatureAtTheStart) {
  std::vector<Index> offsets;
  Dataset data = *make_data({.loss = LossKind::huber}, 4, offsets);
  data.labels.array() = 1000 + data.labels.array();
  const auto shared = std::make_shared<const Dataset>(std::move(data));
  std::vector<std::shared_ptr<const Loss>> losses;
  for (const auto& own : store_rows(shared, offsets))
    losses.push_back(make_loss(own, {.kind = LossKind::huber, .l2 = 0}));
  Threads threads;
  Problem problem{.losses = losses, .constants = constants_of(losses, {}, {}, threads)};
  problem.reference = solve_reference(losses, threads);
  const Topology topology = Topology::parse("cycle:4", "laplacian");
  const Result result = run_for(problem, topology, method("nids"), 3000);
  EXPECT_GT(result.trace.front().worst_suboptimality, 1);
  EXPECT_GT(result.trace.back().suboptimality, -1e-9 * problem.reference->value);
}

TEST(Flat, AutoTakesTheLossesWordWhereCurvatureJumps) {
  for (const LossKind kind : {LossKind::hinge, LossKind::quantile, LossKind::huber}) {
    const Problem problem = problem_of({.kind = kind, .l2 = 1e-2, .smoothing = 0.05}, 8);
    const Topology topology = Topology::parse("cycle:8", "laplacian");
    for (const char* name : {"auto", "ideal1"}) {
      SolveOptions options;
      options.watch = {.tol = 1e-8, .computations = 5000, .every = 10};
      EXPECT_EQ(simulate(problem, topology, method(name), options).status, Status::converged)
          << name << ' ' << to_string(kind);
    }
  }
}

TEST(Flat, ClassesThatLossesContradictAreRefused) {
  const Problem flat = problem_of({.kind = LossKind::huber, .l2 = 0}, 4);
  const Topology topology = Topology::parse("cycle:4", "laplacian");
  if (flat.constants.mu == 0) {
    EXPECT_THROW(run_for(flat, topology, with("dual-fgm", {{"class", "1"}, {"exact", "true"}}), 3),
                 InputError);
  }
  const Problem kinked = problem_of({.kind = LossKind::hinge, .l2 = 0.1}, 4);
  EXPECT_THROW(run_for(kinked, topology, with("dual-fgm", {{"class", "1"}}), 3), InputError);
  EXPECT_EQ(
      message([&] {
        run_for(kinked, topology, with("dual-fgm", {{"exact", "false"}}), 3);
      }),
      "--set exact=false: the losses are not smooth (local steps are 1/L long). Leave it out, or give a "
      "positive --smoothing.");
  EXPECT_EQ(message([&] {
              run_for(kinked, topology, with("heavy-ball-ode", {{"friction", "constant"}}), 3);
            }),
            "--set friction=constant: the losses are not smooth (it is made of the losses' smoothness). Use "
            "friction=fading.");
  const Result result = run_for(kinked, topology, method("dual-fgm"), 60);
  EXPECT_LT(result.trace.back().worst_suboptimality, 0.2 * result.trace.front().worst_suboptimality);
  for (const auto& [key, value, rule] :
       {std::array{"exact", "false", "local steps are 1/L long"},
        std::array{"strong", "true", "it is made of the losses' smoothness"}})
    EXPECT_EQ(message([&] {
                run_for(kinked, topology, with("spdstm", {{key, value}}), 3);
              }),
              fmt::format("--set {}={}: the losses are not smooth ({}). Leave it out, or give a positive "
                          "--smoothing.",
                          key, value, rule));
  const Result rolled = run_for(kinked, topology, method("heavy-ball-ode"), 400);
  EXPECT_LT(rolled.trace.back().worst_suboptimality, 0.02 * rolled.trace.front().worst_suboptimality);
}

/// The mean of (0.1, 0.1, 0.1) is above 0.1.
TEST(Boxes, TheMeanOfAgentsAtABoundIsInTheBox) {
  const Problem problem = problem_of({.kind = LossKind::ridge, .l2 = 1e-2}, 3, {.low = -0.1, .high = 0.1});
  const Topology topology = Topology::parse("cycle:3", "laplacian");
  const Result result = run_for(problem, topology, method("nids"), 50);
  for (const TraceRow& row : result.trace) ASSERT_TRUE(std::isfinite(row.suboptimality));
}

/// Without strong convexity a run that goes astray is noticed as soon as with it.
TEST(Flat, TheGuardWatchesAlsoWithoutStrongConvexity) {
  const Topology topology = Topology::parse("cycle:4", "laplacian");
  const Problem ridge = problem_of({.kind = LossKind::ridge, .l2 = 0}, 4);
  for (double mu : {0.0, ridge.constants.mu}) {
    Problem told = ridge;
    told.constants.mu = mu;
    const Result result = run_for(told, topology, with("nids", {{"step-scale", "3"}}), 200);
    EXPECT_FALSE(result.notes.empty()) << mu;
  }
}

}  // namespace
}  // namespace ideal::test
