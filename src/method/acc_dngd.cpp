// SPDX-License-Identifier: Apache-2.0
#include "method/at_once.hpp"
#include "method/gossip.hpp"
#include "method/registry.hpp"
#include "method/steps.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace ideal {

namespace {

struct AccDngd {
  enum class Theory { measured, published };

  std::optional<double> step;  ///< e
  double step_scale = 1;
  bool safe = true;
  Theory theory = Theory::measured;

  static About about() {
    return {
        .name = "acc-dngd",
        .family = "gradient tracking",
        .summary =
            "accelerated distributed Nesterov gradient descent: Nesterov's method on a tracked mean gradient",
        .rule =
            "X+ = W_DS Y - e S;  V+ = (1 - a) W_DS V + a W_DS Y - (e/a) S;  Y+ = (X+ + a V+)/(1 + a);  "
            "S+ = W_DS S + g(Y+) - g(Y);  S_0 = g(Y_0),  a = sqrt(mu e)",
        .cost = "(1, 3)",
        .rate = "kappa_f^(5/7) log(1/eps), times a power of 1/(1 - sigma)",
        .assumptions = "f_i convex and smooth, f strongly convex",
        .citation = "Qu, Li. Accelerated distributed Nesterov gradient descent. IEEE TAC 2020",
        .local = true};
  }

  void parameters(Fields& fields) {
    fields.number("step", step, range::positive,
                  "step e; auto: min(0.15 (1 + lambda_min(W_DS))^2, 15 (1 - sigma)^2 / kappa_f^(3/7)) / L, "
                  "sigma = |W_DS - 11'/n|: the law of the theory, which has sigma^3 (1 - sigma)^3 / (62500 "
                  "kappa_f^(3/7) L), with measured factors");
    fields.number("step-scale", step_scale, range::positive, "multiplies the default step");
    static const std::array<std::string, 2> theories{"measured", "published"};
    fields.choice(
        "theory", theory, theories,
        "where the default step is from: measured, as told above; published, the end of the theorem's "
        "interval, with 1/2 for smaller sigma, of which it takes any bound");
    fields.flag(
        "safe", safe,
        "false: step 0.15 (1 + lambda_min(W_DS))^2 / L, faster on most problems and divergent on some, "
        "as stars with large kappa_f");
  }

  std::string be_careful() {
    safe = true;
    return half_the_step(step, step_scale);
  }

  Block operator()(Objective& F, Mixing& W, Run& run, Block X) const {
    const double s = doubly_stochastic_scale(W.spectrum());
    const double e = run.uses("step", step.value_or(step_scale * default_step(F, W.spectrum())));
    const double a = std::min(1.0, std::sqrt(F.mu() * e));

    Block Y = X, V = X, S = Block::Zero(X.rows(), X.cols()), G_prev = S;
    Index k = 0;

    run.keep(X, Y, V, S, G_prev, k);
    while (run.more(X)) {
      const bool common = k == 0 && run.starts_together();
      const Both oracles = at_once(W, S, common, [&]() -> const Block& { return F.gradient(Y); });
      const Block &G = oracles.gradient, &WS = oracles.mixed;
      W.locally(X, [&](auto own) {
        own(S) += own(G) - own(G_prev) - s * own(WS);
        own(G_prev) = own(G);
      });
      const Block& WY = common ? W.common(Y) : W.mix(Y);
      W.locally(X, [&](auto own) { own(X) = own(Y) - s * own(WY) - e * own(S); });
      const Block& WV = common ? W.common(V) : W.mix(V);
      W.locally(X, [&](auto own) {
        const Part Y_mixed = own(X) + e * own(S);
        own(V) = (1 - a) * (own(V) - s * own(WV)) + a * Y_mixed - e / a * own(S);
        own(Y) = (own(X) + a * own(V)) / (1 + a);
      });
      ++k;
    }
    return X;
  }

  /// The proof's bound is some 1e5 times too cautious, but its law holds: with these factors no run diverged
  /// on stars, lines, cycles, trees, barbells and tori with kappa_f up to 50 000, with seven times the second
  /// some did.
  double default_step(const Objective& F, const Spectrum& W) const {
    if (theory == Theory::published) return published_step(F, averaging_factor(W));
    const double gap = 1 - averaging_factor(W);
    const double largest = 0.15 * tracking_share(W);
    const double law = 15 * gap * gap * std::pow(F.kappa(), -3.0 / 7);
    return (safe ? std::min(largest, law) : largest) / F.L();
  }

  static double published_step(const Objective& F, double sigma) {
    const double bound = std::max(sigma, 0.5);  // s (1 - s) only falls from there on
    return std::pow(bound * (1 - bound), 3) * std::pow(F.kappa(), -3.0 / 7) / (250.0 * 250 * F.L());
  }
};

}  // namespace

Method make::acc_dngd() { return Method::of(AccDngd{}); }

}  // namespace ideal
