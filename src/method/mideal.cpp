// SPDX-License-Identifier: Apache-2.0
#include "method/augmented_lagrangian.hpp"
#include "method/registry.hpp"

namespace ideal {

namespace {

/// Algorithm 5: IDEAL with M = Q(W), whose condition number is at most 4.
struct Mideal : AugmentedLagrangian {
  std::optional<Index> J;  ///< degree of Q; floor(sqrt(kappa_W))

  static About about() {
    return {
        .name = "mideal",
        .family = "augmented Lagrangian",
        .summary = "multi-stage IDEAL: J rounds of Chebyshev gossip after each gradient",
        .rule = "IDEAL with W replaced by Q(W) = I - T_J(c2 (I - c3 W)) / T_J(c2)",
        .cost = "(T, T J) an outer iteration",
        .rate = "sqrt(kappa_f) log(1/eps) computations, sqrt(kappa_f kappa_W) log(1/eps) communications",
        .assumptions = "f_i strongly convex and smooth",
        .citation = "Arjevani, Bruna, Can, Gurbuzbalaban, Jegelka, Lin. IDEAL. NeurIPS 2020, Algorithm 5"};
  }

  void parameters(Fields& fields) {
    AugmentedLagrangian::parameters(fields);
    fields.number("J", J, range::count, "degree of the polynomial Q; auto: floor(sqrt(kappa_W))");
  }

  Block operator()(Objective& F, Mixing& W, Run& run, Block X) const {
    Chebyshev Q(W, J);
    run.uses("J", Q.degree());
    return AugmentedLagrangian::operator()(F, Q, run, std::move(X));
  }
};

}  // namespace

Method make::mideal() { return Method::of(Mideal{}); }

}  // namespace ideal
