// SPDX-License-Identifier: Apache-2.0
#include "method/at_once.hpp"
#include "method/registry.hpp"
#include "method/similar_triangles.hpp"
#include "method/steps.hpp"

#include <algorithm>
#include <cmath>

namespace ideal {

namespace {

struct PenaltyStm {
  double accuracy = 1e-3;
  std::optional<double> penalty;  ///< 2 R^2 / eps
  std::optional<Index> batch;     ///< sigma^2 theta / ((1/A + mu) eps)
  std::optional<double> sigma;    ///< as the rows of the start tell
  std::optional<Index> J;         ///< floor(sqrt(kappa_W))

  static About about() {
    return {
        .name = "penalty-stm",
        .family = "stochastic",
        .summary = "similar triangles with mini-batches and a penalty for disagreement, to a given accuracy",
        .rule =
            "similar triangles (theta_k, U, Y, X) on F(X) + (r/2) <X, Q(W) X>, r = 2 R^2/eps, R^2 = |grad "
            "F(X_0)|^2/lambda_min (published: at the optimum);  gradients on as many rows as keep their "
            "noise below eps",
        .cost = "(batch_k/rows, J); once (2, diameter)",
        .rate =
            "sqrt((L + r)/mu) log(1/eps) steps and sigma^2/(mu eps) rows, to about eps, where gradients at "
            "the optimum are no longer than at the start",
        .assumptions =
            "f_i strongly convex and smooth; unbiased gradients of bounded variance; eps chosen beforehand",
        .citation =
            "Dvinskikh, Gasnikov. Decentralized and parallel primal and dual accelerated methods for "
            "stochastic convex programming problems. J. Inverse Ill-Posed Probl. 2021 (arXiv 1904.09015), "
            "the primal approach; strong convexity in the steps themselves in place of restarts, and batches "
            "without the logarithm of a confidence",
        .linear = false};
  }

  void parameters(Fields& fields) {
    fields.number("accuracy", accuracy, range::positive,
                  "eps as a share of n max_i |grad f_i(x_0)|^2/(2 mu), which bounds the first gap");
    fields.number("penalty", penalty, range::positive,
                  "r; auto: 2 R^2/eps, R^2 = n max_i |grad f_i(x_0)|^2/lambda_min");
    fields.number("batch", batch, range::count,
                  "rows of a gradient; auto: by the theory, for noise below eps");
    fields.number("sigma", sigma, range::nonnegative,
                  "standard deviation of a row's gradient; auto: the largest of any agent at the start");
    fields.number("J", J, range::count, "rounds of Chebyshev averaging in place of one; auto: sqrt(kappa_W)");
  }

  static bool stochastic() { return true; }

  Block operator()(Objective& F, Mixing& W, Run& run, Block X) const {
    Chebyshev M(W, J);
    const auto [lambda_max, lambda_min] = M.spectrum();
    const auto n = static_cast<double>(M.agents());
    run.uses("J", M.degree());

    Block U = X, Y = X;
    Index k = 0;
    double slope = 0, variance = 0;  // the largest |grad f_i(x_0)|^2 and variance of a row's gradient
    SimilarTriangles triangles{.L = F.L(), .mu = F.mu()};

    run.keep(X, U, k, slope, variance, triangles.inverse, triangles.theta);
    while (run.more(X, k)) {
      if (k == 0) {
        Block told(2, X.cols());
        const Block& G = F.gradient(X);
        told.row(0) = G.colwise().squaredNorm();
        told.row(1) = F.row_variance(X, G).transpose();
        const Vector most = M.maxima(told);
        slope = most[0];
        variance = sigma ? *sigma * *sigma : most[1];
      }
      const double eps = run.uses("eps", accuracy * n * slope / (2 * F.mu()));
      const double r = run.uses("penalty", penalty.value_or(2 * n * slope / (lambda_min * eps)));
      triangles.L = F.L() + r * lambda_max;
      triangles.advance(k == 0);
      const double mu = triangles.mu, theta = triangles.theta;
      const Index rows = run.uses("batch", batch ? *batch : rows_for(n * variance * triangles.pulls() / eps));

      M.locally(X, [&](auto own) { own(Y) = theta * own(U) + (1 - theta) * own(X); });
      const Both at_Y = at_once(M, Y, k == 0, [&]() -> const Block& { return F.gradient(Y, rows, k); });
      const Block &G = at_Y.gradient, &MY = at_Y.mixed;
      M.locally(X, [&](auto own) {
        own(U) = triangles.stays() * own(U) + triangles.pulls() * (mu * own(Y) - own(G) - r * own(MY));
        own(X) = theta * own(U) + (1 - theta) * own(X);
      });
      ++k;
    }
    return X;
  }

 private:
  /// No more than a billion, which is all there are.
  static Index rows_for(double count) { return static_cast<Index>(std::ceil(std::clamp(count, 1.0, 1e9))); }
};

}  // namespace

Method make::penalty_stm() { return Method::of(PenaltyStm{}); }

}  // namespace ideal
