// SPDX-License-Identifier: Apache-2.0
#include "method/dual_ascent.hpp"

#include "method/nesterov.hpp"
#include "method/steps.hpp"

#include <cmath>

namespace ideal {

void DualAscent::parameters(Fields& fields) {
  fields.flag("exact", exact,
              "exact dual gradients (a local solve counted as one computation) instead of T local steps");
  fields.number("T", T, range::count,
                "local accelerated steps for a dual gradient; auto: 2 sqrt(kappa_f); the paper uses 100");
  fields.number("eta", eta, range::positive, "dual step; auto: mu/lambda_max");
  fields.number("beta", beta, range::momentum, "outer momentum; auto: nest(kappa_f kappa_M)");
  fields.number("beta-in", beta_in, range::momentum, "inner momentum; auto: nest(kappa_f)");
  fields.flag("carry", carry, "keep the inner momentum over dual steps");
}

Block DualAscent::operator()(Objective& F, Mixing& M, Run& run, Block X) const {
  const Spectrum spectrum = M.spectrum();
  const double L = F.L();
  const double eta = run.uses("eta", this->eta.value_or(F.mu() / spectrum.lambda_max));
  const double beta = run.uses("beta", this->beta.value_or(nest(F.kappa() * spectrum.kappa())));
  const double beta_in = run.uses("beta-in", this->beta_in.value_or(nest(F.kappa())));
  const Index T = exact ? 1 : run.uses("T", this->T ? *this->T : whole_steps(2 * std::sqrt(F.kappa()), "T"));

  Block Y = X, Lambda = Block::Zero(X.rows(), X.cols()), Omega = Lambda;
  Index k = 0, t = 0;

  run.keep(X, Y, Lambda, Omega, k, t);
  run.sums_to_zero(Omega);
  while (run.more(X, k)) {
    if (exact) {
      X = F.dual(Omega, X);
    } else {
      const Block& G = F.gradient(Y);
      M.locally(X, [&](auto own) {
        const Part X_next = own(Y) - (own(G) + own(Omega)) / L;
        own(Y) = X_next + beta_in * (X_next - own(X));
        own(X) = X_next;
      });
    }
    if (++t < T) continue;

    const Block& MX = M.mix(X);
    M.locally(X, [&](auto own) {
      const Part Lambda_next = own(Omega) + eta * own(MX);
      own(Omega) = Lambda_next + beta * (Lambda_next - own(Lambda));
      own(Lambda) = Lambda_next;
      if (!carry) own(Y) = own(X);
    });
    ++k;
    t = 0;
  }
  return X;
}

}  // namespace ideal
