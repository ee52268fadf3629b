// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/method.hpp>

namespace ideal {

/// Nesterov's method on the dual: Theta = grad F*(-Omega), Lambda+ = Omega + eta M Theta, Omega+ = Lambda+ +
/// beta (Lambda+ - Lambda). The dual gradient is exact, or T accelerated local steps without communication.
struct DualAscent {
  bool exact = false;
  std::optional<Index> T;         ///< 2 sqrt(kappa_f)
  std::optional<double> eta;      ///< mu / lambda_max
  std::optional<double> beta;     ///< nest(kappa_f kappa_M)
  std::optional<double> beta_in;  ///< nest(kappa_f)
  bool carry = false;             ///< keep the inner momentum over dual steps

  void parameters(Fields& fields);
  Block operator()(Objective& F, Mixing& M, Run& run, Block X) const;
};

}  // namespace ideal
