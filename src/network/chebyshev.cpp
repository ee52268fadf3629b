// SPDX-License-Identifier: Apache-2.0
#include <ideal/mixing.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ideal {

namespace {

// Below this distance from 1, kappa_W is 1 (a complete graph) up to rounding and c2 would overflow.
constexpr double nothing_to_improve = 1e-9;

}  // namespace

Index Chebyshev::default_degree(double kappa_W) {
  // The guard keeps kappa_W = 4 - rounding at J = 2.
  return std::max<Index>(1, static_cast<Index>(std::floor(std::sqrt(kappa_W) + 1e-9)));
}

void Chebyshev::believe(const Spectrum& W, std::optional<Index> J) {
  const auto [lambda_max, lambda_min] = W;
  const double kappa_W = lambda_max / lambda_min;
  c3_ = 2 / (lambda_max + lambda_min);
  if (kappa_W - 1 < nothing_to_improve) {
    J_ = 1;
    c2_ = std::numeric_limits<double>::infinity();
    spectrum_ = {.lambda_max = 1, .lambda_min = 1};
    return;
  }
  J_ = J.value_or(default_degree(kappa_W));
  c2_ = (kappa_W + 1) / (kappa_W - 1);
  const double ripple = 1 / std::cosh(static_cast<double>(J_) * std::acosh(c2_));  // 1 / T_J(c2)
  spectrum_ = {.lambda_max = 1 + ripple, .lambda_min = 1 - ripple};
}

void Chebyshev::start(const Block& X) {
  sent_ = &X;
  W_.start(X);
}

/// AcceleratedGossip, rewritten for D_j = X - X_j / a_j with a_j = T_j(c2): no power of c2 is formed and
/// nothing cancels. D_0 = 0,  D_1 = c3 W X,  D_{j+1} = r_j (2 c2 (D_j + c3 W (X - D_j)) - r_{j-1} D_{j-1}),
/// r_j = a_j / a_{j+1} = 1 / (2 c2 - r_{j-1}),  r_0 = 1 / c2;  the answer is D_J.
const Block& Chebyshev::finish() {
  const Block& X = *sent_;
  const Block& WX = W_.finish();
  previous_.resizeLike(X);
  current_.resizeLike(X);
  gossip_.resizeLike(X);
  locally(X, [&](auto own) {
    own(previous_).setZero();
    own(current_) = c3_ * own(WX);
    own(gossip_) = own(X) - own(current_);
  });
  double r = 1 / c2_;
  for (Index j = 1; j < J_; ++j) {
    const double r_next = 1 / (2 * c2_ - r);
    const Block& WY = W_.mix(gossip_);
    locally(X, [&](auto own) {
      own(previous_) = r_next * (2 * c2_ * (own(current_) + c3_ * own(WY)) - r * own(previous_));
      own(gossip_) = own(X) - own(previous_);
    });
    current_.swap(previous_);
    r = r_next;
  }
  return current_;
}

}  // namespace ideal
