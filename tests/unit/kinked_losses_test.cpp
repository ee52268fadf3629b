// SPDX-License-Identifier: Apache-2.0
// Losses with kinks, rounded off or not, and their certified optima.
#include "support/losses.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

namespace ideal::test {
namespace {

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

}  // namespace
}  // namespace ideal::test
