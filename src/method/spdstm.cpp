// SPDX-License-Identifier: Apache-2.0
#include "method/nesterov.hpp"
#include "method/registry.hpp"
#include "method/similar_triangles.hpp"
#include "method/steps.hpp"

#include <ideal/error.hpp>

#include <cmath>

namespace ideal {

namespace {

struct Spdstm {
  std::optional<bool> exact;      ///< where the losses are not smooth
  std::optional<Index> T;         ///< 2 sqrt(kappa_f)
  std::optional<bool> strong;     ///< where they are
  std::optional<double> beta_in;  ///< nest(kappa_f)

  static About about() {
    return {.name = "spdstm",
            .family = "dual",
            .summary =
                "dual approach: similar triangles on the dual, its answer the weighted mean of the primal "
                "points met",
            .rule =
                "Omega = theta U + (1 - theta) Lambda;  Theta = grad F*(-Omega);  U+ = similar triangles' "
                "step along W "
                "Theta;  Lambda+ = theta U+ + (1 - theta) Lambda;  X+ = theta Theta + (1 - theta) X",
            .cost = "(1, 1) exact, (T, 1) inexact",
            .rate = "sqrt(kappa_f kappa_W) log(1/eps) dual steps; 1/k^2 with strong = false",
            .assumptions =
                "f_i strongly convex, and smooth for strong = true; dual gradients, exact ones where f_i is "
                "not smooth. Its published noise is that of a stochastic dual oracle, which a finite sum of "
                "losses does not have: here its batch is everything",
            .citation =
                "Dvinskikh, Gasnikov. Decentralized and parallel primal and dual accelerated methods for "
                "stochastic "
                "convex programming problems. J. Inverse Ill-Posed Probl. 2021 (arXiv 1904.09015), SPDSTM; "
                "strong = true: "
                "Gorbunov, Dvinskikh, Gasnikov. arXiv 1911.07363, SSTM_sc",
            .meets = {Demand::nonsmooth}};
  }

  void parameters(Fields& fields) {
    fields.flag("exact", exact,
                "exact dual gradients (a local solve counted as one computation), not T local steps; auto: "
                "where the losses are not smooth");
    fields.number("T", T, range::count, "local accelerated steps for a dual gradient; auto: 2 sqrt(kappa_f)");
    fields.flag("strong", strong,
                "use that smooth losses make the dual strongly convex; auto: where they are");
    fields.number("beta-in", beta_in, range::momentum, "momentum of the local steps; auto: nest(kappa_f)");
  }

  Block operator()(Objective& F, Mixing& W, Run& run, Block X) const {
    const double L = F.L(), kappa = F.kappa();
    const bool smooth = std::isfinite(L), exact = this->exact.value_or(!smooth),
               strong = this->strong.value_or(smooth);
    if (!smooth && (!exact || strong))
      throw InputError(exact ? "--set strong=true" : "--set exact=false", describe(Demand::nonsmooth),
                       exact ? "it is made of the losses' smoothness" : "local steps are 1/L long",
                       "Leave it out, or give a positive --smoothing.");
    const double beta_in = exact ? 0 : run.uses("beta-in", this->beta_in.value_or(nest(kappa)));
    const Index T = exact ? 1 : run.uses("T", this->T ? *this->T : whole_steps(2 * std::sqrt(kappa), "T"));
    SimilarTriangles triangles{.L = W.spectrum().lambda_max / F.mu(),
                               .mu = strong ? W.spectrum().lambda_min / L : 0};

    Block Theta = X, Y = X;                                            // the local solve
    Block U = Block::Zero(X.rows(), X.cols()), Lambda = U, Omega = U;  // the dual
    Index k = 0, t = 0;

    run.keep(X, Theta, Y, U, Lambda, Omega, k, t, triangles.inverse, triangles.theta);
    while (run.more(X, k)) {
      if (t == 0) {
        triangles.advance(k == 0);
        W.locally(X, [&](auto own) {
          own(Omega) = triangles.theta * own(U) + (1 - triangles.theta) * own(Lambda);
        });
      }
      if (exact) {
        Theta = F.dual(Omega, Theta);
      } else {
        const Block& G = F.gradient(Y);
        W.locally(X, [&](auto own) {
          const Part next = own(Y) - (own(G) + own(Omega)) / L;
          own(Y) = next + beta_in * (next - own(Theta));
          own(Theta) = next;
        });
      }
      if (++t < T) continue;

      const Block& W_Theta = W.mix(Theta);
      const double theta = triangles.theta;
      W.locally(X, [&](auto own) {
        own(U) = triangles.stays() * own(U) + triangles.pulls() * (triangles.mu * own(Omega) + own(W_Theta));
        own(Lambda) = theta * own(U) + (1 - theta) * own(Lambda);
        own(X) = theta * own(Theta) + (1 - theta) * own(X);
        own(Y) = own(Theta);
      });
      ++k;
      t = 0;
    }
    return X;
  }
};

}  // namespace

Method make::spdstm() { return Method::of(Spdstm{}); }

}  // namespace ideal
