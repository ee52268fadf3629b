// SPDX-License-Identifier: Apache-2.0
#include "method/accelerated_papc.hpp"
#include "method/registry.hpp"

namespace ideal {

namespace {

struct Opapc : AcceleratedPapc {
  std::optional<Index> J;  ///< degree of Q; floor(sqrt(kappa_W))

  static About about() {
    return {.name = "opapc",
            .family = "primal-dual",
            .summary = "optimal proximal alternating predictor-corrector: APAPC on Q(W)",
            .rule = "APAPC with W replaced by Q(W)",
            .cost = "(1, J)",
            .rate = "sqrt(kappa_f) log(1/eps) computations, sqrt(kappa_f kappa_W) log(1/eps) communications",
            .assumptions = "f_i strongly convex and smooth",
            .citation =
                "Kovalev, Salim, Richtarik. Optimal and practical algorithms for smooth and strongly convex "
                "decentralized optimization. NeurIPS 2020, Algorithm 2"};
  }

  void parameters(Fields& fields) {
    AcceleratedPapc::parameters(fields);
    fields.number("J", J, range::count, "degree of the polynomial Q; auto: floor(sqrt(kappa_W))");
  }

  Block operator()(Objective& F, Mixing& W, Run& run, Block X) const {
    Chebyshev Q(W, J);
    run.uses("J", Q.degree());
    return AcceleratedPapc::operator()(F, Q, run, std::move(X));
  }
};

}  // namespace

Method make::opapc() { return Method::of(Opapc{}); }

}  // namespace ideal
