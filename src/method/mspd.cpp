// SPDX-License-Identifier: Apache-2.0
#include "method/lipschitz.hpp"
#include "method/registry.hpp"

namespace ideal {

namespace {

/// Chambolle and Pock's primal-dual steps; the proximal step of F is made of subgradients.
struct Mspd {
  std::optional<double> radius, lipschitz;
  std::optional<Index> T;  ///< subgradients of iteration k; k
  std::optional<Index> J;  ///< floor(sqrt(kappa_W))
  double step_scale = 1;

  static About about() {
    return {
        .name = "mspd",
        .family = "non-smooth",
        .summary =
            "multi-step primal-dual: subgradients between rounds of gossip; the answer is the mean of the "
            "iterates",
        .rule =
            "Lambda+ = Lambda + sigma Q(W)(2X - X-);  X+ ~ argmin F(V) + <Lambda+,V> + |V - X|^2/(2 eta) by "
            "T steps V+ = V - 2/(m+2) (eta (g(V) + Lambda+) + V - X);  the answer is the mean of X_1 ... X_k",
        .cost = "(T, J); once at most (2, 2 diameters), to find radius and lipschitz",
        .rate =
            "R G/eps iterations and (R G/eps)^2 computations, as published for T = the number of iterations; "
            "T = k costs at most a logarithm more",
        .assumptions = "f_i convex and Lipschitz",
        .citation =
            "Scaman, Bach, Bubeck, Lee, Massoulie. Optimal algorithms for non-smooth distributed "
            "optimization in networks. NeurIPS 2018, Algorithm 2, T subgradients an iteration there",
        .meets = {Demand::no_dual_oracle, Demand::merely_convex, Demand::nonsmooth},
        .linear = false};
  }

  void parameters(Fields& fields) {
    extent_parameters(fields, radius, lipschitz);
    fields.number("T", T, range::count, "subgradients of an iteration; auto: k in the k-th");
    fields.number("J", J, range::count, "degree of the polynomial Q; auto: floor(sqrt(kappa_W))");
    fields.number("step-scale", step_scale, range::positive, "multiplies eta = R/(G sqrt(kappa_Q))");
  }

  Block operator()(Objective& F, Mixing& W, Run& run, Block X) const {
    Chebyshev Q(W, J);
    run.uses("J", Q.degree());
    Extent size;
    if (!(lipschitz && radius) && !run.resumes()) size = extent(F, W, run, X, radius, lipschitz);

    Block mean = X, X_prev = X, ahead = X, V = X, Lambda = Block::Zero(X.rows(), X.cols());
    Index k = 0, t = 0;  // iterations done, subgradients of this one

    run.keep(mean, X, X_prev, V, Lambda, k, t, size.G, size.R);
    const double G = run.uses("lipschitz", lipschitz.value_or(size.G)),
                 R = run.uses("radius", radius.value_or(size.R));
    const double eta = run.uses("eta", step_scale * R / (G * std::sqrt(Q.spectrum().kappa())));
    const double sigma = 1 / (eta * Q.spectrum().lambda_max);
    while (run.more(mean, k)) {
      if (t == 0) {
        W.locally(X, [&](auto own) { own(ahead) = 2 * own(X) - own(X_prev); });
        const Block& QX = k == 0 ? Q.common(ahead) : Q.mix(ahead);
        W.locally(X, [&](auto own) {
          own(Lambda) += sigma * own(QX);
          own(V) = own(X);
        });
      }
      const Block& g = F.gradient(V);
      const double step = 2 / static_cast<double>(t + 2);
      W.locally(X, [&](auto own) { own(V) -= step * (eta * (own(g) + own(Lambda)) + own(V) - own(X)); });
      if (++t < T.value_or(k + 1)) continue;

      const double weight = 1 / static_cast<double>(k + 1);
      W.locally(X, [&](auto own) {
        own(X_prev) = own(X);
        own(X) = own(V);
        own(mean) += weight * (own(X) - own(mean));
      });
      ++k;
      t = 0;
    }
    return mean;
  }
};

}  // namespace

Method make::mspd() { return Method::of(Mspd{}); }

}  // namespace ideal
