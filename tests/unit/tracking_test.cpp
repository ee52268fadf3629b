// SPDX-License-Identifier: Apache-2.0
// How long a step gradient tracking bears: the proofs of docs/decisions/019 against eigenvalues of the
// iterations themselves, closed forms, and what is published.
#include "support/dense.hpp"
#include "support/message.hpp"
#include "support/quadratics.hpp"
#include "support/recorder.hpp"

#include <ideal/random.hpp>

#include <cmath>
#include <complex>
#include <numbers>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace ideal::test {
namespace {

using Matrix = Eigen::MatrixXd;
using Curvatures = std::vector<double>;

/// f_i(x) = (h_i/2) (x - i)^2.
Problem parabolas(const Curvatures& h) {
  std::vector<std::shared_ptr<const Loss>> losses;
  for (std::size_t i = 0; i < h.size(); ++i)
    losses.push_back(std::make_shared<Quadratic>(Block::Constant(1, 1, h[i]),
                                                 Vector::Constant(1, h[i] * static_cast<double>(i))));
  Threads threads;
  return {.losses = losses,
          .constants = constants_of(losses, {}, {}, threads),
          .reference = solve_reference(losses, threads)};
}

double resolved(const Result& result, const char* name) {
  return std::get<double>(result.parameters.at(name));
}

/// alpha L below which the method says that it converges.
double limit(const Topology& topology, const char* name) {
  const Problem problem = parabolas(Curvatures(static_cast<std::size_t>(topology.agents()), 1));
  return resolved(run_for(problem, topology, method(name), 1), "proven-below");
}

/// C of each step of a period.
std::vector<Matrix> links_of(const Topology& topology) {
  const Index n = topology.agents();
  const double s = topology.spectrum().averaging_scale();
  if (!topology.sequence()) return {Matrix::Identity(n, n) - s * Matrix(topology.weights())};
  std::vector<Matrix> C;
  for (const Links& step : topology.sequence()->in_turn())
    C.emplace_back(Matrix::Identity(n, n) - s * Matrix(step.M));
  return C;
}

/// The push-sum weights of a period that begins with step 0, after a long time.
Vector weights_at_rest(const std::vector<Matrix>& links) {
  Vector v = Vector::Ones(links[0].rows());
  for (int k = 0; k < 2000; ++k)
    for (const Matrix& C : links) v = C * v;
  return v;
}

/// The largest eigenvalue in absolute value of a period of the method's own iteration on parabolas, the
/// push-sum weights at rest, but for one that is always 1: what tracked gradients sum to less the gradients.
double left_after_a_period(const std::string& name, const std::vector<Matrix>& links, Vector v,
                           const Curvatures& h, double alpha) {
  const Index n = links[0].rows();
  const Matrix H = Eigen::Map<const Vector>(h.data(), n).asDiagonal(), I = Matrix::Identity(n, n);
  Matrix period = Matrix::Identity(2 * n, 2 * n);
  for (const Matrix& C : links) {
    const Vector next = C * v;
    const Matrix R = next.cwiseInverse().asDiagonal() * C * v.asDiagonal();
    const Matrix shares = next.cwiseInverse().asDiagonal();
    Matrix step(2 * n, 2 * n);
    if (name == "diging")
      step << R, -alpha * I, H * (R - I), R - alpha * H;
    else if (name == "push-diging")
      step << R, -alpha * R, shares * H * (R - I), R - alpha * shares * H * R;
    else
      step << R, -alpha * R, R * H * (R - I), R - alpha * R * H * R;
    period = step * period;
    v = next;
  }
  Eigen::VectorXcd lambda = eigenvalues(period);
  Index conserved = 0;
  (lambda.array() - 1.0).abs().minCoeff(&conserved);
  lambda[conserved] = 0;
  return lambda.cwiseAbs().maxCoeff();
}

Curvatures some_curvatures(Index n, std::uint64_t stream) {
  Random random(11, stream);
  Curvatures h(static_cast<std::size_t>(n));
  for (double& one : h) one = stream % 3 == 0 ? (random.uniform() < 0.5 ? 1 : 1e-3) : random.uniform() + 1e-3;
  h[static_cast<std::size_t>(random.uniform() * static_cast<double>(n))] = 1;
  for (double& one : h) one = std::min(one, 1.0);
  return h;
}

std::vector<Topology> networks_that_stay() {
  std::vector<Topology> all;
  for (const char* graph : {"cycle:8", "barbell:8", "grid:3x3", "star:6", "complete:5"})
    for (const char* mixing : {"laplacian", "metropolis", "lazy-metropolis"})
      all.push_back(Topology::parse(graph, mixing));
  // Each half hears only the other: an eigenvalue of W_DS near -1.
  std::vector<Graph::Edge> edges;
  for (Index i = 0; i < 6; ++i)
    for (Index j = 6; j < 12; ++j) edges.push_back({i, j});
  all.push_back(Topology::make(Graph(12, edges), "metropolis"));
  return all;
}

std::vector<Topology> networks_that_take_turns() {
  std::vector<Graph> halves, singles;
  std::vector<Graph::Edge> even, odd;
  for (Index i = 0; i < 6; ++i) (i % 2 == 0 ? even : odd).push_back({i, (i + 1) % 6});
  for (Index i = 0; i + 1 < 5; ++i) singles.emplace_back(5, std::vector<Graph::Edge>{{i, i + 1}});
  return {Topology::parse("periodic:cycle:6+star:6", "laplacian"),
          Topology::parse("periodic:cycle:6+star:6", "metropolis"),
          Topology::parse(GraphSequence::in_turn({Graph(6, even), Graph(6, odd)}), "metropolis"),
          Topology::parse(GraphSequence::in_turn({Graph(6, even), Graph(6, odd)}), "lazy-metropolis"),
          Topology::parse(GraphSequence::in_turn(singles), "laplacian")};
}

std::vector<Topology> directed_networks() {
  std::vector<Topology> all{Topology::parse("directed-cycle:6", "laplacian"),
                            Topology::parse("directed-cycle:9", "laplacian"),
                            Topology::parse("periodic:directed-cycle:6+star:6", "laplacian")};
  for (const int extra : {2, 6, 15}) {
    Random random(5, static_cast<std::uint64_t>(extra));
    std::vector<Arc> arcs;
    for (Index i = 0; i < 7; ++i) arcs.push_back({i, (i + 1) % 7});
    for (int k = 0; k < extra; ++k) {
      const Arc arc{static_cast<Index>(7 * random.uniform()), static_cast<Index>(7 * random.uniform())};
      if (arc.from != arc.to && std::ranges::find(arcs, arc) == arcs.end()) arcs.push_back(arc);
    }
    std::ranges::sort(arcs);
    all.push_back(Topology::parse(GraphSequence::directed(7, {arcs}), "laplacian"));
  }
  return all;
}

// ---- one undirected network ------------------------------------------------------------------------------

/// The lemma behind it: Re (z - 1)/(z - p)^2 is least at z = -1.
TEST(ProvenSteps, TheWorstFrequencyIsTheHighest) {
  for (double p = -0.99; p < 1; p += 0.01)
    for (double omega = 0; omega <= std::numbers::pi; omega += 0.003) {
      const std::complex<double> z = std::polar(1.0, omega);
      EXPECT_GE(std::real((z - 1.0) / ((z - p) * (z - p))), -2 / ((1 + p) * (1 + p)) * (1 + 1e-12)) << p;
    }
}

/// Nothing longer is safe for all losses: with equal parabolas it stops converging just there.
TEST(ProvenSteps, OnANetworkThatStaysAreTheLongestThereAre) {
  for (const Topology& topology : networks_that_stay())
    for (const char* name : {"diging", "atc-diging"}) {
      const auto C = links_of(topology);
      const Vector v = weights_at_rest(C);
      const Curvatures equal(static_cast<std::size_t>(topology.agents()), 1);
      const double most = limit(topology, name);
      EXPECT_LT(left_after_a_period(name, C, v, equal, 0.99 * most), 1) << name << ' ' << most;
      EXPECT_GT(left_after_a_period(name, C, v, equal, 1.01 * most), 1) << name << ' ' << most;
    }
}

TEST(ProvenSteps, AreSafeForAllCurvatures) {
  std::vector<Topology> all = networks_that_stay();
  std::ranges::copy(networks_that_take_turns(), std::back_inserter(all));
  std::ranges::copy(directed_networks(), std::back_inserter(all));
  double closest = 10;
  for (const Topology& topology : all)
    for (const char* name : {"diging", "push-diging", "atc-diging"}) {
      const Demands can = method(name).about().meets;
      if ((topology.directed() && !can.has(Demand::directed)) ||
          (topology.changes() && !can.has(Demand::time_varying)))
        continue;
      const auto C = links_of(topology);
      const Vector v = weights_at_rest(C);
      const double most = limit(topology, name);
      for (std::uint64_t stream = 0; stream < 12; ++stream) {
        const Curvatures h = some_curvatures(topology.agents(), stream);
        EXPECT_LT(left_after_a_period(name, C, v, h, 0.99 * most), 1) << name << ' ' << most;
        double unsafe = most;
        while (left_after_a_period(name, C, v, h, unsafe) < 1) unsafe *= 1.05;
        closest = std::min(closest, unsafe / most);
      }
    }
  EXPECT_LT(closest, 1.1) << "and not far too cautious";
}

/// Vectors, Hessians without common eigenvectors, losses that are not quadratic.
TEST(ProvenSteps, ReachTheOptimumOfAllLosses) {
  for (const LossKind loss : {LossKind::logistic, LossKind::ridge})
    for (const std::string& graph : five_graphs)
      for (const char* name : {"diging", "atc-diging", "push-diging"}) {
        const Topology topology = Topology::parse(graph, "metropolis");
        const Problem problem = make_problem({.loss = loss, .kappa = 10}, topology.agents());
        const double most = resolved(run_for(problem, topology, method(name), 1), "proven-below");
        SolveOptions options;
        options.watch = {.tol = 1e-10, .computations = 20000, .every = 10};
        const Result result =
            simulate(problem, topology, with(name, {{"step", fmt::format("{}", 0.99 * most)}}), options);
        EXPECT_EQ(result.status, Status::converged) << name << ' ' << graph;
        EXPECT_TRUE(result.notes.empty());
      }
}

// ---- networks that take turns, or go one way -------------------------------------------------------------

/// One graph in turn with itself is one graph.
TEST(ProvenSteps, ByFrequenciesAreThoseOfTheClosedForm) {
  for (const char* graph : {"cycle:7", "barbell:6", "star:5"})
    for (const char* mixing : {"laplacian", "metropolis", "max-degree"})
      for (const char* name : {"diging", "push-diging"}) {
        const Topology stays = Topology::parse(graph, mixing),
                       turns = Topology::parse(fmt::format("periodic:{0}+{0}", graph), mixing);
        EXPECT_NEAR(limit(turns, name), limit(stays, name), 1e-4 * limit(stays, name)) << graph << mixing;
      }
}

/// C of a directed cycle is normal: each of its eigenvalues p = (1 + e^it)/2 answers by itself.
TEST(ProvenSteps, OnADirectedCycleAreThoseOfItsEigenvalues) {
  for (const int n : {4, 8, 13}) {
    double worst = 0.5;
    for (int j = 1; j < n; ++j) {
      const std::complex<double> p = (1.0 + std::polar(1.0, 2 * std::numbers::pi * j / n)) / 2.0;
      for (double omega = -std::numbers::pi; omega <= std::numbers::pi; omega += 1e-4) {
        const std::complex<double> z = std::polar(1.0, omega);
        worst = std::max(worst, -std::real(p * (z - 1.0) / ((z - p) * (z - p))));
      }
    }
    EXPECT_NEAR(limit(Topology::parse(fmt::format("directed-cycle:{}", n), "laplacian"), "push-diging"),
                1 / worst, 1e-3 / worst)
        << n;
  }
}

// ---- edges that wake at random ---------------------------------------------------------------------------

/// Exactly, over all sets of edges that may be awake: how second moments of (x, s) change on parabolas. The
/// mean of s less that of the gradients is left out, as it stays zero.
double left_in_mean_square(const std::string& name, const Topology& topology, const Curvatures& h,
                           double alpha) {
  const Index n = topology.agents();
  const double s = topology.spectrum().averaging_scale(), awake = topology.sequence()->awake();
  const auto edges = topology.graph().edges();
  const Matrix I = Matrix::Identity(n, n), H = Eigen::Map<const Vector>(h.data(), n).asDiagonal(),
               W(topology.sequence()->in_turn()[0].M), J = Matrix::Constant(n, n, 1 / static_cast<double>(n));
  // s = s_perp + J H x: the mean is made of the gradients at each step.
  Matrix moments = Matrix::Zero(4 * n * n, 4 * n * n);
  for (unsigned set = 0; set < (1u << edges.size()); ++set) {
    Matrix P = I;
    double chance = 1;
    for (std::size_t e = 0; e < edges.size(); ++e) {
      const bool there = (set >> e & 1) != 0;
      chance *= there ? awake : 1 - awake;
      if (!there) continue;
      const auto [i, j] = std::pair{edges[e].a, edges[e].b};
      const double weight = -s * W(i, j);
      P(i, i) -= weight;
      P(j, j) -= weight;
      P(i, j) += weight;
      P(j, i) += weight;
    }
    const Matrix adapt = name == "diging" ? I : P;
    Matrix tracked(n, 2 * n), next(2 * n, 2 * n);
    tracked << J * H, I - J;
    next.topRows(n) << P, Matrix::Zero(n, n);
    next.topRows(n) -= alpha * adapt * tracked;
    Matrix X(n, 2 * n);
    X << I, Matrix::Zero(n, n);
    next.bottomRows(n) = (I - J) * (P * tracked + H * (next.topRows(n) - X));
    for (Index r = 0; r < 2 * n; ++r)
      for (Index c = 0; c < 2 * n; ++c)
        moments.block(r * 2 * n, c * 2 * n, 2 * n, 2 * n) += chance * next(r, c) * next;
  }
  return eigenvalues(moments).cwiseAbs().maxCoeff();
}

TEST(ProvenSteps, HoldInMeanSquareWhereEdgesWakeAtRandom) {
  for (const char* graph : {"awake:0.3:cycle:5", "awake:0.6:star:5", "awake:0.2:line:4",
                            "awake:0.5:complete:3", "awake:0.2:line:2"})
    for (const char* name : {"diging", "push-diging"}) {
      const Topology topology = Topology::parse(graph, "laplacian", 3);
      const double most = limit(topology, name);
      const double gap = topology.spectrum().averaging_scale() * topology.sequence()->awake() *
                         symmetric_eigenvalues(Block(topology.sequence()->in_turn()[0].M))[1];
      EXPECT_GT(most, 0.7 * gap) << graph << ' ' << name << ": as the page says";
      for (std::uint64_t stream = 0; stream < 6; ++stream) {
        const Curvatures h = some_curvatures(topology.agents(), stream);
        EXPECT_LT(left_in_mean_square(name, topology, h, 0.99 * most), 1) << graph << ' ' << name;
      }
    }
}

/// Also where no single graph is connected: then by a gain over several steps.
TEST(ProvenSteps, ReachTheOptimumWhereEdgesWakeAtRandom) {
  std::vector<Graph::Edge> even{{0, 1}, {2, 3}, {4, 5}}, odd{{1, 2}, {3, 4}, {5, 0}};
  const Topology apart = Topology::parse(
      GraphSequence::in_turn({Graph(6, even), Graph(6, odd)}).awake(0.8, 5), "lazy-metropolis");
  const Topology topologies[] = {apart, Topology::parse("awake:0.5:grid:2x3", "laplacian", 3),
                                 Topology::parse("awake:0.7:periodic:cycle:6+star:6", "metropolis", 3)};
  for (const Topology& topology : topologies)
    for (const char* name : {"diging", "push-diging"}) {
      const double most = limit(topology, name);
      EXPECT_GT(most, 0);
      for (std::uint64_t stream = 0; stream < 3; ++stream) {
        const Problem problem = parabolas(some_curvatures(6, stream));
        const Method m = with(name, {{"step", fmt::format("{}", 0.99 * most / problem.constants.L)}});
        SolveOptions options;
        options.watch = {.tol = 1e-10, .computations = 200000, .every = 50};
        EXPECT_EQ(simulate(problem, topology, m, options).status, Status::converged) << name << ' ' << most;
      }
    }
}

/// Where there is no proof the run says so.
TEST(ProvenSteps, WhereThereAreNoneARunSaysSo) {
  const Problem problem = parabolas(Curvatures(6, 1));
  const Topology proven = Topology::parse("directed-cycle:6", "laplacian"),
                 unproven = Topology::parse("awake:0.5:directed-cycle:6", "laplacian", 2);
  EXPECT_TRUE(run_for(problem, proven, method("push-diging"), 2).notes.empty());
  const Result result = run_for(problem, unproven, method("push-diging"), 2);
  ASSERT_EQ(result.notes.size(), 1u);
  EXPECT_NE(result.notes[0].find("No theorem"), std::string::npos) << result.notes[0];
  EXPECT_FALSE(result.parameters.contains("proven-below"));
}

// ---- defaults --------------------------------------------------------------------------------------------

/// On equal parabolas of curvatures h the slowest root is the mean's, 1 - alpha mu, or that of the slowest
/// eigenvalue, about 1 - (1 - sigma)^2/(alpha L): the default balances the two where networks are poor.
TEST(ProvenSteps, DefaultsAreShortOnPoorNetworksAndThatPays) {
  const Topology poor = Topology::parse("cycle:20", "laplacian");
  const double gap = poor.spectrum().lambda_min / poor.spectrum().lambda_max;
  const Problem problem = make_problem({.loss = LossKind::ridge, .kappa = 30, .partition = "shuffled"}, 20);
  for (const char* name : {"diging", "atc-diging", "push-diging"}) {
    const Result result = run_for(problem, poor, method(name), 1);
    EXPECT_NEAR(resolved(result, "step"), gap * std::sqrt(30) / problem.constants.L, 1e-9) << name;
    const auto needs = [&](double step) {
      SolveOptions options;
      options.watch = {.tol = 1e-8, .computations = 20000, .every = 1};
      const Result run = simulate(problem, poor, with(name, {{"step", fmt::format("{}", step)}}), options);
      return run.trace.back().meter.computations;
    };
    EXPECT_LT(1.3 * needs(resolved(result, "step")), needs(0.8 * resolved(result, "proven-below"))) << name;
  }
}

/// The rate of the registry: max(kappa_f, sqrt(kappa_f)/(1 - sigma)), up to a factor of 2.5, for equal
/// quadratics.
TEST(ProvenSteps, DefaultsKeepTheRateOfTheRegistry) {
  for (const char* graph : {"cycle:20", "barbell:12", "grid:3x3", "complete:5"})
    for (const double kappa : {10.0, 100.0, 3000.0})
      for (const char* name : {"diging", "atc-diging", "push-diging"}) {
        const Topology topology = Topology::parse(graph, "laplacian");
        const auto C = links_of(topology);
        const Vector v = weights_at_rest(C);
        const double gap = topology.spectrum().lambda_min / topology.spectrum().lambda_max;
        const double share = std::min(0.8 * limit(topology, name), gap * std::sqrt(kappa));
        double slowest = 0;
        for (int j = 0; j <= 40; ++j) {
          const Curvatures h(static_cast<std::size_t>(topology.agents()), std::pow(kappa, -j / 40.0));
          slowest = std::max(slowest, left_after_a_period(name, C, v, h, share));
        }
        EXPECT_LT(-1 / std::log(slowest), 2.5 * std::max(kappa, std::sqrt(kappa) / gap))
            << name << ' ' << graph << ' ' << kappa;
      }
}

TEST(MeasuredSteps, AreThoseOfTheRegistryAndReachTheOptimum) {
  const auto step = [](const Topology& topology, const char* name) {
    const Problem problem = make_problem({.kappa = 20}, topology.agents());
    const Method m = with(name, {{"theory", "measured"}});
    SolveOptions options;
    options.watch = {.tol = 1e-10, .computations = 60000, .every = 20};
    const Result result = simulate(problem, topology, m, options);
    EXPECT_EQ(result.status, Status::converged) << name;
    EXPECT_TRUE(result.notes.empty()) << "it was asked for";
    return resolved(result, "step") * problem.constants.L;
  };
  for (const std::string& graph : five_graphs)
    EXPECT_NEAR(step(Topology::parse(graph, "laplacian"), "diging"), 0.4, 1e-9) << graph;
  for (const Topology& topology : networks_that_take_turns())
    EXPECT_NEAR(step(topology, "diging"), 0.4 * (1 - topology.averaging()->factor), 1e-9);
  for (const Topology& topology : directed_networks()) {
    const double gap = 1 - topology.averaging()->factor;
    EXPECT_NEAR(step(topology, "push-diging"),
                std::min({0.4, 2 * gap * gap, topology.averaging()->least_weight / 2}), 1e-9);
  }
}

// ---- as published ----------------------------------------------------------------------------------------

double published_step(const Problem& problem, const Topology& topology, const char* name) {
  return resolved(run_for(problem, topology, with(name, {{"theory", "published"}}), 1), "step");
}

/// The step for which Theorems 10 and 18 promise the most: (1 - a)^(1/2B), a = alpha mu/1.5, gets better with
/// alpha, and (sqrt(a J) + delta)^(1/B), which is above it for longer steps, worse.
double step_of_best_rate(double J, double delta, double mu) {
  double shorter = 0, longer = 1;
  for (int k = 0; k < 200; ++k) {
    const double a = (shorter + longer) / 2;
    (std::sqrt(a * J) + delta < std::sqrt(1 - a) ? shorter : longer) = a;
  }
  return 1.5 * shorter / mu;
}

TEST(PublishedSteps, AreThoseOfQuAndLi) {
  const Problem problem = make_problem({.kappa = 20}, 6);
  const double L = problem.constants.L, mu = problem.constants.mu;
  const Topology cycle = Topology::parse("cycle:6", "metropolis");
  const double gap = cycle.spectrum().lambda_min;  // of W_DS = I - W, whose other end is further from -1
  EXPECT_NEAR(published_step(problem, cycle, "diging"), mu / (L * L) * gap * gap / 36, 1e-12);
}

/// J = 3 kappa B^2 (1 + 4 sqrt(n kappa)), with the best B.
TEST(PublishedSteps, AreThoseOfTheorem10) {
  for (const double condition : {1.5, 20.0})
    for (const Topology& topology : networks_that_take_turns()) {
      if (topology.agents() != 6) continue;
      const Problem problem = make_problem({.kappa = condition}, 6);
      const double L = problem.constants.L, mu = problem.constants.mu, kappa = L / mu, n = 6;
      const auto C = links_of(topology);
      double longest = 0, open_end = 0;
      for (int B = 1; B <= 20; ++B) {
        double delta = 0;
        for (int first = 0; first < 2; ++first) {
          Matrix product = Matrix::Identity(6, 6);
          for (int k = 0; k < B; ++k) product = C[static_cast<std::size_t>(first + k) % 2] * product;
          product.array() -= 1 / n;
          delta = std::max(delta, std::sqrt(symmetric_eigenvalues(product.transpose() * product).maxCoeff()));
        }
        const double J = 3 * kappa * B * B * (1 + 4 * std::sqrt(n * kappa));
        longest = std::max(longest, step_of_best_rate(J, delta, mu));
        open_end = std::max(open_end, 1.5 * (1 - delta) * (1 - delta) / (mu * J));
      }
      EXPECT_NEAR(published_step(problem, topology, "diging"), longest, 1e-9 * longest);
      EXPECT_LT(longest, (1 - 1e-6) * open_end) << "where the theorem promises nothing";
      EXPECT_LT(longest, limit(topology, "diging") / L) << "proven here, too";
    }
}

/// Of the push-sum weights, over very many steps.
double least_weight_seen(const Topology& topology) {
  Vector v = Vector::Ones(topology.agents());
  double least = 1;
  for (int k = 0; k < 2000; ++k)
    for (const Matrix& C : links_of(topology)) {
      v = C * v;
      least = std::min(least, v.minCoeff());
    }
  return least;
}

/// The longest of all B, as it is printed.
double step_of_theorem_18(double n, double graphs, double least_weight, double mu, double kappa) {
  const double B0 = 2 * graphs - 1, tau = std::pow(std::pow(n, -(2 + n * B0)), n * B0);
  const double Q1 = 2 * n * (1 + 1 / tau) / (1 - tau);
  double longest = 0;
  for (double B = 2; B < 1e30; B = std::ceil(1.001 * B)) {
    const double delta = Q1 * std::exp((B - 1) / (n * B0) * std::log1p(-tau));
    if (delta >= 1) continue;
    const double J = 3 * Q1 / least_weight * kappa * B * (delta + Q1 * (B - 1)) * (1 + std::sqrt(n)) *
                     (1 + 4 * std::sqrt(n * kappa));
    longest = std::max(longest, 1.5 * (1 - delta) * (1 - delta) / (mu * J));  // J is more than 1e12
  }
  return longest;
}

/// Two agents that tell each other in turn have weights of 1/2 at first and of 2/3 at least later on.
TEST(PublishedSteps, AreThoseOfTheorem18) {
  const Arc there{0, 1}, back{1, 0};
  const Topology in_turn = Topology::parse(GraphSequence::directed(2, {{there}, {back}}), "laplacian");
  EXPECT_EQ(least_weight_seen(in_turn), 0.5);
  const Topology hub =
      Topology::parse(GraphSequence::directed(3, {{{0, 1}, {0, 2}, {1, 0}, {2, 0}}}), "laplacian");
  const Topology uneven =
      Topology::parse(GraphSequence::directed(4, {{{0, 1}, {1, 2}, {2, 3}, {3, 0}, {1, 0}}}), "laplacian");
  for (const Topology& topology : {Topology::parse("directed-cycle:2", "laplacian"),
                                   Topology::parse("directed-cycle:3", "laplacian"), in_turn, hub, uneven}) {
    const Problem problem = make_problem({.kappa = 20}, topology.agents());
    const double ours = published_step(problem, topology, "push-diging"), mu = problem.constants.mu,
                 longest = step_of_theorem_18(static_cast<double>(topology.agents()),
                                              static_cast<double>(topology.sequence()->in_turn().size()),
                                              least_weight_seen(topology), mu, problem.constants.L / mu);
    EXPECT_LT(ours, (1 + 1e-5) * longest) << topology.agents();
    EXPECT_GT(ours, 0.997 * longest) << topology.agents();
  }
}

TEST(PublishedSteps, ReachTheOptimumWhereTheyMove) {
  const Problem problem = make_problem({.loss = LossKind::ridge, .kappa = 2}, 5);
  SolveOptions options;
  options.watch = {.tol = 1e-6, .computations = 40000, .every = 100};
  for (const char* graph : {"complete:5", "periodic:complete:5+star:5"}) {
    const Topology topology = Topology::parse(graph, "laplacian");
    EXPECT_EQ(simulate(problem, topology, with("diging", {{"theory", "published"}}), options).status,
              Status::converged)
        << graph;
  }
}

/// Theorem 18 has n^(2 + nB) in its constants.
TEST(PublishedSteps, OfPushSumAreTooShortAndSaySo) {
  const Problem two = make_problem({}, 2), twenty = make_problem({}, 20);
  const Topology pair = Topology::parse("directed-cycle:2", "laplacian"),
                 many = Topology::parse("directed-cycle:20", "laplacian");
  EXPECT_LT(published_step(two, pair, "push-diging") * two.constants.L, 1e-12);
  EXPECT_TRUE(run_for(two, pair, method("push-diging"), 1).parameters.contains("published-step"));
  EXPECT_NE(message([&] { published_step(twenty, many, "push-diging"); }).find("Theorem 18"),
            std::string::npos);
  EXPECT_FALSE(run_for(twenty, many, method("push-diging"), 1).parameters.contains("published-step"))
      << "which would be zero";
}

/// What a theorem does not speak of has no step by it, and none is told.
TEST(PublishedSteps, AreRefusedWhereTheirTheoremsDoNotApply) {
  const auto refused = [](const GraphSequence& graphs, const char* name, const char* reason) {
    const Topology topology = Topology::parse(graphs, "laplacian");
    const Problem problem = make_problem({}, topology.agents());
    EXPECT_NE(message([&] { published_step(problem, topology, name); }).find(reason), std::string::npos)
        << name << ' ' << reason;
    EXPECT_FALSE(run_for(problem, topology, method(name), 1).parameters.contains("published-step"))
        << name << ' ' << reason;
  };
  for (const char* graph : {"cycle:6", "periodic:cycle:6+star:6"})
    refused(GraphSequence::parse(graph, 3), "push-diging", "shares evenly");
  for (const char* name : {"diging", "push-diging"})
    refused(GraphSequence::parse("awake:0.5:cycle:6", 3), name, "wake at random");
  refused(GraphSequence::parse("awake:0.5:directed-cycle:6", 3), "push-diging", "wake at random");
  refused(GraphSequence::directed(1, {{}}), "push-diging", "a single agent");
}

}  // namespace
}  // namespace ideal::test
