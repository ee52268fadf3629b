// SPDX-License-Identifier: Apache-2.0
#include "method/lipschitz.hpp"
#include "method/registry.hpp"

namespace ideal {

namespace {

/// Accelerated steps on f smoothed by random displacements; the tree's mean makes all agents do the same.
struct Drs {
  std::optional<double> radius, lipschitz;
  std::optional<Index> K;  ///< subgradients of iteration k; k / (4 sqrt(d))
  double step_scale = 1;

  static About about() {
    return {
        .name = "drs",
        .family = "non-smooth",
        .summary =
            "randomized smoothing: accelerated steps along subgradients at K points drawn around the iterate",
        .rule =
            "y = (1-a) x + a z;  S+ = S + mean_ik g_i(y + gamma u_k)/a;  z+ = x_0 - eta S+;  x+ = (1-a) x + "
            "a z+;  a+ = 2/(1 + sqrt(1 + 4/a^2)), gamma = R a d^(-1/4), eta = R a+/(2 G (d^(1/4) + "
            "sqrt((k+2)/K)))",
        .cost = "(K, 2 radius of the graph); once at most (2, 2 diameters), to find radius and lipschitz",
        .rate = "R G d^(1/4)/eps iterations and (R G/eps)^2 computations",
        .assumptions = "f_i convex and Lipschitz; a spanning tree to send sums along",
        .citation =
            "Scaman, Bach, Bubeck, Lee, Massoulie. Optimal algorithms for non-smooth distributed "
            "optimization in networks. NeurIPS 2018, Algorithm 1, T = 20 R G d^(1/4)/eps and K = T/(4 "
            "sqrt(d)) there",
        .meets = {Demand::no_dual_oracle, Demand::merely_convex, Demand::nonsmooth},
        .linear = false};
  }

  void parameters(Fields& fields) {
    extent_parameters(fields, radius, lipschitz);
    fields.number("K", K, range::count, "subgradients of an iteration; auto: k/(4 sqrt(d)) in the k-th");
    fields.number("step-scale", step_scale, range::positive, "multiplies eta");
  }

  Block operator()(Objective& F, Mixing& W, Run& run, Block start) const {
    const double d = static_cast<double>(start.rows()), fourth_root = std::pow(d, 0.25);
    Extent size;
    if (!(lipschitz && radius) && !run.resumes()) size = extent(F, W, run, start, radius, lipschitz);

    Block X = start, Z = start, Y = start, S = Block::Zero(X.rows(), X.cols()), sum = S, U = S;
    double a = 1;
    Index k = 0, drawn = 0, draws = 0;  // iterations done, points of this one, points of all

    run.keep(X, Z, Y, S, sum, start, a, k, drawn, draws, size.G, size.R);
    const double G = run.uses("lipschitz", lipschitz.value_or(size.G)),
                 R = run.uses("radius", radius.value_or(size.R));
    while (run.more(X, k)) {
      if (drawn == 0)
        W.locally(X, [&](auto own) {
          own(Y) = (1 - a) * own(X) + a * own(Z);
          own(sum).setZero();
        });
      const double gamma = R * a / fourth_root;
      F.shared_noise(draws++, U);
      W.locally(X, [&](auto own) { own(U) = own(Y) + gamma * own(U); });
      const Block& g = F.gradient(U);
      W.locally(X, [&](auto own) { own(sum) += own(g); });
      const Index points =
          K.value_or(static_cast<Index>(std::ceil(static_cast<double>(k + 1) / (4 * std::sqrt(d)))));
      if (++drawn < points) continue;

      const Block& mean = W.average_over_tree(sum);
      const double share = 1 / (a * static_cast<double>(points));
      const double a_next = 2 / (1 + std::sqrt(1 + 4 / (a * a)));
      const double noise = std::sqrt(static_cast<double>(k + 2) / static_cast<double>(points));
      const double eta = step_scale * R * a_next / (2 * G * (fourth_root + noise));
      W.locally(X, [&](auto own) {
        own(S) += share * own(mean);
        own(Z) = own(start) - eta * own(S);
        own(X) = (1 - a) * own(X) + a * own(Z);
      });
      a = a_next;
      ++k;
      drawn = 0;
    }
    return X;
  }
};

}  // namespace

Method make::drs() { return Method::of(Drs{}); }

}  // namespace ideal
