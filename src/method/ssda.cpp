// SPDX-License-Identifier: Apache-2.0
#include "method/dual_ascent.hpp"
#include "method/registry.hpp"

namespace ideal {

namespace {

struct Ssda : DualAscent {
  static About about() {
    return {.name = "ssda",
            .family = "dual",
            .summary = "accelerated dual ascent on W (single-step)",
            .rule =
                "Theta = grad F*(-Omega);  Lambda+ = Omega + (mu/lambda_max) W Theta;  Omega+ = Lambda+ + "
                "beta (Lambda+ - Lambda)",
            .cost = "(1, 1) exact, (T, 1) inexact",
            .rate = "sqrt(kappa_f kappa_W) log(1/eps) dual steps",
            .assumptions = "f_i strongly convex and smooth; dual gradients",
            .citation =
                "Scaman, Bach, Bubeck, Lee, Massoulie. Optimal algorithms for smooth and strongly convex "
                "distributed "
                "optimization in networks. ICML 2017",
            .meets = {}};
  }
};

}  // namespace

Method make::ssda() { return Method::of(Ssda{}); }

}  // namespace ideal
