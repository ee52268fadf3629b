// SPDX-License-Identifier: Apache-2.0
#include "loss/softmax.hpp"

#include <algorithm>

namespace ideal {

/// The coefficients of the held columns, each with room for whole registers of classes.
void SoftmaxLoss::to_panel(VectorRef x, double* panel, Index width) const {
  for (Index k = 0; k < rows_->held(); ++k)
    if (const Index column = rows_->column(k); column >= 0)
      std::copy_n(x.data() + column * classes_, classes_, panel + k * width);
}

void SoftmaxLoss::add_panel(const double* panel, Index width, VectorOut g) const {
  for (Index k = 0; k < rows_->held(); ++k)
    if (const Index column = rows_->column(k); column >= 0)
      for (Index c = 0; c < classes_; ++c) g[column * classes_ + c] += panel[k * width + c];
}

double SoftmaxLoss::value(VectorRef x) const {
  thread_local kernel::Numbers C;
  const Index width = kernel::whole_registers(classes_);
  C.assign(static_cast<std::size_t>(rows_->held() * width), 0);
  to_panel(x, C.data(), width);
  double sum = 0;
  rows_->pass_panel({}, {.X = C.data(), .x_width = width, .g_width = width},
                    [&](Index first, Index count, const double* Z, double* R) {
                      std::copy_n(Z, count * width, R);
                      for (Index j = 0; j < count; ++j)
                        sum +=
                            kernel::softmax(R + j * width, classes_, width) - Z[j * width + label(first + j)];
                    });
  return share_ * sum + l2_ / 2 * x.squaredNorm();
}

double SoftmaxLoss::piece_value_and_gradient(Index piece, VectorRef x, VectorOut g) const {
  thread_local kernel::Numbers C, G;
  const Index width = kernel::whole_registers(classes_);
  C.assign(static_cast<std::size_t>(rows_->held() * width), 0);
  G.assign(C.size(), 0);
  to_panel(x, C.data(), width);
  double sum = 0;
  rows_->pass_panel({piece, pieces()}, {.X = C.data(), .x_width = width, .G = G.data(), .g_width = width},
                    [&](Index first, Index count, const double* Z, double* R) {
                      std::copy_n(Z, count * width, R);
                      for (Index j = 0; j < count; ++j) {
                        double* const row = R + j * width;
                        sum += kernel::softmax(row, classes_, width) - Z[j * width + label(first + j)];
                        row[label(first + j)] -= 1;
                        for (Index c = 0; c < classes_; ++c) row[c] *= share_;
                      }
                    });
  if (piece == 0)
    g = l2_ * x;
  else
    g.setZero();
  add_panel(G.data(), width, g);
  return share_ * sum;
}

void SoftmaxLoss::piece_gradient(Index piece, VectorRef x, VectorOut g) const {
  piece_value_and_gradient(piece, x, g);
}

double SoftmaxLoss::value_and_gradient(VectorRef x, VectorOut g) const {
  double sum = 0;
  add_pieces(g, [&](Index piece, VectorOut part) { sum += piece_value_and_gradient(piece, x, part); });
  return sum + l2_ / 2 * x.squaredNorm();
}

void SoftmaxLoss::batch_gradient(VectorRef x, std::span<const Index> batch, VectorOut g) const {
  g = l2_ * x;
  // Class by class, so that the same row kernels serve; a batch is small.
  const Eigen::Map<const DenseRows> C(x.data(), rows_->columns(), classes_);
  const Block by_class = C;
  Block G = Block::Zero(C.rows(), classes_);
  Vector z(kernel::whole_registers(classes_));
  for (const Index j : batch) {
    for (Index c = 0; c < classes_; ++c) rows_->multiply(j, 1, by_class.col(c).data(), &z[c]);
    kernel::softmax(z.data(), classes_, z.size());
    z[label(j)] -= 1;
    for (Index c = 0; c < classes_; ++c)
      rows_->add_row(j, z[c] / static_cast<double>(batch.size()), G.col(c).data());
  }
  Eigen::Map<DenseRows>(g.data(), C.rows(), classes_) += G;
}

/// With p = softmax(z) and u = V'a: d/dt softmax(z + t u) = p o (u - p'u).
void SoftmaxLoss::hessian_vector(VectorRef x, VectorRef v, VectorOut Hv) const {
  const Index width = kernel::whole_registers(classes_);
  kernel::Numbers both(static_cast<std::size_t>(2 * rows_->held() * width), 0);
  kernel::Numbers G(static_cast<std::size_t>(rows_->held() * width), 0);
  to_panel(x, both.data(), 2 * width);
  to_panel(v, both.data() + width, 2 * width);
  rows_->pass_panel({}, {.X = both.data(), .x_width = 2 * width, .G = G.data(), .g_width = width},
                    [&](Index, Index count, const double* Z, double* R) {
                      for (Index j = 0; j < count; ++j) {
                        double* const p = R + j * width;
                        const double* const u = Z + j * 2 * width + width;
                        std::copy_n(Z + j * 2 * width, width, p);
                        kernel::softmax(p, classes_, width);
                        double mean = 0;
                        for (Index c = 0; c < classes_; ++c) mean += p[c] * u[c];
                        for (Index c = 0; c < classes_; ++c) p[c] *= share_ * (u[c] - mean);
                      }
                    });
  Hv = l2_ * v;
  add_panel(G.data(), width, Hv);
}

Curvature SoftmaxLoss::curvature() const {
  return {0.5 * rows_->gram_spectrum(false).largest + l2_,
          l2_};  // the Hessian of logsumexp is at most 1/2 (Boehning 1992)
}

}  // namespace ideal
