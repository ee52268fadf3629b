// SPDX-License-Identifier: Apache-2.0
// The gradients of all rows together as two products of OpenBLAS with the link between them.
#pragma once

#include <ideal/data.hpp>

#include <string>

namespace bench {

std::string blas_name();
void use_blas_threads(int count);

class BlasLogistic {
 public:
  /// For dense data of such a shape.
  BlasLogistic(ideal::Index rows, ideal::Index columns);
  const ideal::Vector& operator()(const ideal::Dataset& dense);

 private:
  ideal::Vector x_, z_, g_;
};

class BlasSoftmax {
 public:
  BlasSoftmax(const ideal::Dataset& dense, int classes);
  const ideal::DenseRows& operator()();

 private:
  const ideal::DenseRows& rows_;
  const ideal::Vector& labels_;
  ideal::DenseRows C_, scores_, G_;
};

}  // namespace bench
