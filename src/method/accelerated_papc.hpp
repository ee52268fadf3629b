// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/method.hpp>

namespace ideal {

/// Proximal alternating predictor-corrector with Nesterov's momentum: the predicted X^ decides the dual step,
/// and X+ is the same primal step with the new dual.
///
///   Xg  = t X + (1 - t) Xf
///   X^  = (X - e (g(Xg) - mu Xg + Y)) / (1 + e mu)
///   Y+  = Y + M X^ / (e lambda_max)
///   X+  = X^ - e (Y+ - Y) / (1 + e mu)
///   Xf+ = Xg + 2t/(2 - t) (X+ - X)
struct AcceleratedPapc {
  std::optional<double> L_scale;  ///< 1/4

  void parameters(Fields& fields);
  std::string be_careful();
  Block operator()(Objective& F, Mixing& M, Run& run, Block X) const;
};

}  // namespace ideal
