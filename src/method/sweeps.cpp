// SPDX-License-Identifier: Apache-2.0
#include "method/sweeps.hpp"

namespace ideal {

Block Sweeps::operator()(Objective& F, Mixing& M, Run& run, Block X) const {
  const Neighbourhood known = M.neighbourhood();
  const bool at_once = turns == Turns::all_at_once;
  const Index turns_a_pass = at_once ? 1 : known.colour_count;
  const double pull = r == rho ? 0 : 1 - r / rho, kept = r == rho ? 0 : rho / (rho + r);
  const Block C = each_agent(w.c, X);
  LocalSteps minimise(local, F, M, run, w, X);

  Block Z = X, Lambda = Block::Zero(X.rows(), X.cols()), Omega = Lambda, P = Lambda;
  Block A = -C.cwiseProduct(X);  // M X_0 = 0
  if (!run.starts_together()) A += r * M.mix(X);
  Index k = 0, turn = 0;

  run.keep(X, Z, Lambda, Omega, P, A, minimise.Y, minimise.t, k, turn);
  run.sums_to_zero(Omega);
  while (run.more(X, k)) {
    if (!minimise(A, Z)) continue;
    for (Index i = 0; i < X.cols(); ++i) {
      const bool moves = at_once || known.colours[static_cast<std::size_t>(i)] == turn % turns_a_pass;
      if (moves)
        X.col(i) = Z.col(i);
      else
        Z.col(i) = X.col(i);
    }
    const Block& MX = M.mix(X);
    ++turn;
    const bool solved = static_cast<double>(turn) >=
                        std::ceil(passes * std::pow(growth, k)) * static_cast<double>(turns_a_pass);
    M.locally(X, [&](auto own) {
      if (solved) {
        const Part Lambda_next = own(Omega) + eta * own(MX);
        own(Omega) = Lambda_next + beta * (Lambda_next - own(Lambda));
        own(Lambda) = Lambda_next;
      }
      own(P) = kept * (own(P) + r * own(MX));
      own(A) = own(Omega) + r * own(MX) - own(C).cwiseProduct(own(X)) + pull * own(P);
    });
    if (!solved) continue;
    turn = 0;
    ++k;
  }
  return X;
}

}  // namespace ideal
