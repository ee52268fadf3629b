// SPDX-License-Identifier: Apache-2.0
#include "method/distributed_al.hpp"

namespace ideal {

void DistributedAl::parameters(Fields& fields) {
  local.parameters(fields);
  fields.number("passes", passes, range::count, "passes over the agents for one dual step");
  fields.number("rho", rho, range::positive,
                "penalty and dual step; auto: sqrt(L mu/(lambda_max lambda_min))");
  fields.number("rho-scale", rho_scale, range::positive, "multiplies the default rho");
}

Block DistributedAl::solve(Objective& F, Mixing& W, Run& run, Block X, Sweeps::Turns turns) const {
  const auto [lambda_max, lambda_min] = W.spectrum();
  const double rho =
      run.uses("rho", this->rho.value_or(rho_scale * std::sqrt(F.L() * F.mu() / (lambda_max * lambda_min))));
  const Sweeps sweeps{.local = local,
                      .rho = rho,
                      .r = rho,
                      .w = pass_weights(turns, rho, W, X.cols()),
                      .turns = turns,
                      .passes = static_cast<double>(passes),
                      .eta = rho};
  return sweeps(F, W, run, std::move(X));
}

}  // namespace ideal
