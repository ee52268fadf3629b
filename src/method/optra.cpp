// SPDX-License-Identifier: Apache-2.0
#include "method/registry.hpp"

#include <cmath>

namespace ideal {

namespace {

/// For losses that are smooth and convex, no more, with M = Q(W). The steps are chosen for a number N of
/// iterations, after which
///
///   F(U) - F* - <grad F(X*), U - X*> <= 2 L R/N^2 + (2 R/nu + 2 nu G lambda_max/lambda_min)/N,
///
/// R = |X_0 - X*|^2, G = |grad F(X*)|^2. As nobody knows N beforehand, it doubles each time it is reached.
/// Its steps shrink to almost nothing and grow again before they settle, so that no guard can judge by them.
struct Optra {
  std::optional<double> nu;  ///< 1 / L
  Index horizon = 32;
  bool doubles = true;
  std::optional<Index> J;

  static About about() {
    return {.name = "optra",
            .family = "primal-dual",
            .summary = "accelerated primal-dual method for smooth convex losses, with Chebyshev gossip",
            .rule =
                "U+ = (I - M/lambda_max)(X - gamma (g(X) + Y^));  X+ = U+ + (t+/t - t+)(U+ - U);  "
                "Y+ = Y + (tau/t) M (U+ + (X+ - U+)/t+);  Y^+ = Y+ + (t/t+)(Y+ - Y);  "
                "t+ = (sqrt(t^4 + 4 t^2) - t^2)/2,  gamma = nu/(nu L + N + 1),  tau = 1/(nu (N + 1) "
                "lambda_max),  "
                "M = Q_J(W);  the answer is U;  after N iterations again from U with t = 1 and N doubled",
            .cost = "(1, 2 J)",
            .rate =
                "L R^2/N^2 + sqrt(kappa_M) G R/N after N iterations with the best nu, where R = |X_0 - X*|, "
                "G = |grad F(X*)|, "
                "kappa_M <= 4: a bound on the Bregman distance F(U) - F(X*) - <grad F(X*), U - X*>, "
                "which is the gap where agents agree",
            .assumptions = "f_i convex and smooth",
            .citation =
                "Xu, Tian, Sun, Scutari. Accelerated primal-dual algorithms for distributed smooth convex "
                "optimization over networks. AISTATS 2020; steps as in its authors' programs, which "
                "evaluate X where the answer here is U; starting again with N doubled is ours",
            .meets = {Demand::merely_convex, Demand::no_dual_oracle},
            .linear = false};
  }

  void parameters(Fields& fields) {
    fields.number("horizon", horizon, range::count, "N, the iterations that the first steps are chosen for");
    fields.flag("doubles", doubles,
                "start again from U with N doubled after N iterations; false: go on with the same steps");
    fields.number(
        "nu", nu, range::positive,
        "the larger, the longer the primal steps and the shorter the dual ones; auto: 1/L; best for "
        "the bound is |X_0 - X*|/(sqrt(kappa_M) |grad F(X*)|)");
    fields.number("J", J, range::count, "degree of the polynomial Q; auto: floor(sqrt(kappa_W))");
  }

  Block operator()(Objective& F, Mixing& W, Run& run, Block X) const {
    Chebyshev M(W, J);
    run.uses("J", M.degree());
    const double lambda_max = M.spectrum().lambda_max, L = F.L();
    const double nu = run.uses("nu", this->nu.value_or(1 / L));

    Block U = X, MU = Block::Zero(X.rows(), X.cols()), Y = MU, Y_ahead = MU, Z = X;
    Index k = 0, N = horizon;
    double t = 1;

    run.keep(U, X, MU, Y, Y_ahead, k, N, t);
    while (run.more(U)) {
      const auto steps = static_cast<double>(N) + 1;
      const double gamma = nu / (nu * L + steps), tau = 1 / (nu * steps * lambda_max);
      const double t_next = (std::sqrt(t * t + 4) - t) * t / 2;
      const double momentum = t_next / t - t_next;
      const bool begins = k == 0, ends = doubles && k + 1 == N;

      const Block& G = F.gradient(X);
      W.locally(X, [&](auto own) {
        if (begins) own(Y_ahead) = own(Y) + tau * own(MU);
        own(Z) = own(X) - gamma * (own(G) + own(Y_ahead));
      });
      const Block& MZ = M.mix(Z);
      W.locally(X, [&](auto own) {
        const Part U_next = own(Z) - own(MZ) / lambda_max;
        own(X) = ends ? U_next : Part(U_next + momentum * (U_next - own(U)));
        own(U) = U_next;
      });
      const Block& MU_next = M.mix(U);
      W.locally(X, [&](auto own) {
        // M of U+ + (X+ - U+)/t+ costs no rounds of its own.
        const Part change = tau / t * (own(MU_next) + momentum / t_next * (own(MU_next) - own(MU)));
        own(Y) += change;
        own(Y_ahead) = own(Y) + t / t_next * change;
        own(MU) = own(MU_next);
      });
      t = ends ? 1 : t_next;
      k = ends ? 0 : k + 1;
      if (ends) N *= 2;
    }
    return U;
  }
};

}  // namespace

Method make::optra() { return Method::of(Optra{}); }

}  // namespace ideal
