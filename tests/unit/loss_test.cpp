// SPDX-License-Identifier: Apache-2.0
#include "support/dense.hpp"
#include "support/quadratics.hpp"

#include <ideal/error.hpp>
#include <ideal/random.hpp>

#include <cmath>

#include <gtest/gtest.h>

namespace ideal::test {
namespace {

struct LossCase {
  LossKind kind;
  double density;
};

class EveryLoss : public testing::TestWithParam<LossCase> {
 protected:
  std::shared_ptr<const Loss> loss(double l2 = 0.01) {
    std::vector<Index> offsets;
    const auto data = make_data(
        {.loss = GetParam().kind, .rows = 61, .columns = 9, .classes = 4, .density = GetParam().density}, 3,
        offsets);
    return make_loss(store_rows(data, offsets)[1], {.kind = GetParam().kind,
                                                    .l2 = l2,
                                                    .classes = GetParam().kind == LossKind::softmax ? 4 : 2,
                                                    .smoothing = 0.7,
                                                    .delta = 0.8,
                                                    .quantile = 0.3});
  }
  Vector random_vector(Index d, std::uint64_t stream) {
    Random random(3, stream);
    return Vector::NullaryExpr(d, [&] { return random.normal(); });
  }
};

TEST_P(EveryLoss, GradientIsTheDerivativeOfTheValue) {
  const auto f = loss();
  const Vector x = random_vector(f->dimension(), 0), v = random_vector(f->dimension(), 1);
  Vector g(f->dimension());
  f->gradient(x, g);
  const double h = 1e-4;  // fourth-order differences: truncation h^4, rounding eps/h
  const double slope = (8 * (f->value(x + h * v) - f->value(x - h * v)) -
                        (f->value(x + 2 * h * v) - f->value(x - 2 * h * v))) /
                       (12 * h);
  EXPECT_NEAR(g.dot(v), slope, 1e-9 * (1 + std::abs(slope)));
}

TEST_P(EveryLoss, HessianIsTheDerivativeOfTheGradient) {
  const auto f = loss();
  const Vector x = random_vector(f->dimension(), 0), v = random_vector(f->dimension(), 1);
  Vector Hv(f->dimension()), differences(f->dimension());
  f->hessian_vector(x, v, Hv);
  f->Loss::hessian_vector(x, v, differences);  // the default is central differences
  EXPECT_LT((Hv - differences).norm(), 1e-7 * Hv.norm());

  Block H = Block::Zero(f->dimension(), f->dimension());
  f->add_hessian(x, H);
  EXPECT_LT((H.selfadjointView<Eigen::Lower>() * v - Hv).norm(), 1e-12 * Hv.norm());
}

TEST_P(EveryLoss, ValuesOfManyPointsAreTheValues) {
  const auto f = loss();
  Block X(f->dimension(), 5);
  for (Index j = 0; j < 5; ++j) X.col(j) = random_vector(f->dimension(), 10 + j);
  const Vector values = f->values(X);
  for (Index j = 0; j < 5; ++j) EXPECT_NEAR(values[j], f->value(X.col(j)), 1e-13 * (1 + values[j]));
}

TEST_P(EveryLoss, BatchesOfOneRowAverageToTheGradient) {
  const auto f = loss();
  const Vector x = random_vector(f->dimension(), 0);
  Vector g(f->dimension()), part(f->dimension()), mean = Vector::Zero(f->dimension());
  f->gradient(x, g);
  for (Index row = 0; row < f->rows(); ++row) {
    const Index batch[] = {row};
    f->batch_gradient(x, batch, part);
    mean += part / static_cast<double>(f->rows());
  }
  EXPECT_LT((mean - g).norm(), 1e-13 * (1 + g.norm()));
}

TEST_P(EveryLoss, CurvatureBoundsEveryHessian) {
  const auto f = loss(0.03);
  const auto [L, mu] = f->curvature();
  for (std::uint64_t stream = 0; stream < 5; ++stream) {
    const Vector x = 3 * static_cast<double>(stream) * random_vector(f->dimension(), stream);
    Block H = Block::Zero(f->dimension(), f->dimension());
    f->add_hessian(x, H);
    const Vector lambda = symmetric_eigenvalues(H);
    EXPECT_LE(lambda[lambda.size() - 1], L * (1 + 1e-12));
    EXPECT_GE(lambda[0], mu * (1 - 1e-9));
  }
}

TEST_P(EveryLoss, TiltedMinimiserHasZeroGradient) {
  const auto f = loss();
  const Vector a = random_vector(f->dimension(), 4) / 10;
  for (const double c : {0.0, 0.7}) {
    Vector x = Vector::Zero(f->dimension()), g(f->dimension());
    f->tilted_minimiser(a, c, x);
    f->gradient(x, g);
    EXPECT_LT((g + a + c * x).norm(), 1e-12);
  }
}

TEST_P(EveryLoss, MarginsOfTenThousandStayFinite) {
  const auto f = loss();
  for (const double size : {1e4, -1e4, 1e8}) {
    const Vector x = size * random_vector(f->dimension(), 7);
    Vector g(f->dimension()), Hv(f->dimension());
    f->gradient(x, g);
    f->hessian_vector(x, g, Hv);
    EXPECT_TRUE(std::isfinite(f->value(x)));
    EXPECT_TRUE(g.allFinite());
    EXPECT_TRUE(Hv.allFinite());
  }
}

std::string case_name(const testing::TestParamInfo<LossCase>& info) {
  return std::string(to_string(info.param.kind)) + (info.param.density < 1 ? "_sparse" : "_dense");
}
INSTANTIATE_TEST_SUITE_P(Losses, EveryLoss,
                         testing::Values(LossCase{LossKind::logistic, 1}, LossCase{LossKind::logistic, 0.3},
                                         LossCase{LossKind::ridge, 1}, LossCase{LossKind::ridge, 0.3},
                                         LossCase{LossKind::softmax, 1}, LossCase{LossKind::softmax, 0.3},
                                         LossCase{LossKind::hinge, 1}, LossCase{LossKind::hinge, 0.3},
                                         LossCase{LossKind::huber, 1}, LossCase{LossKind::huber, 0.3},
                                         LossCase{LossKind::quantile, 1}, LossCase{LossKind::quantile, 0.3}),
                         case_name);

/// One row, one feature: f(x) = log(1 + exp(-b a x)).
std::shared_ptr<const Loss> scalar_logistic(double a, double b) {
  Dataset data{.name = "one", .features = DenseRows::Constant(1, 1, a), .labels = Vector::Constant(1, b)};
  const Index offsets[] = {0, 1};
  return make_losses(std::make_shared<const Dataset>(std::move(data)), offsets, LossKind::logistic, 0)[0];
}

TEST(Logistic, IsExactInBothTails) {
  const auto f = scalar_logistic(1, 1);
  const auto at = [](double x) { return Vector::Constant(1, x); };
  Vector g(1);
  EXPECT_DOUBLE_EQ(f->value(at(-1e4)), 1e4);
  EXPECT_DOUBLE_EQ(f->value(at(40)), std::exp(-40.0));
  EXPECT_EQ(f->value(at(1e4)), 0);
  f->gradient(at(-1e4), g);
  EXPECT_DOUBLE_EQ(g[0], -1);
  f->gradient(at(40), g);
  EXPECT_DOUBLE_EQ(g[0], -std::exp(-40.0) / (1 + std::exp(-40.0)));
}

TEST(Softmax, WithTwoClassesIsLogistic) {
  std::vector<Index> offsets;
  const auto data = make_data({.loss = LossKind::logistic, .rows = 50, .columns = 6}, 2, offsets);
  Dataset coded = *data;
  coded.labels = (coded.labels.array() + 1) / 2;  // -1/+1 -> 0/1
  const auto logistic = make_losses(data, offsets, LossKind::logistic, 0)[0];
  const auto softmax =
      make_losses(std::make_shared<const Dataset>(std::move(coded)), offsets, LossKind::softmax, 0, 2)[0];
  Vector C = Vector::Random(12), x(6);
  for (Index k = 0; k < 6; ++k) x[k] = C[2 * k + 1] - C[2 * k];
  EXPECT_NEAR(softmax->value(C), logistic->value(x), 1e-14);
}

TEST(Curvature, IsTheLargestEigenvalueAlsoWhereLanczosComputesIt) {
  for (const auto& [rows, columns] : {std::pair<Index, Index>{300, 90}, {40, 150}, {1, 1}, {5, 3}}) {
    std::vector<Index> offsets;
    const auto data = make_data({.loss = LossKind::ridge, .rows = rows, .columns = columns}, 1, offsets);
    const Block A = std::get<DenseRows>(data->features);
    const Vector lambda = symmetric_eigenvalues(product(A.transpose(), A) / static_cast<double>(rows));
    const auto [L, mu] = make_losses(data, offsets, LossKind::ridge, 0.5)[0]->curvature();
    EXPECT_NEAR(L, lambda[columns - 1] + 0.5, 1e-10 * L) << rows << 'x' << columns;
    EXPECT_NEAR(mu, (rows >= columns ? lambda[0] : 0) + 0.5, 1e-10) << rows << 'x' << columns;
  }
}

TEST(Curvature, OfRowsThatAreAllZeroIsTheRegulariser) {
  const Index offsets[] = {0, 3};
  for (const Index columns : {2, 200}) {
    SparseRows nothing(3, columns);
    Dataset sparse{.name = "zero", .features = nothing, .labels = Vector::Ones(3)};
    Dataset dense{.name = "zero", .features = DenseRows::Zero(3, columns), .labels = Vector::Ones(3)};
    for (Dataset* data : {&sparse, &dense}) {
      const auto [L, mu] =
          make_losses(std::make_shared<const Dataset>(*data), offsets, LossKind::ridge, 0.25)[0]->curvature();
      EXPECT_EQ(L, 0.25);
      EXPECT_EQ(mu, 0.25);
    }
  }
}

TEST(Newton, SolvesRidgeLikeTheNormalEquationsAndCertifies) {
  std::vector<Index> offsets;
  const auto data = make_data({.loss = LossKind::ridge, .rows = 90, .columns = 8}, 3, offsets);
  const auto losses = make_losses(data, offsets, LossKind::ridge, 0.1);
  Threads threads(2);
  const Reference reference = solve_reference(losses, threads);
  const DenseRows& A =
      std::get<DenseRows>(data->features);  // 3 agents x 30 rows: sum_i f_i = |Ax-b|^2/60 + 0.15|x|^2
  const Block H = product(A.transpose(), A) / 30 + 0.3 * Block::Identity(8, 8);
  EXPECT_LT((reference.x - solve_symmetric(H, product(A.transpose(), data->labels) / 30)).norm(), 1e-13);
  EXPECT_LT(reference.gradient_norm, 1e-13);
}

TEST(Newton, ReachesRoundingWithConjugateGradientsAndBadConditioning) {
  std::vector<Index> offsets;
  const auto data = make_data({.loss = LossKind::logistic, .rows = 600, .columns = 450}, 2, offsets);
  const auto losses = make_losses(data, offsets, LossKind::logistic, 1e-6);
  Threads threads(2);
  const Reference reference = solve_reference(losses, threads);
  EXPECT_LT(reference.gradient_norm, 1e-12);
}

TEST(OwnLoss, NeedsFourFunctionsOnly) {
  const Quadratics f(4, 3, 10, 2);
  const Problem problem = f.problem();
  EXPECT_LT((problem.reference->x - f.minimiser()).norm(), 1e-10);
  const Topology topology = Topology::parse("cycle:4", "laplacian");
  SolveOptions options;
  options.watch.tol = 1e-11;
  options.watch.computations = 2000;
  for (const char* name : {"ideal", "mideal", "ssda"}) {
    const Result result = simulate(problem, topology, method(name), options);
    EXPECT_EQ(result.status, Status::converged) << name;
    EXPECT_LT((result.X.colwise() - f.minimiser()).norm(), 1e-4) << name;
  }
}

TEST(Constants, AreThoseOfConvexLosses) {
  std::vector<Index> offsets;
  const auto data = make_data({}, 3, offsets);
  Threads threads;
  const auto losses = make_losses(data, offsets, LossKind::logistic, 0);
  EXPECT_EQ(constants_of(losses, {}, {}, threads).mu, 0);
  EXPECT_THROW(constants_of(losses, {}, -1.0, threads), InputError);
  EXPECT_THROW(constants_of(losses, 1.0, 2.0, threads), InputError);
  EXPECT_EQ(constants_of(losses, 2.0, 1.0, threads).kappa(), 2);
}

TEST(Labels, MustFitTheLoss) {
  Dataset data{.name = "d.csv", .features = DenseRows::Ones(4, 1), .labels = Vector{{3, 5, 7, 3}}};
  Dataset two = data;
  two.labels = Vector{{8, 3, 3, 8}};
  EXPECT_EQ(prepare_labels(two, LossKind::logistic), 2);
  EXPECT_EQ(two.labels, (Vector{{1, -1, -1, 1}}));
  EXPECT_EQ(prepare_labels(data, LossKind::softmax), 3);
  EXPECT_EQ(data.labels, (Vector{{0, 1, 2, 0}}));
  try {
    prepare_labels(data, LossKind::logistic);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "d.csv: 3 distinct labels (0, 1, 2) (logistic loss needs exactly two classes). Pick two "
                 "with --classes A,B, or use "
                 "--loss softmax or ridge.");
  }
}

}  // namespace
}  // namespace ideal::test
