// SPDX-License-Identifier: Apache-2.0
// The dual approach for its four classes of losses.
#include "support/dense.hpp"
#include "support/quadratics.hpp"
#include "support/recorder.hpp"
#include "support/sanitized.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace ideal::test {
namespace {

double value(const Problem& problem, const Block& X) {
  double sum = 0;
  for (Index i = 0; i < X.cols(); ++i) sum += problem.losses[static_cast<std::size_t>(i)]->value(X.col(i));
  return sum;
}

TEST(DualFgm, OfTheFirstClassIsSsda) {
  for (const char* graph : {"barbell:8", "cycle:7"}) {
    const Topology topology = Topology::parse(graph, "laplacian");
    const Problem problem = make_problem({}, topology.agents());
    for (const char* exact : {"true", "false"})
      EXPECT_LT(difference(record(problem, topology, with("dual-fgm", {{"exact", exact}}), 60).outer(),
                           record(problem, topology, with("ssda", {{"exact", exact}}), 60).outer(), 3),
                1e-12)
          << graph;
  }
}

/// After k steps the weighted mean of a dual of smoothness L_d whose solution has norm R satisfies F(X) <=
/// F*, F* - F(X) <= 2 R^2 L_d/A and |sqrt(W) X| <= 2 R L_d/A with A >= (k + 1)^2/4: what the fast gradient
/// method does for the primal.
TEST(DualFgm, OfTheSecondClassKeepsItsRateWithoutSmoothness) {
  for (const char* graph : {"barbell:6", "cycle:6"}) {
    const Topology topology = Topology::parse(graph, "laplacian");
    const Quadratics f(topology.agents(), 3, 100, 7);
    const Problem problem = f.problem();
    const Block W(topology.weights());
    const auto [lambda_max, lambda_min] = topology.spectrum();
    const Block best = f.minimiser().replicate(1, topology.agents());
    const Block G = gradient(problem, best);

    Eigenpairs pairs = symmetric_eigen(W), inverse = pairs;
    for (Index i = 0; i < pairs.values.size(); ++i) {
      const bool kernel = pairs.values[i] < lambda_min / 2;
      inverse.values[i] = kernel ? 0 : 1 / std::sqrt(pairs.values[i]);
      pairs.values[i] = kernel ? 0 : std::sqrt(pairs.values[i]);
    }
    const Block root = compose(pairs);
    const double R = product(G, compose(inverse)).norm(), L_dual = lambda_max / problem.constants.mu;

    const auto X = record(problem, topology, with("dual-fgm", {{"class", "2"}}), 400).X;
    for (const std::size_t k : {10u, 50u, 200u, 400u}) {
      const double A = std::pow(static_cast<double>(k) + 1, 2) / 4;
      const double missing = value(problem, best) - value(problem, X[k]);
      EXPECT_GT(missing, -1e-9) << graph << k;
      EXPECT_LT(missing, 2 * R * R * L_dual / A) << graph << k;
      EXPECT_LT(product(X[k], root).norm(), 2 * R * L_dual / A) << graph << k;
    }
    EXPECT_LT(product(X[400], root).norm(), 1e-3 * product(X[1], root).norm());
  }
}

/// A regularised dual is that of min_U F(X) + |U|^2/(2 delta), U = sqrt(W) X: a penalty of weight 1/delta.
TEST(DualFgm, ARegularisedDualIsAPenalty) {
  const Topology topology = Topology::parse("cycle:6", "laplacian");
  const Quadratics f(6, 3, 20, 3);
  const auto X =
      record(f.problem(), topology, with("dual-fgm", {{"class", "2"}, {"delta", "0.5"}}), 600).X.back();
  const Block penalised = f.minimise_augmented(Block::Zero(3, 6), 1 / 0.5, Block(topology.weights()));
  EXPECT_LT((X - penalised).norm(), 1e-9 * penalised.norm());
}

/// Losses that are flat in one direction: H_i = diag(1 ... kappa, 0) in bases of their own.
TEST(DualFgm, OfTheThirdClassMinimisesWithTheAddedRegulariser) {
  const Topology topology = Topology::parse("barbell:6", "laplacian");
  const double nu = 0.05;
  Block H = Block::Zero(3, 3);
  Vector h = Vector::Zero(3);
  Problem problem{.losses = {}, .constants = {.L = 4, .mu = 0}, .reference = {}};
  for (Index i = 0; i < 6; ++i) {
    const double angle = static_cast<double>(i);
    const Vector u{{std::cos(angle), std::sin(angle), 0}}, v{{0, std::cos(angle), std::sin(angle)}};
    const Block Hi = u * u.transpose() + 2 * v * v.transpose();  // of rank two
    const Vector hi = Hi * Vector{{1, angle, -1}};
    problem.losses.push_back(std::make_shared<Quadratic>(Hi, hi));
    H += Hi;
    h += hi;
  }
  const Vector expected = solve_symmetric(H + 6 * nu * Block::Identity(3, 3), h);
  for (const auto& [exact, passes] : {std::pair{"true", 2000u}, {"false", 20000u}}) {
    const auto X =
        record(problem, topology, with("dual-fgm", {{"nu", text(nu)}, {"exact", exact}}), passes).X;
    EXPECT_LT((X.back().colwise() - expected).norm(), 1e-8 * expected.norm()) << exact;
  }
}

/// |x - b|, whose dual oracle cuts off: its prox is the soft threshold.
class Distance final : public Loss {
 public:
  explicit Distance(double b) : b_(b) {}
  Index dimension() const override { return 1; }
  double value(VectorRef x) const override { return std::abs(x[0] - b_); }
  void gradient(VectorRef x, VectorOut g) const override { g[0] = x[0] > b_ ? 1 : x[0] < b_ ? -1 : 0; }
  Curvature curvature() const override { return {std::numeric_limits<double>::infinity(), 0}; }
  bool smooth() const override { return false; }
  bool has_dual_oracle() const override { return true; }
  void tilted_minimiser(VectorRef a, double c, VectorOut x) const override {
    const double free = -a[0] / c, cut = 1 / c;  // argmin |x - b| + c/2 (x - free)^2
    x[0] = std::abs(free - b_) <= cut ? b_ : free > b_ ? free - cut : free + cut;
  }

