// SPDX-License-Identifier: Apache-2.0
#include "loss/softmax.hpp"

#include <cmath>

namespace ideal {

namespace {

/// Replaces scores z by probabilities and returns logsumexp(z), stable for scores of any size.
template <class Scores>
double to_probabilities(Scores&& z) {
  const double top = z.maxCoeff();
  z = (z.array() - top).exp().matrix();
  const double sum = z.sum();
  z /= sum;
  return top + std::log(sum);
}

}  // namespace

double SoftmaxLoss::value(VectorRef x) const {
  double sum = 0;
  rows_.margins(coefficients(x), [&](Index first, const DenseRows& scores) {
    DenseRows Z = scores;
    for (Index j = 0; j < Z.rows(); ++j) {
      const double own = Z(j, label(first + j));
      sum += to_probabilities(Z.row(j)) - own;
    }
  });
  return sum / static_cast<double>(rows()) + l2_ / 2 * x.squaredNorm();
}

void SoftmaxLoss::gradient(VectorRef x, VectorOut g) const {
  g = l2_ * x;
  Eigen::Map<DenseRows> G(g.data(), rows_.columns(), classes_);
  const auto m = static_cast<double>(rows());
  rows_.margins(coefficients(x), [&](Index first, const DenseRows& scores) {
    DenseRows R = scores;
    for (Index j = 0; j < R.rows(); ++j) {
      to_probabilities(R.row(j));
      R(j, label(first + j)) -= 1;
    }
    R /= m;
    rows_.add_tile(first, R, G);
  });
}

void SoftmaxLoss::batch_gradient(VectorRef x, std::span<const Index> batch, VectorOut g) const {
  g = l2_ * x;
  const Index d = rows_.columns();
  // Class by class, so that the same row kernels serve; a batch is small.
  const DenseRows C = coefficients(x);
  Block by_class = C, G = Block::Zero(d, classes_);
  Vector z(classes_);
  for (const Index j : batch) {
    for (Index c = 0; c < classes_; ++c) z[c] = rows_.dot_row(j, by_class.col(c).data());
    to_probabilities(z);
    z[label(j)] -= 1;
    for (Index c = 0; c < classes_; ++c)
      rows_.add_row(j, z[c] / static_cast<double>(batch.size()), G.col(c).data());
  }
  Eigen::Map<DenseRows>(g.data(), d, classes_) += G;
}

/// With p = softmax(z) and u = V'a: d/dt softmax(z + t u) = p o (u - p'u).
void SoftmaxLoss::hessian_vector(VectorRef x, VectorRef v, VectorOut Hv) const {
  Hv = l2_ * v;
  Eigen::Map<DenseRows> G(Hv.data(), rows_.columns(), classes_);
  DenseRows both(rows_.columns(), 2 * classes_);
  both << coefficients(x), coefficients(v);
  const auto m = static_cast<double>(rows());
  rows_.margins(both, [&](Index first, const DenseRows& scores) {
    DenseRows P = scores.leftCols(classes_);
    for (Index j = 0; j < P.rows(); ++j) {
      const auto u = scores.row(j).tail(classes_);
      to_probabilities(P.row(j));
      const double mean = P.row(j).dot(u);
      P.row(j) = (P.row(j).array() * (u.array() - mean)).matrix().eval() / m;
    }
    rows_.add_tile(first, P, G);
  });
}

Curvature SoftmaxLoss::curvature() const {
  return {0.5 * rows_.gram_spectrum(false).largest + l2_,
          l2_};  // the Hessian of logsumexp is at most 1/2 (Boehning 1992)
}

}  // namespace ideal
