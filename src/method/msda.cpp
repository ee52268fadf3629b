// SPDX-License-Identifier: Apache-2.0
#include "method/dual_ascent.hpp"
#include "method/registry.hpp"

namespace ideal {

namespace {

struct Msda : DualAscent {
  std::optional<Index> J;  ///< degree of Q; floor(sqrt(kappa_W))

  static About about() {
    return {.name = "msda",
            .family = "dual",
            .summary = "accelerated dual ascent on Q(W) (multi-step)",
            .rule = "SSDA with W replaced by Q(W)",
            .cost = "(1, J) exact, (T, J) inexact",
            .rate = "sqrt(kappa_f) log(1/eps) dual steps",
            .assumptions = "f_i strongly convex and smooth; dual gradients",
            .citation = "Scaman, Bach, Bubeck, Lee, Massoulie. ICML 2017",
            .meets = {}};
  }

  void parameters(Fields& fields) {
    DualAscent::parameters(fields);
    fields.number("J", J, range::count, "degree of the polynomial Q; auto: floor(sqrt(kappa_W))");
  }

  Block operator()(Objective& F, Mixing& W, Run& run, Block X) const {
    Chebyshev Q(W, J);
    run.uses("J", Q.degree());
    return DualAscent::operator()(F, Q, run, std::move(X));
  }
};

}  // namespace

Method make::msda() { return Method::of(Msda{}); }

}  // namespace ideal
