// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/mixing.hpp>

#include <cmath>

namespace ideal {

/// s in the doubly stochastic matrix W_DS = I - s W that averaging methods use.
inline double doubly_stochastic_scale(const Spectrum& W) { return W.lambda_max < 2 ? 1 : 1 / W.lambda_max; }

/// FastMix (Liu and Morse 2011): K rounds of accelerated averaging with P = I - W / lambda_max,
/// Z_{k+1} = (1 + eta) P Z_k - eta Z_{k-1}.
inline Block fast_mix(Mixing& W, const Block& Z0, Index K) {
  const auto [lambda_max, lambda_min] = W.spectrum();
  const double sigma = 1 - lambda_min / lambda_max;
  const double root = std::sqrt(1 - sigma * sigma);
  const double eta = (1 - root) / (1 + root);
  Block Z = Z0, Z_prev = Z0;
  for (Index k = 0; k < K; ++k) {
    Z_prev = (1 + eta) * (Z - W.mix(Z) / lambda_max) - eta * Z_prev;
    Z.swap(Z_prev);
  }
  return Z;
}

}  // namespace ideal
