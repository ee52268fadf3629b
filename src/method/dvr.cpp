// SPDX-License-Identifier: Apache-2.0
#include "method/registry.hpp"

#include <ideal/error.hpp>

#include <algorithm>
#include <vector>

namespace ideal {

namespace {

/// Dual block-coordinate ascent without dual oracles. With f_i = sigma/2 |x|^2 + sum_j f_ij, every part has a
/// point z_ij of its own whose gradient y_ij is the dual variable of the part, and
/// sigma x_i = - sum_j y_ij - (dual variables of the edges at i) throughout.
struct Dvr {
  std::optional<Index> parts;  ///< at most 100
  std::optional<Index> J;      ///< floor(sqrt(kappa_W))
  std::optional<double> p;     ///< balances the two bounds on eta
  double step_scale = 1;

  static About about() {
    return {.name = "dvr",
            .family = "stochastic",
            .summary =
                "dual-free stochastic method with variance reduction: at random a round or a gradient of a "
                "few rows",
            .rule =
                "with probability p: X+ = X - eta/(p sigma) Q(W) X; else, with a part j of its rows drawn by "
                "each agent: "
                "z_ij+ = (1 - q) z_ij + q x_i, x_i+ = x_i - (grad f_ij(z_ij+) - grad f_ij(z_ij))/sigma, q = "
                "alpha eta "
                "parts/(1 - p);  the answer is the mean of an agent's z_ij, as published it is X",
            .cost = "(0, J) a round, (1/parts, 0) a gradient; once (1, 0)",
            .rate =
                "(parts + kappa_s) log(1/eps) gradients of parts, (L/sigma) sqrt(kappa_W) log(1/eps) rounds; "
                "kappa_s = L of "
                "a part over sigma",
            .assumptions =
                "f_i a sum of convex smooth parts and sigma/2 |x|^2; a random sequence all agents know; room "
                "for two "
                "vectors a part",
            .citation =
                "Hendrikx, Bach, Massoulie. Dual-free stochastic decentralized optimization with variance "
                "reduction. "
                "NeurIPS 2020, Algorithm 1 and Theorem 1; parts drawn uniformly, alpha with 2 L - sigma for "
                "the paper's sigma + lambda_max (docs/decisions/020)"};
  }

  void parameters(Fields& fields) {
    fields.number(
        "parts", parts, range::count,
        "an agent's rows are cut into so many parts, at most one a row; auto: a part a row, at most 100");
    fields.number("J", J, range::count, "rounds of Chebyshev averaging in place of one; auto: sqrt(kappa_W)");
    fields.number(
        "p", p, Range{0, 1, true, true, "a number in (0, 1)"},
        "probability of a round; auto: such that neither rounds nor gradients limit the step alone");
    fields.number("step-scale", step_scale, range::positive, "multiplies the default step eta");
  }

  static bool stochastic() { return true; }

  Block operator()(Objective& F, Mixing& W, Run& run, Block mean) const {
    Chebyshev M(W, J);
    const auto [lambda_max, lambda_min] = M.spectrum();
    const Index d = mean.rows(), parts = run.uses("parts", std::min(F.rows(), this->parts.value_or(100)));
    const double m = static_cast<double>(parts), sigma = F.own_l2();
    if (!(sigma > 0))
      throw InputError("--method dvr", "l2 = 0",
                       "every row's loss must be strongly convex, not only their sum",
                       "Give a positive --l2, or use --method ideal.");
    // Half of the parts' conjugates makes the dual lambda_min/(2L - sigma) strongly convex in the edges.
    const double alpha = run.uses("alpha", 2 * lambda_min / (2 * F.L() - sigma));
    const double kappa_s = F.part_L(parts) / sigma - 1;
    const double p =
        run.uses("p", this->p.value_or(lambda_max / (lambda_max + sigma * alpha * (m + kappa_s))));
    const double eta =
        run.uses("eta", step_scale * std::min(p * sigma / lambda_max, (1 - p) / (alpha * (m + kappa_s))));
    const double q = alpha * eta * m / (1 - p);
    run.uses("J", M.degree());

    Block X = mean;                                 // the mean is that of each agent's z_ij
    Block Z = mean.replicate(parts, 1), Y = 0 * Z;  // z_ij and y_ij, one below the other
    std::vector<Index> chosen(static_cast<std::size_t>(mean.cols()));
    Block point = mean;
    Index k = 0;

    // y_ij becomes the gradient of f_ij = (part j - sigma/2 |x|^2) / m at z_ij = point, and x_i follows.
    const auto move_parts = [&] {
      const Block& G = F.part_gradient(point, parts, chosen);
      for (Index c = 0; c < X.cols(); ++c) {
        auto z = Z.col(c).segment(chosen[static_cast<std::size_t>(c)] * d, d),
             y = Y.col(c).segment(chosen[static_cast<std::size_t>(c)] * d, d);
        mean.col(c) += (point.col(c) - z) / m;
        z = point.col(c);
        X.col(c) += y / sigma;
        y = (G.col(c) - sigma * z) / m;
        X.col(c) -= y / sigma;
      }
    };

    run.keep(mean, X, Z, Y, k);
    while (run.more(mean)) {
      if (k == 0) {
        X.setZero();
        for (Index j = 0; j < parts; ++j) {
          std::ranges::fill(chosen, j);
          move_parts();
        }
      } else if (F.common_draw(k) < p) {
        const Block& MX = M.mix(X);
        M.locally(X, [&](auto own) { own(X) -= eta / (p * sigma) * own(MX); });
      } else {
        F.draw_parts(parts, k, chosen);
        for (Index c = 0; c < X.cols(); ++c)
          point.col(c) =
              (1 - q) * Z.col(c).segment(chosen[static_cast<std::size_t>(c)] * d, d) + q * X.col(c);
        move_parts();
      }
      ++k;
    }
    return mean;
  }
};

}  // namespace

Method make::dvr() { return Method::of(Dvr{}); }

}  // namespace ideal
