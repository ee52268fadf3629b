// SPDX-License-Identifier: Apache-2.0
// Further methods of the field against independent truths: their published lists with dense matrices, closed
// forms on quadratics, and the methods they become in special cases.
#include "support/dense.hpp"
#include "support/quadratics.hpp"
#include "support/recorder.hpp"
#include "support/sanitized.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

namespace ideal::test {
namespace {

/// W_DS as a dense matrix.
Block averaging_matrix(const Topology& topology) {
  const double lambda_max = topology.spectrum().lambda_max, s = lambda_max < 2 ? 1 : 1 / lambda_max;
  return Block::Identity(topology.agents(), topology.agents()) - s * Block(topology.weights());
}

Block start_of(const Problem& problem, const Topology& topology) {
  return Block::Zero(problem.losses[0]->dimension(), topology.agents());
}

/// Without the tracked gradient: X_2 = 2 W X_1 - W^2 X_0 - alpha (g_1 - g_0), the last term behind W^2 if
/// agents adapt before they combine.
TEST(GradientTracking, IsItsSecondOrderRecursion) {
  for (const auto& [graph, mixing] : three_networks)
    for (const bool adapt_first : {false, true}) {
      const Topology topology = Topology::parse(graph, mixing);
      const Problem problem = make_problem({}, topology.agents());
      const double alpha = 0.02 / problem.constants.L;
      const Block P = averaging_matrix(topology), PP = product(P, P), X0 = start_of(problem, topology);
      const Block last = adapt_first ? PP : Block::Identity(P.rows(), P.cols());
      const Block g0 = gradient(problem, X0);
      std::vector<Block> X{
          X0, adapt_first ? Block(product(X0 - alpha * g0, P)) : Block(product(X0, P) - alpha * g0)};
      Block g_prev = g0;
      for (std::size_t k = 1; k < 80; ++k) {
        const Block g = gradient(problem, X[k]);
        X.push_back(2 * product(X[k], P) - product(X[k - 1], PP) - alpha * product(g - g_prev, last));
        g_prev = g;
      }
      const Method m = with(adapt_first ? "atc-diging" : "diging", {{"step", text(alpha)}});
      EXPECT_LT(difference(record(problem, topology, m, 80).X, X, 81), 1e-11) << graph << ' ' << adapt_first;
    }
}

TEST(GradientTracking, TracksTheMeanGradient) {
  const Topology topology = Topology::parse("barbell:8", "metropolis");
  const Problem problem = make_problem({}, 8);
  constexpr std::size_t S = 1, G = 2;  // positions in the kept state
  for (const char* name : {"diging", "atc-diging", "sonata"})
    for (const Checkpoint& state : record(problem, topology, method(name), 300).states) {
      const Block &tracked = std::get<Block>(state.state[S]), &gradients = std::get<Block>(state.state[G]);
      ASSERT_LT((tracked - gradients).rowwise().mean().norm(), 1e-13 * (1 + gradients.norm())) << name;
    }
}

TEST(AtcDiging, WithStepsOfTheirOwnAgentsReachTheCommonOptimum) {
  const Topology topology = Topology::parse("cycle:6", "laplacian");
  std::vector<std::shared_ptr<const Loss>> losses;
  for (Index i = 0; i < 6; ++i) {
    const double L = i % 2 == 0 ? 10 : 4;
    losses.push_back(
        std::make_shared<Quadratic>(Block(Vector::LinSpaced(3, 1, L).asDiagonal()), Vector::Unit(3, i % 3)));
  }
  Threads threads;
  const Problem problem{.losses = losses,
                        .constants = constants_of(losses, {}, {}, threads),
                        .reference = solve_reference(losses, threads)};
  SolveOptions options;
  options.watch = {.tol = 1e-12, .computations = 5000};
  const Result result = simulate(problem, topology, with("atc-diging", {{"steps", "own"}}), options);
  EXPECT_EQ(result.status, Status::converged);
  EXPECT_GT(difference(record(problem, topology, with("atc-diging", {{"steps", "own"}}), 5).X,
                       record(problem, topology, method("atc-diging"), 5).X, 6),
            0.01)
      << "steps do differ";
}

TEST(AtcDiging, WithStepsOfTheirOwnAgentsReachTheOptimumOnFiveGraphs) {
  for (const LossKind loss : {LossKind::logistic, LossKind::ridge})
    for (const std::string& graph : five_graphs) {
      const Topology topology = Topology::parse(graph, "laplacian");
      const Problem problem = make_problem({.loss = loss}, topology.agents());
      SolveOptions options;
      options.watch = {.tol = 1e-10, .computations = 40000, .every = 5};
      const Result result = simulate(problem, topology, with("atc-diging", {{"steps", "own"}}), options);
      EXPECT_EQ(result.status, Status::converged) << graph << ' ' << result.trace.back().worst_suboptimality;
      EXPECT_LT((result.X.colwise() - problem.reference->x).norm(), 1e-3) << graph;
    }
}

TEST(AtcDiging, AnAgentsOwnStepIsThatOfItsOwnSmoothness) {
  const Topology topology = Topology::parse("barbell:6", "metropolis");
  std::vector<std::shared_ptr<const Loss>> losses;
  Vector steps(6);
  for (Index i = 0; i < 6; ++i) {
    const auto L = static_cast<double>(2 + (3 * i) % 7);  // no two alike
    losses.push_back(
        std::make_shared<Quadratic>(Block(Vector::LinSpaced(3, 1, L).asDiagonal()), Vector::Unit(3, i % 3)));
    steps[i] = 1 / L;
  }
  Threads threads;
  const Problem problem{
      .losses = losses, .constants = constants_of(losses, {}, {}, threads), .reference = {}};
  const auto ours = record(problem, topology, with("atc-diging", {{"steps", "own"}}), 60).X;

  const Block P = Block::Identity(6, 6) - Block(topology.weights());
  Block X = Block::Zero(3, 6), G = gradient(problem, X), S = G;
  // Its first step tells the common factor of all.
  const double share = ours[1].norm() / product(S * steps.asDiagonal(), P).norm();
  std::vector<Block> dense{X};
  for (int k = 0; k < 60; ++k) {
    X = product(X - share * S * steps.asDiagonal(), P);
    const Block G_next = gradient(problem, X);
    S = product(S + G_next - G, P);
    G = G_next;
    dense.push_back(X);
  }
  EXPECT_LT(difference(ours, dense, 61), 1e-11);
  EXPECT_GT(share, 0.1);
}

/// With its surrogates minimised exactly, and a proximal term, on agents that differ.
TEST(Sonata, IsThePublishedListing) {
  const Topology topology = Topology::parse("barbell:6", "metropolis");
  const Quadratics f(6, 3, 10, 9);
  const Problem problem = f.problem();
  const double tau = 2.5, gamma = 0.3;
  const Block P = Block::Identity(6, 6) - Block(topology.weights());
  Block X = Block::Zero(3, 6), G = gradient(problem, X), S = G;
  std::vector<Block> dense{X};
  for (int k = 0; k < 40; ++k) {
    const Block best = f.minimise_augmented(S - G - tau * X, tau, Block::Identity(6, 6));
    X = product(X + gamma * (best - X), P);
    const Block G_next = gradient(problem, X);
    S = product(S + G_next - G, P);
    G = G_next;
    dense.push_back(X);
  }
  const Method m = with("sonata", {{"exact", "true"}, {"proximal", text(tau)}, {"step", text(gamma)}});
  auto ours = record(problem, topology, m, 80).outer();
  ours.insert(ours.begin(), Block::Zero(3, 6));
  EXPECT_LT(difference(ours, dense, 40), 1e-10);
}

TEST(Sonata, WithOneLocalStepIsAtcDiging) {
  for (const auto& [graph, mixing] : three_networks) {
    const Topology topology = Topology::parse(graph, mixing);
    const Problem problem = make_problem({}, topology.agents());
    const double tau = 0.5, gamma = 0.05;
    const auto sonata = record(
        problem, topology, with("sonata", {{"T", "1"}, {"proximal", text(tau)}, {"step", text(gamma)}}), 80);
    const auto atc = record(problem, topology,
                            with("atc-diging", {{"step", text(gamma / (problem.constants.L + tau))}}), 80);
    EXPECT_LT(difference(sonata.X, atc.X, 81), 1e-11) << graph;
  }
}

/// On equal parabolas it is ATC-DIGing with L/(L + proximal) for alpha L, and so are its limits: 2, or (1 +
/// p)^2/(2 p^2) where averaging has an eigenvalue p < -1/3.
TEST(Sonata, OnEqualParabolasBearsWhatAtcDigingBears) {
  std::vector<Graph::Edge> edges;
  for (Index i = 0; i < 5; ++i)
    for (Index j = 5; j < 10; ++j) edges.push_back({i, j});
  const Topology topologies[] = {Topology::make(Graph(10, edges), "metropolis"),
                                 Topology::parse("barbell:6", "lazy-metropolis")};
  for (const Topology& topology : all_or_first(topologies)) {
    const Index n = topology.agents();
    std::vector<std::shared_ptr<const Loss>> losses;
    for (Index i = 0; i < n; ++i)
      losses.push_back(
          std::make_shared<Quadratic>(Block::Constant(1, 1, 3), Vector::Constant(1, static_cast<double>(i))));
    Threads threads;
    const Problem problem{.losses = losses,
                          .constants = constants_of(losses, {}, {}, threads),
                          .reference = solve_reference(losses, threads)};
    const double p = 1 - topology.spectrum().lambda_max, tau = 2, share = 3 / (3 + tau);
    const double limit = p < -1.0 / 3 ? (1 + p) * (1 + p) / (2 * p * p) : 2;
    const auto ends = [&](double gamma) {
      return run_for(problem, topology,
                     with("sonata", {{"exact", "true"}, {"proximal", text(tau)}, {"step", text(gamma)}}),
                     40000, 50);
    };
    EXPECT_LT((ends(0.98 * limit / share).X.colwise() - problem.reference->x).norm(), 1e-6) << p;
    EXPECT_EQ(ends(1.02 * limit / share).status, Status::diverged) << p;
    EXPECT_LT(std::get<double>(run_for(problem, topology, method("sonata"), 1).parameters.at("step")),
              limit * 2)
        << "gamma L/(L + L)";
  }
}

TEST(Sonata, OfEqualAgentsMinimisesAtOnce) {
  const Topology topology = Topology::parse("cycle:6", "laplacian");
  Problem problem = make_problem({}, 6);
  std::ranges::fill(problem.losses, problem.losses[0]);
  const auto X =
      record(problem, topology, with("sonata", {{"exact", "true"}, {"proximal", "0"}, {"step", "1"}}), 2)
          .outer();
  Vector best = Vector::Zero(X[0].rows());
  newton(*problem.losses[0], best);
  EXPECT_LT((X[0].colwise() - best).norm(), 1e-10);
}

TEST(DistributedNesterov, BothMethodsAreTheirListings) {
  for (const auto& [graph, mixing] : three_networks) {
    const Topology topology = Topology::parse(graph, mixing);
    const Problem problem = make_problem({}, topology.agents());
    const double L = problem.constants.L;
    const Block P = averaging_matrix(topology), I = Block::Identity(P.rows(), P.cols());
    const Vector lambda = symmetric_eigenvalues(P);
    const Index n = lambda.size();
    const double sigma = std::max(std::abs(lambda[0]), std::abs(lambda[n - 2]));

    const Block P_lazy = lambda[0] < -1e-9 ? Block((I + P) / 2) : P;
    Block X = start_of(problem, topology), Y = X;
    std::vector<Block> iterates{X};
    for (int k = 0; k < 60; ++k) {
      const Block next = product(Y, P_lazy) - 1 / (2 * L * (k + 1)) * gradient(problem, Y);
      Y = next + k / (k + 3.0) * (next - X);
      iterates.push_back(X = next);
    }
    EXPECT_LT(difference(record(problem, topology, method("dng"), 60).X, iterates, 61), 1e-11) << graph;

    const auto averaged = [&](Block Z, double logarithm) {
      const int rounds = static_cast<int>(std::ceil(logarithm / -std::log(sigma)));
      for (int r = 0; r < rounds; ++r) Z = product(Z, P);
      return Z;
    };
    X = Y = start_of(problem, topology);
    iterates = {X};
    for (int k = 1; k <= 40; ++k) {
      const Block next = averaged(Y - gradient(problem, Y) / (2 * L), 2 * std::log(k));
      Y = averaged(next + (k - 1) / (k + 2.0) * (next - X), std::log(3) + 2 * std::log(k));
      iterates.push_back(X = next);
    }
    EXPECT_LT(difference(record(problem, topology, method("dnc"), 40).X, iterates, 41), 1e-11) << graph;
  }
}

/// f(x_k) - f* = O(1/k^2): sixteen times as many iterations leave at most some 1/256 of the gap.
TEST(DistributedNesterov, WithGrowingConsensusFallsAsTheSquareOfTheIterations) {
  const Topology topology = Topology::parse("cycle:6", "laplacian");
  const Problem problem = make_problem({.kappa = 5000}, 6);
  const auto gap = [&](double iterations) {
    return run_for(problem, topology, method("dnc"), iterations).trace.back().worst_suboptimality;
  };
  EXPECT_LT(gap(320), gap(20) / 100);
}

TEST(DualAveraging, IsItsListingAndReportsTheMeanOfItsIterates) {
  for (const auto& [graph, mixing] : three_networks) {
    const Topology topology = Topology::parse(graph, mixing);
    const Problem problem = make_problem({}, topology.agents());
    const Block P = averaging_matrix(topology);
    Block X = start_of(problem, topology), Z = X, sum = X;
    std::vector<Block> means{X};
    for (int k = 1; k <= 80; ++k) {
      Z = product(Z, P) + gradient(problem, X);
      X = -0.3 / std::sqrt(k) * Z;
      sum += X;
      means.push_back(sum / k);
    }
    EXPECT_LT(
        difference(record(problem, topology, with("dual-averaging", {{"step", "0.3"}}), 80).X, means, 81),
        1e-11)
        << graph;
  }
}

/// ADMM with a variable and two multipliers an edge, as the method is derived: x_i = z_e = x_j.
TEST(Dadmm, IsAdmmWithVariablesOnTheEdges) {
  for (const char* graph : {"barbell:6", "star:5", "cycle:5"}) {
    const Topology topology = Topology::parse(graph, "laplacian");
    const Index n = topology.agents(), d = 3;
    const Quadratics f(n, d, 30, 6);
    const Problem problem = f.problem();
    const double rho = 2, c = 2 * rho;
    const auto edges = topology.graph().edges();

    Block X = Block::Zero(d, n);
    std::vector<Block> multipliers(edges.size(), Block::Zero(d, 2)), iterates;
    std::vector<Vector> z(edges.size(), Vector::Zero(d));
    for (int k = 0; k < 30; ++k) {
      Block linear = Block::Zero(d, n);
      Vector degree = Vector::Zero(n);
      for (std::size_t e = 0; e < edges.size(); ++e)
        for (const int end : {0, 1}) {
          const Index i = end == 0 ? edges[e].a : edges[e].b;
          linear.col(i) += multipliers[e].col(end) - c * z[e];
          degree[i] += 1;
        }
      X = f.minimise_augmented(linear, c, Block(degree.asDiagonal()));
      for (std::size_t e = 0; e < edges.size(); ++e) {
        z[e] = (X.col(edges[e].a) + X.col(edges[e].b)) / 2;
        multipliers[e].col(0) += c * (X.col(edges[e].a) - z[e]);
        multipliers[e].col(1) += c * (X.col(edges[e].b) - z[e]);
      }
      iterates.push_back(X);
    }
    const auto ours = record(problem, topology, with("dadmm", {{"exact", "true"}, {"rho", text(rho)}}), 30);
    EXPECT_LT(difference(ours.outer(), iterates, 30), 1e-9) << graph;
  }
}

/// Equal quadratics on a regular graph: curvature h and eigenvalue lambda have the roots of z^2 - (1 + 2 b (d
/// - lambda)) z + b (2 d - lambda), b = rho/(h + 2 rho d), and none is slower than 2 sqrt(kappa_f kappa_W).
TEST(Dadmm, KeepsItsRateOnEqualQuadratics) {
  for (const auto& [graph, degree] : {std::pair{"cycle:9", 2.0}, {"torus:3x4", 4.0}, {"complete:5", 4.0}})
    for (const double kappa : {10.0, 300.0}) {
      const Topology topology = Topology::parse(graph, "laplacian");
      const Index n = topology.agents();
      std::vector<std::shared_ptr<const Loss>> losses;
      for (Index i = 0; i < n; ++i)
        losses.push_back(std::make_shared<Quadratic>(Block(Vector::LinSpaced(3, 1, kappa).asDiagonal()),
                                                     Vector::Constant(3, static_cast<double>(i * i % 5))));
      Threads threads;
      const Problem problem{.losses = losses,
                            .constants = constants_of(losses, {}, {}, threads),
                            .reference = solve_reference(losses, threads)};
      const Method m = with("dadmm", {{"exact", "true"}});
      const double rho = std::get<double>(run_for(problem, topology, m, 1).parameters.at("rho"));
      double slowest = 0;
      for (const double lambda : symmetric_eigenvalues(Block(topology.weights())))
        for (const double h : Vector::LinSpaced(3, 1, kappa)) {
          const double b = rho / (h + 2 * rho * degree), half = (1 + 2 * b * (degree - lambda)) / 2,
                       product = b * (2 * degree - lambda), discriminant = half * half - product;
          const bool mean = lambda < 1e-9;  // whose other root is the constant dual variables of zero
          slowest = std::max(slowest, mean               ? product
                                      : discriminant < 0 ? std::sqrt(product)
                                                         : std::abs(half) + std::sqrt(discriminant));
        }
      const double needed = -1 / std::log(slowest);
      EXPECT_LT(needed, 2 * std::sqrt(kappa * topology.spectrum().kappa())) << graph << ' ' << kappa;

      const auto X = record(problem, topology, m, 1200).X;
      const auto error = [&](std::size_t k) { return (X[k].colwise() - problem.reference->x).norm(); };
      const auto first = static_cast<std::size_t>(4 * needed), last = 2 * first;
      ASSERT_LT(last, X.size());
      EXPECT_NEAR(-4 * needed / std::log(error(last) / error(first)), needed, 0.1 * needed)
          << graph << ' ' << kappa << ": the roots are those of the method";
    }
}

/// Theorem 1 of Shi et al. (2014): rho |z - z*|^2 + |b - b*|^2/rho shrinks by 1 + delta in every step, z the
/// means of the ends of arcs and b their multipliers, where delta = min((m - 1)/(m kappa_G^2), mu/(rho plus/2
/// + m L^2/(2 rho lambda_min))) for any m > 1, plus >= lambda_max(2 D - W), kappa_G^2 = plus/lambda_min.
TEST(Dadmm, KeepsItsPublishedRate) {
  for (const char* graph : {"barbell:6", "star:5", "cycle:6", "complete:5", "line:7"})
    for (const double kappa : {2.0, 30.0}) {
      const Topology topology = Topology::parse(graph, "laplacian");
      const Index n = topology.agents(), d = 3;
      const Quadratics f(n, d, kappa, 6);
      const Problem problem = f.problem();
      const double L = problem.constants.L, mu = problem.constants.mu;
      const Block W(topology.weights()), D = W.diagonal().asDiagonal();
      const double lambda_min = topology.spectrum().lambda_min, plus = 2 * W.diagonal().maxCoeff();
      EXPECT_GE(plus, symmetric_eigenvalues(2 * D - W)[n - 1] - 1e-9);
      const auto promised = [&](double rho) {
        double most = 0;
        for (double m = 1.0001; m < 1e4; m *= 1.001)
          most = std::max(most, std::min((m - 1) / m * lambda_min / plus,
                                         mu / (rho * plus / 2 + m * L * L / (2 * rho * lambda_min))));
        return most;
      };
      const Method published = with("dadmm", {{"exact", "true"}, {"theory", "published"}});
      const double best = std::get<double>(run_for(problem, topology, published, 1).parameters.at("rho"));
      const double root = std::sqrt(plus / lambda_min), inverse = mu / L;
      EXPECT_NEAR(promised(best), inverse / 2 * (std::sqrt(inverse * inverse + 4 / (root * root)) - inverse),
                  1e-3 * promised(best))
          << graph << ": delta as published";
      for (const double factor : {0.8, 1.25}) EXPECT_LT(promised(factor * best), promised(best)) << graph;

      const Vector x = f.minimiser();
      Block at_optimum(d, n);
      for (Index i = 0; i < n; ++i)
        problem.losses[static_cast<std::size_t>(i)]->gradient(x, at_optimum.col(i));
      Eigenpairs inverse_W = symmetric_eigen(W);
      for (double& lambda : inverse_W.values) lambda = lambda < lambda_min / 2 ? 0 : 1 / lambda;
      const Block pseudo_inverse = compose(inverse_W);
      for (const double rho : {best, best / 20}) {
        const auto recording =
            record(problem, topology, with("dadmm", {{"exact", "true"}, {"rho", text(rho)}}), 150);
        const double delta = promised(rho);
        double last = 0;
        for (std::size_t p = 0; p < recording.states.size(); ++p) {
          const Block E = recording.X[p + 1].colwise() - x,
                      a = std::get<Block>(recording.states[p].state[1]) + at_optimum;
          const double here = rho / 2 * E.cwiseProduct(product(E, 2 * D - W)).sum() +
                              a.cwiseProduct(product(a, pseudo_inverse)).sum() / (2 * rho);
          if (p > 0) {
            ASSERT_LE(here, last / (1 + delta) + 1e-18) << graph << ' ' << rho << ' ' << p;
          }
          last = here;
        }
      }
    }
}

TEST(DistributedAugmentedLagrangian, WithManyPassesSolvesTheSubproblems) {
  const Topology topology = Topology::parse("barbell:6", "laplacian");
  const Block W(topology.weights());
  const Quadratics f(6, 3, 10, 7);
  const double rho = 1;
  Block Lambda = Block::Zero(3, 6);
  std::vector<Block> exact;
  for (int k = 0; k < 6; ++k) {
    const Block X = f.minimise_augmented(Lambda, rho, W);
    Lambda += rho * product(X, W);
    exact.push_back(X);
  }
  for (const auto& [name, turns] : {std::pair{"dal-jacobi", 1u}, {"dal-gauss-seidel", 3u}}) {
    const Method m = with(name, {{"exact", "true"}, {"passes", "400"}, {"rho", text(rho)}});
    EXPECT_LT(difference(record(f.problem(), topology, m, 6 * 400 * turns).outer(), exact, 6), 1e-9) << name;
  }
}

/// One pass of all at once: the penalty's gradient from before, and c |x - x_i|^2 for what it leaves out.
TEST(DistributedAugmentedLagrangian, OnePassIsALinearisedSubproblem) {
  const Topology topology = Topology::parse("barbell:6", "laplacian");
  const Block W(topology.weights()), I = Block::Identity(6, 6);
  const Quadratics f(6, 3, 10, 7);
  const double rho = 0.6, c = topology.spectrum().lambda_max;
  Block X = Block::Zero(3, 6), Lambda = X;
  std::vector<Block> dense;
  for (int k = 0; k < 30; ++k) {
    X = f.minimise_augmented(Lambda + rho * product(X, W) - rho * c * X, rho * c, I);
    Lambda += rho * product(X, W);
    dense.push_back(X);
  }
  const Method m = with("dal-jacobi", {{"exact", "true"}, {"passes", "1"}, {"rho", text(rho)}});
  EXPECT_LT(difference(record(f.problem(), topology, m, 30).outer(), dense, 30), 1e-10);
}

/// A pass of colour after colour sees what the colours before have done: on a line, every other agent.
TEST(DistributedAugmentedLagrangian, AColourSeesTheOnesBefore) {
  const Topology topology = Topology::parse("line:5", "laplacian");
  const Block W(topology.weights());
  const Quadratics f(5, 3, 10, 7);
  const double rho = 0.6;
  Block X = Block::Zero(3, 5), Lambda = X;
  std::vector<Block> dense;
  for (int k = 0; k < 30; ++k) {
    for (const Index colour : {0, 1}) {
      const Block diagonal = W.diagonal().asDiagonal();
      const Block all = f.minimise_augmented(Lambda + rho * product(X, W - diagonal), rho, diagonal);
      for (Index i = colour; i < 5; i += 2) X.col(i) = all.col(i);
    }
    Lambda += rho * product(X, W);
    dense.push_back(X);
  }
  const Method m = with("dal-gauss-seidel", {{"exact", "true"}, {"passes", "1"}, {"rho", text(rho)}});
  EXPECT_LT(difference(record(f.problem(), topology, m, 60).outer(), dense, 30), 1e-10);
}

/// Runge and Kutta's classical step, written for the whole state at once.
TEST(HeavyBallOde, IsTheClassicalRungeKuttaMethod) {
  for (const auto& [graph, mixing] : three_networks)
    for (const bool fades : {false, true}) {
      const Topology topology = Topology::parse(graph, mixing);
      const Index n = topology.agents(), d = 3;
      const Block W(topology.weights());
      const Quadratics f(n, d, 20, 8);
      const Problem problem = f.problem();
      const auto [lambda_max, lambda_min] = topology.spectrum();
      const double unit = std::sqrt(problem.constants.mu / lambda_max), h = 0.7 * unit,
                   constant = 2 * std::sqrt(lambda_min / problem.constants.L);
      const auto theta = [&](const Block& state) { return f.minimise_augmented(state.topRows(d), 0, W); };
      const auto motion = [&](const Block& state, double t) {
        Block change(2 * d, n);
        change << state.bottomRows(d),
            (fades ? 4 : 1) * product(theta(state), W) - (fades ? 5 / t : constant) * state.bottomRows(d);
        return change;
      };
      Block state = Block::Zero(2 * d, n);
      std::vector<Block> answers;
      for (int k = 0; k < 20; ++k) {
        const double t = 5 * unit + k * h;
        const Block a = motion(state, t), b = motion(state + h / 2 * a, t + h / 2),
                    c = motion(state + h / 2 * b, t + h / 2), e = motion(state + h * c, t + h);
        answers.push_back(theta(state + h * c));
        state += h / 6 * (a + 2 * b + 2 * c + e);
      }
      const Method m =
          with("heavy-ball-ode",
               {{"exact", "true"}, {"step", text(h)}, {"friction", fades ? "fading" : "constant"}});
      EXPECT_LT(difference(record(problem, topology, m, 80).outer(), answers, 20), 1e-9) << graph;
    }
}

/// Critically damped: the slowest part of the error falls by e^(-2/sqrt(kappa_f kappa_W)) a step of four dual
/// gradients, times a number that grows like the steps.
TEST(HeavyBallOde, KeepsItsRateOnQuadratics) {
  for (const auto& [graph, mixing] : three_networks) {
    const Topology topology = Topology::parse(graph, mixing);
    const Quadratics f(topology.agents(), 3, 20, 8);
    const Problem problem = f.problem();
    const auto X = record(problem, topology, with("heavy-ball-ode", {{"exact", "true"}}), 4 * 600).outer();
    const double rate = 2 / std::sqrt(problem.constants.kappa() * topology.spectrum().kappa());
    const auto error = [&](std::size_t k) { return (X[k].colwise() - f.minimiser()).norm(); };
    const double start = error(0) * (1 + rate);
    for (std::size_t k = 5; k < X.size() && error(k) > 1e-10 * start; k += 5) {
      const double t = rate * static_cast<double>(k);
      ASSERT_LT(error(k), 10 * start * (1 + t) * std::exp(-0.97 * t)) << graph << ' ' << k;
    }
    EXPECT_LT(error(X.size() - 1), 1e-6 * start) << graph << ": so that it says something";
  }
}

/// The dual gap, and with it mu |X - X*|^2/2, falls at least as fast as N^(-2 * 4/5).
TEST(HeavyBallOde, WithFadingFrictionNeedsNoSmoothness) {
  const Topology topology = Topology::parse("barbell:6", "laplacian");
  const Quadratics f(6, 3, 100, 7);
  const auto X =
      record(f.problem(), topology, with("heavy-ball-ode", {{"exact", "true"}, {"friction", "fading"}}), 8001)
          .X;
  const auto largest = [&](std::size_t from, std::size_t to) {
    double most = 0;
    for (std::size_t k = from; k < to; ++k)
      most = std::max(most, (X[k].colwise() - f.minimiser()).squaredNorm());
    return most;
  };
  EXPECT_LT(largest(7000, 8000), largest(700, 800) / std::pow(10, 1.6));
}

TEST(Fedavg, WithOneLocalStepIsGradientDescent) {
  const Topology topology = Topology::parse("star:5", "laplacian");
  const Problem problem = make_problem({}, 5);
  const std::string step = text(1 / problem.constants.L);
  EXPECT_LT(difference(record(problem, topology, with("fedavg", {{"T", "1"}}), 50).X,
                       record(problem, topology, with("gd", {{"step", step}}), 50).X, 51),
            1e-12);
}

/// T steps take x to R_i x + r_i with R_i = (I - alpha H_i)^T, so the server ends where x = mean (R_i x +
/// r_i).
TEST(Fedavg, EndsAtItsFixedPoint) {
  const Topology topology = Topology::parse("star:4", "laplacian");
  const Quadratics f(4, 3, 8, 3);
  const Problem problem = f.problem();
  const double alpha = 1 / problem.constants.L;
  Block system = Block::Identity(3, 3);
  Vector right = Vector::Zero(3);
  for (const auto& loss : problem.losses) {
    const auto& part = dynamic_cast<const Quadratic&>(*loss);
    Block R = Block::Identity(3, 3);
    Vector r = Vector::Zero(3);
    for (int t = 0; t < 6; ++t) {
      r = Vector(r - alpha * (part.H() * r - part.h()));
      R = product(Block::Identity(3, 3) - alpha * part.H(), R);
    }
    system -= R / 4;
    right += r / 4;
  }
  const Vector fixed_point = solve_symmetric(product(system.transpose(), system), system.transpose() * right);
  const Block X = run_for(problem, topology, with("fedavg", {{"T", "6"}}), 3000).X;
  EXPECT_LT((X.colwise() - fixed_point).norm(), 1e-10);
  EXPECT_GT((fixed_point - f.minimiser()).norm(), 1e-4) << "which is not the optimum";
}

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
