// SPDX-License-Identifier: Apache-2.0
#include "blas.hpp"

#include "limits.hpp"
#include "problems.hpp"

#include <cblas.h>

namespace bench {

using namespace ideal;

std::string blas_name() { return openblas_get_config(); }

void use_blas_threads(int count) { openblas_set_num_threads(count); }

BlasLogistic::BlasLogistic(Index rows, Index columns)
    : x_(Vector::Constant(columns, Gradients::start)), z_(rows), g_(columns) {}

const Vector& BlasLogistic::operator()(const Dataset& dense) {
  const double* const rows = values_of(dense).data();
  const auto m = static_cast<blasint>(z_.size()), d = static_cast<blasint>(x_.size());
  cblas_dgemv(CblasRowMajor, CblasNoTrans, m, d, 1, rows, d, x_.data(), 1, 0, z_.data(), 1);
  logistic_slopes(z_, dense.labels);
  g_ = l2 * x_;
  cblas_dgemv(CblasRowMajor, CblasTrans, m, d, 1, rows, d, z_.data(), 1, 1, g_.data(), 1);
  return g_;
}

BlasSoftmax::BlasSoftmax(const Dataset& dense, int classes)
    : rows_(std::get<DenseRows>(dense.features)),
      labels_(dense.labels),
      C_(DenseRows::Constant(rows_.cols(), classes, Gradients::start)),
      scores_(rows_.rows(), classes),
      G_(rows_.cols(), classes) {}

const DenseRows& BlasSoftmax::operator()() {
  const auto m = static_cast<blasint>(rows_.rows()), d = static_cast<blasint>(rows_.cols()),
             c = static_cast<blasint>(C_.cols());
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, c, d, 1, rows_.data(), d, C_.data(), c, 0,
              scores_.data(), c);
  softmax_slopes(scores_, labels_);
  G_ = l2 * C_;
  cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, d, c, m, 1, rows_.data(), d, scores_.data(), c, 1,
              G_.data(), c);
  return G_;
}

}  // namespace bench
