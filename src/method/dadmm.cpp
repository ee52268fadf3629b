// SPDX-License-Identifier: Apache-2.0
#include "method/local_steps.hpp"
#include "method/registry.hpp"

#include <array>
#include <cmath>

namespace ideal {

namespace {

/// Where W is not the Laplacian, its entries weigh the edges: W_ii takes the place of the degree.
struct Dadmm {
  enum class Theory { quadratics, published };

  LocalSolver local;
  std::optional<double> rho;  ///< sqrt(L mu / (lambda_max lambda_min))
  double rho_scale = 1;
  Theory theory = Theory::quadratics;

  static About about() {
    return {.name = "dadmm",
            .family = "ADMM",
            .summary = "decentralized alternating direction method of multipliers",
            .rule =
                "x_i+ = argmin f_i(x) + <a_i, x> + rho W_ii |x|^2 - rho <2 W_ii x_i - (WX)_i, x>;  "
                "a+ = a + rho W X+;  a_0 = 0",
            .cost = "(1, 1) exact, (T, 1) inexact",
            .rate =
                "sqrt(kappa_f kappa_W) log(1/eps) on quadratics of equal Hessians and regular graphs; "
                "sqrt(kappa_f) log(1/eps) times what is the network's for all losses; (kappa_f kappa_G + "
                "kappa_G^2) log(1/eps) is promised with theory = published, kappa_G = sqrt(2 max "
                "W_ii/lambda_min)",
            .assumptions = "f_i strongly convex and smooth; local minimisers",
            .citation =
                "Shi, Ling, Yuan, Wu, Yin. On the linear convergence of the ADMM in decentralized consensus "
                "optimization. IEEE Trans. Signal Process. 2014, Theorem 1; rate for all losses: Makhdoumi, "
                "Ozdaglar. Convergence rate of distributed ADMM over networks. arXiv 1601.00194; rho: "
                "docs/decisions/020",
            .meets = {}};
  }

  void parameters(Fields& fields) {
    local.parameters(fields);
    static const std::array<std::string, 2> theories{"quadratics", "published"};
    fields.number("rho", rho, range::positive, "penalty; auto: sqrt(L mu/(lambda_max lambda_min))");
    fields.number("rho-scale", rho_scale, range::positive, "multiplies the default rho");
    fields.choice(
        "theory", theory, theories,
        "where the default rho is from: quadratics, the one that is best there "
        "(docs/decisions/020); published, the one to which Theorem 1 promises most: (q + sqrt(q^2 + "
        "4))/2 L/sqrt(2 max W_ii lambda_min), q = kappa_G/kappa_f");
  }

  Block operator()(Objective& F, Mixing& W, Run& run, Block X) const {
    const Neighbourhood known = W.neighbourhood();
    const double rho =
        run.uses("rho", this->rho.value_or(rho_scale * default_rho(F, W.spectrum(), known.most)));
    const Block D = each_agent(known.diagonal, X);
    LocalSteps minimise(local, F, W, run,
                        {2 * rho * known.diagonal, 2 * rho * known.least, 2 * rho * known.most}, X);

    Block a = Block::Zero(X.rows(), X.cols());
    Block A = -2 * rho * D.cwiseProduct(X);  // W X_0 = 0
    Index k = 0;

    run.keep(X, a, A, minimise.Y, minimise.t, k);
    run.sums_to_zero(a);
    while (run.more(X, k)) {
      if (!minimise(A, X)) continue;
      const Block& WX = W.mix(X);
      W.locally(X, [&](auto own) {
        own(a) += rho * own(WX);
        own(A) = own(a) - rho * (2 * own(D).cwiseProduct(own(X)) - own(WX));
      });
      ++k;
    }
    return X;
  }

  /// The theorem's sigma_max(M_+)^2 is 2 lambda_max(2 D - W) <= 4 max W_ii, its sigma_min(M_-)^2 2
  /// lambda_min.
  double default_rho(const Objective& F, const Spectrum& W, double largest_diagonal) const {
    if (theory == Theory::quadratics) return std::sqrt(F.L() * F.mu() / (W.lambda_max * W.lambda_min));
    const double unoriented = 2 * largest_diagonal, q = std::sqrt(unoriented / W.lambda_min) / F.kappa();
    return (q + std::sqrt(q * q + 4)) / 2 * F.L() / std::sqrt(unoriented * W.lambda_min);
  }
};

}  // namespace

Method make::dadmm() { return Method::of(Dadmm{}); }

}  // namespace ideal
