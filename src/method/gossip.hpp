// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/mixing.hpp>

#include <algorithm>
#include <cmath>

namespace ideal {

/// s in the doubly stochastic matrix W_DS = I - s W that averaging methods use.
inline double doubly_stochastic_scale(const Spectrum& W) { return W.averaging_scale(); }

/// Averaging with W_DS shrinks what agents differ by to this share a round: its largest eigenvalue in
/// absolute value but for the one.
inline double averaging_factor(const Spectrum& W) {
  const double s = doubly_stochastic_scale(W);
  return std::max(std::abs(1 - s * W.lambda_max), std::abs(1 - s * W.lambda_min));
}

/// (1 + lambda_min(W_DS))^2, at most 1: where averaging overshoots, methods that track gradients bear so much
/// shorter steps.
inline double tracking_share(const Spectrum& W) {
  const double overshoot = std::min(0.0, 1 - doubly_stochastic_scale(W) * W.lambda_max);
  return (1 + overshoot) * (1 + overshoot);
}

/// Where no theorem tells how long a step may be: networks that are directed and wake at random bore eight
/// times (1 - sigma)^2 and twice the smallest push-sum weight, by which gradients are divided, and undirected
/// ones their gap 1 - sigma, all in units of 0.4/L; about half is left here. Measured on quadratics of one
/// variable, stability being a matter of eigenvalues there.
inline double measured_tracking_share(const Averaging& averaging) {
  const double gap = 1 - averaging.factor;
  if (!averaging.directed) return gap;
  return std::min({1.0, 5 * gap * gap, 1.25 * averaging.least_weight});
}

/// FastMix (Liu and Morse 2011): rounds of accelerated averaging with P = I - W / lambda_max,
/// Z_{k+1} = (1 + eta) P Z_k - eta Z_{k-1}.
class FastMix {
 public:
  explicit FastMix(Mixing& W) : W_(W), lambda_max_(W.spectrum().lambda_max) {
    const double sigma = 1 - W.spectrum().lambda_min / lambda_max_;
    const double root = std::sqrt(1 - sigma * sigma);
    eta_ = (1 - root) / (1 + root);
  }

  /// Z after K rounds from Z0; lives until the next call.
  const Block& operator()(const Block& Z0, Index K) { return mixed(Z0, K, eta_); }

  /// The same without acceleration, P^K Z0: slower, but nothing changes its sign.
  const Block& plainly(const Block& Z0, Index K) { return mixed(Z0, K, 0); }

  /// What agents differ by comes out of K rounds with a factor of at least minus this: few rounds overshoot.
  double overshoot(Index K) const {
    return std::sqrt(1 + eta_) * std::pow(eta_, 0.5 * static_cast<double>(K));
  }

 private:
  const Block& mixed(const Block& Z0, Index K, double eta) {
    Z_ = Z_prev_ = Z0;
    for (Index k = 0; k < K; ++k) {
      const Block& WZ = W_.mix(Z_);
      W_.locally(Z_, [&](auto own) {
        own(Z_prev_) = (1 + eta) * (own(Z_) - own(WZ) / lambda_max_) - eta * own(Z_prev_);
      });
      Z_.swap(Z_prev_);
    }
    return Z_;
  }

  Mixing& W_;
  double lambda_max_, eta_;
  Block Z_, Z_prev_;
};

}  // namespace ideal
