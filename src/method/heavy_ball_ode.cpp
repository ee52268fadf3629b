// SPDX-License-Identifier: Apache-2.0
#include "method/local_steps.hpp"
#include "method/registry.hpp"

#include <ideal/error.hpp>

#include <array>
#include <cmath>

namespace ideal {

namespace {

const std::array<std::string, 3> friction_names{"auto", "constant", "fading"};

/// The dual variables move like a ball with friction, Lambda'' + a(t) Lambda' = c W Theta(Lambda) with Theta
/// = grad F*(-Lambda). Where the losses are smooth the dual is strongly convex, by m = lambda_min/L, and a =
/// 2 sqrt(m), c = 1 bring the ball to rest soonest: a choice of this project, as the publication has strongly
/// convex losses that need not be smooth. Else a = 5/t and c = 4, p = 2 in Zhang, Mokhtari, Sra, Jadbabaie
/// (NeurIPS 2018), from t = 5 sqrt(mu/lambda_max) on, where friction has become one a step. Their theorem
/// asks for a dual with six derivatives, which losses with kinks do not give in general, and for a step that
/// is short enough for the number of iterations; the step here stays the same. A step is one of the classical
/// Runge-Kutta method in (Lambda, V), V = Lambda'.
struct HeavyBallOde {
  enum class Friction { automatic, constant, fading };

  std::optional<bool> exact;  ///< where the losses are not smooth
  std::optional<Index> T;
  std::optional<double> step;  ///< 2 sqrt(mu / lambda_max), with fading friction half of that
  double step_scale = 1;
  Friction friction = Friction::automatic;

  static About about() {
    return {
        .name = "heavy-ball-ode",
        .family = "dual",
        .summary = "the heavy-ball differential equation of the dual, discretised by Runge-Kutta steps",
        .rule =
            "Lambda' = V;  V' = -2 sqrt(lambda_min/L) V + W Theta,  Theta = grad F*(-Lambda);  "
            "with fading friction V' = -(5/t) V + 4 W Theta instead;  "
            "one classical Runge-Kutta step of length h an iteration",
        .cost = "(4, 4) exact, (4 T, 4) inexact",
        .rate =
            "sqrt(kappa_f kappa_W) log(1/eps) dual gradients on quadratics; with fading friction eps^(-5/8) "
            "for a dual gap of eps where the dual is six times differentiable and steps are short enough for "
            "their number, which default steps are not made for; else none is known",
        .assumptions = "f_i strongly convex; local minimisers, exact ones where f_i is not smooth",
        .citation =
            "after Zhang, Uribe, Mokhtari, Jadbabaie. Achieving acceleration in distributed optimization via "
            "direct discretization of the heavy-ball ODE. ACC 2019; fading friction: Zhang, Mokhtari, Sra, "
            "Jadbabaie. Direct Runge-Kutta discretization achieves acceleration. NeurIPS 2018, Theorem 1; "
            "constant friction, the default for smooth losses, and all steps are ours: docs/decisions/020",
        .meets = {Demand::nonsmooth}};
  }

  void parameters(Fields& fields) {
    fields.flag("exact", exact,
                "exact local minimisers (each counted as one computation) instead of T local steps; auto: "
                "where the losses are not smooth");
    fields.number("T", T, range::count,
                  "local accelerated steps for a minimiser; auto: 2 sqrt(kappa) of the local problems");
    fields.choice("friction", friction, friction_names,
                  "constant, as smooth losses allow, or fading like 1/t; auto: as the losses are");
    fields.number("step", step, range::positive,
                  "length h of a step; auto: 2 sqrt(mu/lambda_max), stable below about 2.8 "
                  "sqrt(mu/lambda_max); with fading friction half of both");
    fields.number("step-scale", step_scale, range::positive, "multiplies the default step");
  }

  Block operator()(Objective& F, Mixing& W, Run& run, Block X) const {
    constexpr Index stages = 4;
    constexpr std::array weight{1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}, ahead{0.5, 0.5, 1.0, 0.0},
        at{0.0, 0.5, 0.5, 1.0};
    const auto [lambda_max, lambda_min] = W.spectrum();
    const bool smooth = std::isfinite(F.L());
    const bool fades = friction == Friction::automatic ? !smooth : friction == Friction::fading;
    if (!fades && !smooth)
      throw InputError("--set friction=constant", describe(Demand::nonsmooth),
                       "it is made of the losses' smoothness", "Use friction=fading.");
    const double unit = std::sqrt(F.mu() / lambda_max);  // of time
    const double h = run.uses("step", step.value_or(step_scale * (fades ? 1 : 2) * unit));
    const double pull = fades ? 4 : 1, constant = fades ? 0 : 2 * std::sqrt(lambda_min / F.L());
    const LocalSolver local{.exact = exact.value_or(!smooth), .T = T};
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
      const double t = 5 * unit + (static_cast<double>(k) + at[static_cast<std::size_t>(stage)]) * h;
      const double friction = fades ? 5 / t : constant;
      W.locally(X, [&](auto own) {
        const Part velocity = own(V_here), force = pull * own(W_Theta) - friction * velocity;
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
