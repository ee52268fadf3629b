// SPDX-License-Identifier: Apache-2.0
#include "loss/rows.hpp"

#include <ideal/error.hpp>

#include <Eigen/Eigenvalues>
#include <Spectra/SymEigsSolver.h>
#include <fmt/format.h>

namespace ideal {

namespace {

/// v -> A'A v / m for Spectra.
class GramOperator {
 public:
  using Scalar = double;
  explicit GramOperator(const Rows& rows) : rows_(rows) {}
  [[nodiscard]] Index rows() const { return rows_.columns(); }
  [[nodiscard]] Index cols() const { return rows_.columns(); }
  void perform_op(const double* in, double* out) const {
    std::fill_n(out, rows(), 0.0);
    const auto m = static_cast<double>(rows_.count());
    rows_.pass(in, out, [&](Index, double z) { return z / m; });
  }

 private:
  const Rows& rows_;
};

double largest_by_lanczos(const Rows& rows) try {
  GramOperator gram(rows);
  Spectra::SymEigsSolver<GramOperator> solver(gram, 1, 20);
  solver.init();
  solver.compute(Spectra::SortRule::LargestAlge, 500, 1e-11);
  if (solver.info() != Spectra::CompInfo::Successful)
    throw RunError("the largest eigenvalue of A'A did not converge; give L yourself with --L");
  return solver.eigenvalues()[0];
} catch (const std::runtime_error& error) {  // Spectra's own, in the language of its inside
  throw RunError(fmt::format("the largest eigenvalue of A'A was not found ({}); give L yourself with --L",
                             error.what()));
}

}  // namespace

void Rows::add_weighted_gram(const Vector& w, Block& H) const {
  if (sparse()) {
    for (Index j = 0; j < count(); ++j)
      for (SparseRows::InnerIterator a(sparse_rows(), begin_ + j); a; ++a)
        for (SparseRows::InnerIterator b(sparse_rows(), begin_ + j); b && b.col() <= a.col(); ++b)
          H(a.col(), b.col()) += w[j] * a.value() * b.value();
    return;
  }
  for_tiles([&](Index first, Index rows) {
    const Block scaled =
        (w.segment(first, rows).cwiseSqrt().asDiagonal() * dense_rows().middleRows(begin_ + first, rows))
            .transpose();
    H.selfadjointView<Eigen::Lower>().rankUpdate(scaled);
  });
}

bool Rows::all_zero() const {
  if (!sparse()) return dense_rows().middleRows(begin_, count()).isZero(0);
  return sparse_rows().middleRows(begin_, count()).squaredNorm() == 0;
}

Rows::GramSpectrum Rows::gram_spectrum(bool want_smallest) const {
  const Index d = columns();
  const bool full_rank_possible = count() >= d;
  if (all_zero()) return {0.0, 0.0};
  if (d <= 64 || (want_smallest && full_rank_possible && d <= dense_limit)) {
    Block gram = Block::Zero(d, d);
    add_weighted_gram(Vector::Constant(count(), 1.0 / static_cast<double>(count())), gram);
    const Vector lambda = Eigen::SelfAdjointEigenSolver<Block>(gram, Eigen::EigenvaluesOnly).eigenvalues();
    return {lambda[d - 1], full_rank_possible ? std::max(0.0, lambda[0]) : 0.0};
  }
  return {largest_by_lanczos(*this), 0.0};
}

}  // namespace ideal
