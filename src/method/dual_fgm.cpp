// SPDX-License-Identifier: Apache-2.0
#include "method/local_steps.hpp"
#include "method/registry.hpp"

#include <ideal/error.hpp>

#include <array>
#include <cmath>

#include <fmt/format.h>

namespace ideal {

namespace {

/// Nesterov's fast gradient method on the dual, for four classes of losses. What the losses lack is added:
/// (nu/2) |x - x_0|^2 to each where they are not strongly convex, so that the dual is smooth, and perhaps
/// (delta/2) |y|^2 to the dual (Lambda = sqrt(W) y) where it is not strongly convex because they are not
/// smooth. Without delta its momentum grows, and the answer is the mean of all Theta, the later ones weighing
/// more.
struct DualFgm {
  enum class Class { automatic, strong_smooth, strong, smooth, convex };

  Class losses = Class::automatic;
  double eps = 1e-3;
  double radius = 1;         ///< of one agent; |X_0 - X*| of all is sqrt(n) times that
  std::optional<double> nu;  ///< eps / (n radius^2)
  double delta = 0;
  std::optional<bool> exact;  ///< where the losses are not smooth
  std::optional<Index> T;

  static About about() {
    return {.name = "dual-fgm",
            .family = "dual",
            .summary = "fast gradient method on the dual, regularised as the class of the losses asks for",
            .rule =
                "Theta = argmin F(X) + <Omega,X> + nu/2 |X - X_0|^2;  "
                "Lambda+ = Omega + eta (W Theta - delta Omega);  "
                "Omega+ = Lambda+ + beta_k (Lambda+ - Lambda);  "
                "X_k = Theta where the dual is strongly convex, else X_k = X_{k-1} + (Theta - X_{k-1})/t_k,  "
                "t_{k+1} = (1 + sqrt(1 + 4 t_k^2))/2,  beta_k = (t_k - 1)/t_{k+1}",
            .cost = "(1, 1) exact, (T, 1) inexact",
            .rate =
                "class 1: sqrt(kappa_f kappa_W) log(1/eps) dual steps; class 2: sqrt(G^2 kappa_W/(mu eps)); "
                "class 3: sqrt(L R^2 kappa_W/eps) log(1/eps); class 4: G R sqrt(kappa_W)/eps; G = |grad "
                "F(X*)|, R = |X_0 - X*| = sqrt(n) r",
            .assumptions =
                "f_i convex; class 1 strongly convex and smooth, 2 strongly convex, 3 smooth, 4 neither; "
                "local minimisers, exact ones where f_i is not smooth",
            .citation =
                "Uribe, Lee, Gasnikov, Nedic. A dual approach for optimal algorithms in distributed "
                "optimization over networks. Optim. Methods Softw. 2021; the bounds: docs/decisions/020",
            .meets = {Demand::merely_convex, Demand::nonsmooth}};
  }

  void parameters(Fields& fields) {
    static const std::array<std::string, 5> classes{"auto", "1", "2", "3", "4"};
    fields.choice(
        "class", losses, classes,
        "losses taken as 1 strongly convex and smooth, 2 strongly convex, 3 smooth, 4 neither; auto: as "
        "L and mu tell");
    fields.number("eps", eps, range::positive, "classes 3 and 4: accuracy of f that nu is chosen for");
    fields.number("radius", radius, range::positive,
                  "classes 3 and 4: r, how far from an agent's start the optimum is at most");
    fields.number(
        "nu", nu, range::positive,
        "classes 3 and 4: strong convexity added; auto: eps/(n r^2), which changes f by eps/2 at most");
    fields.number("delta", delta, range::nonnegative,
                  "classes 2 and 4: strong convexity added to the dual; 0: none, and weighted means instead");
    fields.flag("exact", exact,
                "exact local minimisers (each counted as one computation) instead of T local steps; auto: in "
                "classes 2 and 4");
    fields.number("T", T, range::count,
                  "local accelerated steps for a minimiser; auto: 2 sqrt(kappa) of the local problems");
  }

  [[nodiscard]] Class class_of(const Objective& F) const {
    if (losses != Class::automatic) return losses;
    const bool smooth = std::isfinite(F.L()), strong = F.mu() > 0;
    if (strong) return smooth ? Class::strong_smooth : Class::strong;
    return smooth ? Class::smooth : Class::convex;
  }

  Block operator()(Objective& F, Mixing& W, Run& run, const Block& start) const {
    const auto [lambda_max, lambda_min] = W.spectrum();
    const Class known = class_of(F);
    const bool strong = known == Class::strong_smooth || known == Class::strong;
    const bool smooth = known == Class::strong_smooth || known == Class::smooth;
    if ((strong && !(F.mu() > 0)) || (smooth && !std::isfinite(F.L())))
      throw InputError(fmt::format("--set class={}", static_cast<Index>(known)),
                       describe(strong && !(F.mu() > 0) ? Demand::merely_convex : Demand::nonsmooth),
                       "a class says what the losses are", "Use class=auto.");
    run.uses("class", static_cast<Index>(known));

    const double added = this->nu.value_or(eps / (static_cast<double>(W.agents()) * radius * radius));
    const double nu = run.uses("nu", strong ? 0 : added), mu = F.mu() + nu;
    const double delta = smooth ? 0 : this->delta;
    const double L_dual = lambda_max / mu + delta, mu_dual = smooth ? lambda_min / (F.L() + nu) : delta;
    const bool averages = mu_dual == 0;
    const double eta = run.uses("eta", 1 / L_dual), nest_dual = averages ? 0 : nest(L_dual / mu_dual);
    const LocalSolver local{.exact = exact.value_or(!smooth), .T = T};
    LocalSteps minimise(local, F, W, run, {Vector::Constant(start.cols(), nu), nu, nu}, start);

    Block Theta = start, mean = start, Lambda = Block::Zero(start.rows(), start.cols()), Omega = Lambda,
          A = -nu * start;
    Block& answer = averages ? mean : Theta;
    double t = 1;
    Index k = 0;

    run.keep(Theta, mean, Lambda, Omega, A, minimise.Y, minimise.t, t, k);
    while (run.more(answer, k)) {
      if (!minimise(A, Theta)) continue;
      const double t_next = (1 + std::sqrt(1 + 4 * t * t)) / 2;
      const double beta = averages ? (t - 1) / t_next : nest_dual;
      const Block& W_Theta = W.mix(Theta);
      W.locally(start, [&](auto own) {
        const Part Lambda_next = own(Omega) + eta * (own(W_Theta) - delta * own(Omega));
        own(Omega) = Lambda_next + beta * (Lambda_next - own(Lambda));
        own(Lambda) = Lambda_next;
        own(mean) += (own(Theta) - own(mean)) / t;
        own(A) = own(Omega) - nu * own(start);
      });
      t = t_next;
      ++k;
    }
    return answer;
  }
};

}  // namespace

Method make::dual_fgm() { return Method::of(DualFgm{}); }

}  // namespace ideal
