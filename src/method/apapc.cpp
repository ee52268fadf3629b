// SPDX-License-Identifier: Apache-2.0
#include "method/accelerated_papc.hpp"
#include "method/registry.hpp"

namespace ideal {

namespace {

struct Apapc : AcceleratedPapc {
  static About about() {
    return {.name = "apapc",
            .family = "primal-dual",
            .summary = "accelerated proximal alternating predictor-corrector on W",
            .rule =
                "Xg = t X + (1 - t) Xf;  X^ = (X - e (g(Xg) - mu Xg + Y))/(1 + e mu);  "
                "Y+ = Y + W X^/(e lambda_max);  X+ = X^ - e (Y+ - Y)/(1 + e mu);  "
                "Xf+ = Xg + 2t/(2 - t) (X+ - X);  t = min(1, sqrt(kappa_W/kappa_f)/2),  e = 1/(4 t L);  "
                "the answer is Xf, and L is the true one times L-scale",
            .cost = "(1, 1)",
            .rate = "(sqrt(kappa_f kappa_W) + kappa_W) log(1/eps) computations and communications",
            .assumptions = "f_i strongly convex and smooth",
            .citation =
                "Kovalev, Salim, Richtarik. Optimal and practical algorithms for smooth and strongly convex "
                "decentralized optimization. NeurIPS 2020, Algorithm 1",
            .local = true};
  }
};

}  // namespace

Method make::apapc() { return Method::of(Apapc{}); }

}  // namespace ideal