 private:
  double b_;
};

/// sum |x - b_i| is least at the median.
TEST(DualFgm, OfTheFourthClassFindsAMedian) {
  const Topology topology = Topology::parse("star:5", "laplacian");
  Problem problem{.losses = {}, .constants = {}, .reference = {}};
  for (const double b : {0.3, -1.0, 0.9, 0.1, 2.0}) problem.losses.push_back(std::make_shared<Distance>(b));
  Threads threads;
  problem.constants = constants_of(problem.losses, {}, {}, threads);
  const double eps = 0.02, best = 1.3 + 0.6 + 0.2 + 1.7;  // at 0.3
  const auto X =
      record(problem, topology, with("dual-fgm", {{"eps", text(eps)}, {"radius", "0.3"}}), 3000).X.back();
  for (Index i = 0; i < 5; ++i) {
    double gap = -best;
    for (const auto& f : problem.losses) gap += f->value(X.col(i));
    EXPECT_LT(gap, eps);
    EXPECT_NEAR(X(0, i), 0.3, eps);
  }
}

/// What the losses lack is added, and what they have is used: each class on five graphs, with exact
/// minimisers.
TEST(DualFgm, OfEveryClassComesToItsAccuracyOnFiveGraphs) {
  for (const std::string& graph : all_or_first(five_graphs)) {
    const Topology topology = Topology::parse(graph, "laplacian");
    const Problem problem = make_problem({.kappa = 30}, topology.agents());
    const double first = run_for(problem, topology, method("gd"), 1).trace.front().worst_suboptimality;
    const std::string eps = text(0.02 * first), radius = text(1.1 * problem.reference->x.norm());
    for (const char* known : {"1", "2", "3", "4"}) {
      const Method m =
          with("dual-fgm", {{"class", known}, {"exact", "true"}, {"eps", eps}, {"radius", radius}});
      EXPECT_LT(run_for(problem, topology, m, 500).trace.back().worst_suboptimality, 0.05 * first)
          << graph << ' ' << known;
    }
  }
}

}  // namespace
}  // namespace ideal::test
