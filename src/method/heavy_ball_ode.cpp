// SPDX-License-Identifier: Apache-2.0
#include "method/local_steps.hpp"
#include "method/registry.hpp"

#include <array>
#include <cmath>

namespace ideal {

namespace {

/// The dual variables move like a ball with friction, Lambda'' + 2 sqrt(m) Lambda' = W Theta(Lambda) with
/// Theta = grad F*(-Lambda), m = lambda_min/L being the strong convexity of the dual. A step is one of the
/// classical Runge-Kutta method in (Lambda, V), V = Lambda'. The publication does without smoothness; this
/// friction, which the linear rate needs, asks for it.
struct HeavyBallOde {
  LocalSolver local;
  std::optional<double> step;  ///< 2 sqrt(mu / lambda_max)
  double step_scale = 1;

  static About about() {
    return {
        .name = "heavy-ball-ode",
        .family = "dual",
        .summary = "the heavy-ball differential equation of the dual, discretised by Runge-Kutta steps",
        .rule =
            "Lambda' = V;  V' = -2 sqrt(lambda_min/L) V + W Theta,  Theta = grad F*(-Lambda);  "
            "one classical Runge-Kutta step of length h an iteration",
        .cost = "(4, 4) exact, (4 T, 4) inexact",
        .rate = "sqrt(kappa_f kappa_W) log(1/eps) dual gradients",
        .assumptions = "f_i strongly convex and smooth; dual gradients",
        .citation =
            "after Zhang, Uribe, Mokhtari, Jadbabaie. Achieving acceleration in distributed optimization via "
            "direct discretization of the heavy-ball ODE. ACC 2019",
        .meets = {}};
  }

  void parameters(Fields& fields) {
    local.parameters(fields);
    fields.number(
        "step", step, range::positive,
        "length h of a step; auto: 2 sqrt(mu/lambda_max), stable below about 2.8 sqrt(mu/lambda_max)");
    fields.number("step-scale", step_scale, range::positive, "multiplies the default step");
  }

  Block operator()(Objective& F, Mixing& W, Run& run, Block X) const {
    constexpr Index stages = 4;
    constexpr std::array weight{1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}, ahead{0.5, 0.5, 1.0, 0.0};
    const auto [lambda_max, lambda_min] = W.spectrum();
    const double h = run.uses("step", step.value_or(step_scale * 2 * std::sqrt(F.mu() / lambda_max)));
    const double friction = 2 * std::sqrt(lambda_min / F.L());
    LocalSteps minimise(local, F, W, run, {Vector::Zero(X.cols()), 0, 0}, X);

    Block Lambda = Block::Zero(X.rows(), X.cols()), V = Lambda;
    Block Lambda_next = Lambda, V_next = V, Lambda_here = Lambda, V_here = V;
    Index k = 0, stage = 0;

    run.keep(X, Lambda, V, Lambda_next, V_next, Lambda_here, V_here, minimise.Y, minimise.t, k, stage);
    run.sums_to_zero(Lambda_next);
    while (run.more(X, k)) {
      if (!minimise(Lambda_here, X)) continue;
      const Block& W_Theta = W.mix(X);
      const double share = h * weight[static_cast<std::size_t>(stage)];
      const double forward = h * ahead[static_cast<std::size_t>(stage)];
      const bool last = stage + 1 == stages;
      W.locally(X, [&](auto own) {
        const Part velocity = own(V_here), force = own(W_Theta) - friction * velocity;
        own(Lambda_next) += share * velocity;
        own(V_next) += share * force;
        if (last) {
          own(Lambda) = own(Lambda_next);
          own(V) = own(V_next);
        }
        own(Lambda_here) = own(Lambda) + forward * velocity;
        own(V_here) = own(V) + forward * force;
      });
      stage = last ? 0 : stage + 1;
      if (last) ++k;
    }
    return X;
  }
};

}  // namespace

Method make::heavy_ball_ode() { return Method::of(HeavyBallOde{}); }

}  // namespace ideal
