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

Block DistributedAl::solve(Objective& F, Mixing& W, Run& run, Block X, Turns turns) const {
  const auto [lambda_max, lambda_min] = W.spectrum();
  const double rho =
      run.uses("rho", this->rho.value_or(rho_scale * std::sqrt(F.L() * F.mu() / (lambda_max * lambda_min))));
  const Neighbourhood known = W.neighbourhood();
  const bool at_once = turns == Turns::all_at_once;
  // With c = W_ii at once the agents may overshoot together, on bipartite graphs without end.
  const Vector c = at_once ? Vector(Vector::Constant(X.cols(), lambda_max)) : known.diagonal;
  const Index turns_a_pass = at_once ? 1 : known.colour_count;
  const Block C = each_agent(c, X);
  const double least = at_once ? lambda_max : known.least, most = at_once ? lambda_max : known.most;
  LocalSteps minimise(local, F, W, run, {rho * c, rho * least, rho * most}, X);

  Block Z = X, Lambda = Block::Zero(X.rows(), X.cols());
  Block A = -rho * C.cwiseProduct(X);  // W X_0 = 0
  Index k = 0, turn = 0;

  run.keep(X, Z, Lambda, A, minimise.Y, minimise.t, k, turn);
  run.sums_to_zero(Lambda);
  while (run.more(X, k)) {
    if (!minimise(A, Z)) continue;
    for (Index i = 0; i < X.cols(); ++i) {
      const bool moves = at_once || known.colours[static_cast<std::size_t>(i)] == turn % turns_a_pass;
      if (moves)
        X.col(i) = Z.col(i);
      else
        Z.col(i) = X.col(i);
    }
    const Block& WX = W.mix(X);
    const bool solved = ++turn == passes * turns_a_pass;
    W.locally(X, [&](auto own) {
      if (solved) own(Lambda) += rho * own(WX);
      own(A) = own(Lambda) + rho * (own(WX) - own(C).cwiseProduct(own(X)));
    });
    if (!solved) continue;
    turn = 0;
    ++k;
  }
  return X;
}

}  // namespace ideal
