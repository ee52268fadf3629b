// SPDX-License-Identifier: Apache-2.0
#include "method/augmented_lagrangian.hpp"
#include "method/registry.hpp"

#include <algorithm>

namespace ideal {

namespace {

/// Algorithm 5: IDEAL with M = Q(W), whose condition number is at most 4.
struct Mideal : AugmentedLagrangian {
  std::optional<Index> J;  ///< degree of Q; floor(sqrt(kappa_W)), half of it for option 3

  Mideal() { on_graph = false; }

  static About about() {
    return {
        .name = "mideal",
        .family = "augmented Lagrangian",
        .summary = "multi-stage IDEAL: J rounds of Chebyshev gossip after each gradient",
        .rule = "IDEAL with W replaced by Q(W) = I - T_J(c2 (I - c3 W)) / T_J(c2)",
        .cost = "(T, T J) an outer iteration",
        .rate = "sqrt(kappa_f) log(1/eps) computations, sqrt(kappa_f kappa_W) log(1/eps) communications",
        .assumptions =
            "f_i strongly convex and smooth; a regulariser by proximal steps, mu = 0 by vanishing convexity",
        .citation = "Arjevani, Bruna, Can, Gurbuzbalaban, Jegelka, Lin. IDEAL. NeurIPS 2020, Algorithm 5",
        .meets = {Demand::no_dual_oracle, Demand::composite, Demand::merely_convex}};
  }

  void parameters(Fields& fields) {
    AugmentedLagrangian::parameters(fields);
    fields.number("J", J, range::count,
                  "degree of the polynomial Q; auto: floor(sqrt(kappa_W)), half of it for option 3");
  }

  Block operator()(Objective& F, Mixing& W, Run& run, Block X) const {
    const Index published = Chebyshev::default_degree(W.spectrum().kappa());
    Chebyshev Q(W, J.value_or(ending() == 3 ? std::max(Index{1}, published / 2) : published));
    run.uses("J", Q.degree());
    return AugmentedLagrangian::operator()(F, Q, run, std::move(X));
  }
};

}  // namespace

Method make::mideal() { return Method::of(Mideal{}); }

}  // namespace ideal
