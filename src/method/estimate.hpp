// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/mixing.hpp>
#include <ideal/objective.hpp>

namespace ideal {

/// What the agents believe about the problem and the network.
struct Beliefs {
  double L = 0, mu = 0;
  Spectrum W;
  [[nodiscard]] double kappa_f() const { return L / mu; }
};

/// Finds them out from scratch: each agent looks at its own curvature at X, and all together at the network,
/// of which none knows more than its own row of W. Everything is counted. `directions` returns each agent's
/// direction of largest curvature. The spectrum of networks beyond 4096 agents, or of a diameter beyond 508,
/// is taken as known.
Beliefs find_out(Objective& F, Mixing& W, const Block& X, Block& directions);

/// So many, from any direction, come near the largest curvature.
inline constexpr Index power_steps = 3;

/// One step, and computation, of the power method for L_i at X from each agent's direction; `largest` keeps
/// the largest |H_i u| / |u| seen.
void power_step(Objective& F, const Block& X, Block& directions,
                Eigen::Ref<Eigen::RowVectorXd, 0, Eigen::InnerStride<>> largest);

/// The extreme positive eigenvalues of W from Chebyshev moments of random vectors: steps rounds of mixing,
/// and one sum over a spanning tree. No eigenvalue exceeds `bound`.
Spectrum network_spectrum(Mixing& W, const Block& noise, double bound, Index steps);

}  // namespace ideal
