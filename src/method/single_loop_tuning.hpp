// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/block.hpp>

namespace ideal {

/// The constants of the single-loop form; docs/decisions/015-single-loop-ideal.md derives them.
struct Tuning {
  double momentum;    ///< b
  double penalty;     ///< c
  double dual_step;   ///< eta
  double iterations;  ///< predicted: so many shrink the error by e
};

/// For condition numbers kappa_f and kappa_M, and Hessians that differ by sigma from agent to agent: 0 where
/// they are equal, 1 for any.
Tuning tuning(double kappa_f, double kappa_M, double sigma);

/// Those with which it is NIDS: without momentum, and with half the penalty and dual step. They rest on L and
/// lambda_max alone.
Tuning nids_tuning(double kappa_f, double kappa_M);

/// The degree J of Q_J(W) for which (1 + tau J) iterations is least, or some more where rounds are cheap, and
/// that time.
struct Degree {
  Index J;
  double time;
};
Degree best_degree(double kappa_f, double kappa_W, double tau, double sigma);

}  // namespace ideal
