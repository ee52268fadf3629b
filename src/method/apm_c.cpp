// SPDX-License-Identifier: Apache-2.0
#include "method/gossip.hpp"
#include "method/registry.hpp"
#include "method/steps.hpp"

#include <cmath>

namespace ideal {

namespace {

struct ApmC {
  double c = 1;
  double L_scale = 1;  ///< more where it went astray

  static About about() {
    return {
        .name = "apm-c",
        .family = "penalty",
        .summary = "accelerated penalty method with more and more consensus rounds",
        .rule =
            "Y = X + (L theta - mu)(1 - theta)/((L - mu) theta) (X - X-);  Z0 = Y - g(Y)/L;  Z = FastMix(Z0, "
            "T_k), or P^T_k Z0 where so few rounds overshoot;  "
            "X+ = (L t_k Z0 + b0 Z)/(L t_k + b0),  t_k = (1 - theta)^(k+1),  b0 = L sqrt(kappa_W)",
        .cost = "(1, T_k), T_k = ceil(c k theta sqrt(kappa_W)), theta = sqrt(mu/L), k = 1, 2, ...",
        .rate = "sqrt(kappa_f) log(1/eps) computations, sqrt(kappa_f kappa_W) log^2(1/eps) communications",
        .assumptions = "f_i strongly convex and smooth",
        .citation =
            "Li, Fang, Yin, Lin. A sharp convergence rate analysis for distributed accelerated gradient "
            "methods. 2018"};
  }

  void parameters(Fields& fields) {
    fields.number("step", c, range::positive, "c, the factor of the consensus rounds T_k");
  }

  std::string be_careful() {
    L_scale *= 2;
    c *= 1.25;
    return fmt::format("L-scale = {}, step = {:.4g}", L_scale, c);
  }

  Block operator()(Objective& F, Mixing& W, Run& run, Block X) const {
    const double L = L_scale * F.L(), mu = F.mu();
    const double theta = std::sqrt(mu / L);
    const double root_kappa_W = std::sqrt(W.spectrum().kappa());
    const double b0 = L * root_kappa_W;
    const double momentum = L > mu ? (L * theta - mu) * (1 - theta) / ((L - mu) * theta) : 0;
    // Momentum m on what mixing multiplies by s, z^2 = s (1 + m) z - s m, grows where s < -1/(1 + 2 m). The
    // first T_k are so few on a large network that FastMix does that, and kappa_f decides for how long.
    const double bearable = 1 / (1 + 2 * momentum);
    run.uses("step", c);

    Block X_prev = X, Y = X, Z0 = X;
    FastMix fast_mix(W);
    Index k = 1;

    run.keep(X, X_prev, k);
    while (run.more(X)) {
      W.locally(X, [&](auto own) { own(Y) = own(X) + momentum * (own(X) - own(X_prev)); });
      const Block& G = F.gradient(Y);
      W.locally(X, [&](auto own) { own(Z0) = own(Y) - own(G) / L; });
      const Index rounds = whole_steps(c * static_cast<double>(k) * theta * root_kappa_W, "step");
      const double penalty = L * std::pow(1 - theta, k + 1);
      const Block& Z =
          fast_mix.overshoot(rounds) <= bearable ? fast_mix(Z0, rounds) : fast_mix.plainly(Z0, rounds);
      W.locally(X, [&](auto own) {
        own(X_prev) = own(X);
        own(X) = (penalty * own(Z0) + b0 * own(Z)) / (penalty + b0);
      });
      ++k;
    }
    return X;
  }
};

}  // namespace

Method make::apm_c() { return Method::of(ApmC{}); }

}  // namespace ideal
