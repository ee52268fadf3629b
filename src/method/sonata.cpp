// SPDX-License-Identifier: Apache-2.0
#include "method/gossip.hpp"
#include "method/nesterov.hpp"
#include "method/registry.hpp"
#include "method/steps.hpp"

#include <cmath>

namespace ideal {

namespace {

struct Sonata {
  bool exact = false;
  std::optional<Index> T;     ///< 2 sqrt((L + tau) / (mu + tau))
  std::optional<double> tau;  ///< L
  std::optional<double> step;
  double step_scale = 1;

  static About about() {
    return {
        .name = "sonata",
        .family = "gradient tracking",
        .summary =
            "successive convex approximation: agents minimise their own loss, its gradient corrected to the "
            "tracked mean",
        .rule =
            "X^ = argmin F(Z) + <S - g(X), Z> + (tau/2) |Z - X|^2;  X+ = W_DS (X + gamma (X^ - X));  "
            "S+ = W_DS (S + g+ - g);  S_0 = g_0",
        .cost = "(2, 2) exact, (T, 2) inexact",
        .rate =
            "kappa log(1/eps) where kappa is the condition number of f, the average of the losses, (beta/mu) "
            "log(1/eps) where their Hessians differ from that of f by beta only and proximal is about beta; "
            "both as published, on a good network or with about 1/sqrt(1 - sigma) rounds in place of one",
        .assumptions = "f_i convex and smooth, f strongly convex",
        .citation =
            "Sun, Daneshmand, Scutari. Convergence rate of distributed optimization algorithms based on "
            "gradient tracking. 2019; Distributed optimization based on gradient tracking revisited: "
            "enhancing convergence rate via surrogation. SIAM J. Optim. 2022"};
  }

  void parameters(Fields& fields) {
    fields.flag("exact", exact,
                "exact local minimisers (counted as one computation) instead of T local steps");
    fields.number(
        "T", T, range::count,
        "local accelerated steps, the first of which is paid by g; auto: 2 sqrt((L + tau)/(mu + tau)); "
        "1 is ATC-DIGing with step gamma/(L + tau)");
    fields.number(
        "proximal", tau, range::nonnegative,
        "weight tau of the proximal term; auto: L; as small as the losses' Hessians differ is faster");
    fields.number(
        "step", step, range::positive,
        "step gamma; auto: (1 + lambda_min(W_DS))^2, at most 1: proven for T = 1 and for quadratics "
        "of equal Hessians (docs/decisions/020), measured else; the publication has powers of 1 - "
        "sigma");
    fields.number("step-scale", step_scale, range::positive, "multiplies the default step");
  }

  Block operator()(Objective& F, Mixing& W, Run& run, Block X) const {
    const double s = doubly_stochastic_scale(W.spectrum());
    const double tau = run.uses("proximal", this->tau.value_or(F.L()));
    const double gamma = run.uses("step", step.value_or(step_scale * tracking_share(W.spectrum())));
    const double kappa = (F.L() + tau) / (F.mu() + tau), beta = nest(kappa), inner_step = 1 / (F.L() + tau);
    const Index T = exact ? 2 : run.uses("T", this->T ? *this->T : whole_steps(2 * std::sqrt(kappa), "T"));
    const Vector taus = Vector::Constant(X.cols(), tau);

    Block S = Block::Zero(X.rows(), X.cols()), G_prev = S, A = S, V = S, X_hat = X, Y = X;
    Index k = 0, t = 0;

    run.keep(X, S, G_prev, A, X_hat, Y, k, t);
    while (run.more(X, k)) {
      if (exact && t == 1) {
        X_hat = F.tilted(A, taus, X_hat);
      } else {
        const Block& G = F.gradient(Y);
        if (t == 0) {  // Y = X
          W.locally(X, [&](auto own) {
            own(V) = own(S) + own(G) - own(G_prev);
            own(G_prev) = own(G);
          });
          const Block& WV = k == 0 ? W.common(V) : W.mix(V);
          W.locally(X, [&](auto own) {
            own(S) = own(V) - s * own(WV);
            own(A) = own(S) - own(G) - tau * own(X);
          });
        }
        if (!exact)
          W.locally(X, [&](auto own) {
            const Part X_next = own(Y) - inner_step * (own(G) + own(A) + tau * own(Y));
            own(Y) = X_next + beta * (X_next - own(X_hat));
            own(X_hat) = X_next;
          });
      }
      if (++t < T) continue;

      W.locally(X, [&](auto own) { own(V) = own(X) + gamma * (own(X_hat) - own(X)); });
      const Block& WV = W.mix(V);
      W.locally(X, [&](auto own) { own(X) = own(X_hat) = own(Y) = own(V) - s * own(WV); });
      ++k;
      t = 0;
    }
    return X;
  }
};

}  // namespace

Method make::sonata() { return Method::of(Sonata{}); }

}  // namespace ideal
