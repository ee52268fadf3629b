// SPDX-License-Identifier: Apache-2.0
// How many rows an accuracy takes.
#include "support/problems.hpp"
#include "support/sanitized.hpp"

#include <ideal/random.hpp>

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

namespace ideal::test {
namespace {

/// The worst agent's gap, mean over seeds, at each of some numbers of computations, or at most `every` passes
/// later.
std::vector<double> mean_gaps(const Problem& problem, const Topology& topology, const Method& m,
                              const std::vector<double>& computations, std::uint64_t seeds, Index every = 1) {
  std::vector<double> gaps(computations.size());
  SolveOptions options;
  options.watch = {.computations = computations.back(), .every = every};
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

/// Table 2 of the paper for SGD, and the rate of D-MASG: rows for accuracy eps in proportion to sigma^2/eps.
TEST(StochasticLaws, RowsNeededGrowAsOneOverAccuracy) {
  const Topology topology = Topology::parse("complete:4", "laplacian");
  const Problem problem = make_problem({.rows = 400, .kappa = 10, .partition = "shuffled"}, 4);
  const std::vector<double> computations{150, 300, 600, 1200, 2400};
  for (const Method& m : {with("ideal", {{"solver", "sgd"}, {"batch", "20"}, {"guard", "false"}}),
                          with("dmasg", {{"batch", "4"}})}) {
    const auto gaps = mean_gaps(problem, topology, m, computations, 6, 25);
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
  const Topology topology = Topology::parse("complete:4", "laplacian");
  double least = 1e300, most = 0;
  const struct {
    double length, noise;
    Index batch;
  } cases[] = {{1, 1, 5}, {0.25, 8, 5}, {1, 1, 20}};
  for (const auto& [length, noise, batch] : all_or_first(cases)) {
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

}  // namespace
}  // namespace ideal::test
