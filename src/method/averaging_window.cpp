// SPDX-License-Identifier: Apache-2.0
#include "method/averaging_window.hpp"

#include "core/symmetric.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ideal {

AveragingWindow::AveragingWindow(const LinkSequence& links, double s)
    : links_(links), s_(s), a_(links.awake()) {
  const Index n = links.agents();
  S_.assign(links.in_turn().size(),
            Block::Identity(n, n) - Block::Constant(n, n, 1 / static_cast<double>(n)));
}

double AveragingWindow::longer() {
  std::vector<Block> after;
  after.reserve(S_.size());
  for (std::size_t k = 0; k < S_.size(); ++k)
    after.push_back(expected(links_.in_turn()[k].M, S_[(k + 1) % S_.size()]));
  S_ = std::move(after);
  double largest = 0;
  for (const Block& S : S_) largest = std::max(largest, symmetric_eigenvalues(S).maxCoeff());
  return std::sqrt(std::min(1.0, largest));
}

/// E[P S P] for P = I - s (the awake edges' share of M): the mean P around S, and the variance of each edge.
Block AveragingWindow::expected(const SparseRows& M, const Block& S) const {
  Block left = S - s_ * a_ * (M * S);
  Block both = left - s_ * a_ * (M * left.transpose()).transpose();
  if (a_ == 1) return both;
  for (Index i = 0; i < M.rows(); ++i) {
    for (SparseRows::InnerIterator entry(M, i); entry; ++entry) {
      const Index j = entry.col();
      if (j <= i) continue;
      const double weight = s_ * entry.value();
      const double varies = a_ * (1 - a_) * weight * weight * (S(i, i) + S(j, j) - S(i, j) - S(j, i));
      both(i, i) += varies;
      both(j, j) += varies;
      both(i, j) -= varies;
      both(j, i) -= varies;
    }
  }
  return both;
}

}  // namespace ideal
