// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/mixing.hpp>
#include <ideal/objective.hpp>

namespace ideal {

/// What the agents believe about the problem and the network.
struct Beliefs {
  double L = 0, mu = 0;
  Spectrum W;
  [[nodiscard]] double kappa_f() const { return L / mu; }
};

/// So many, from any direction, come near the largest curvature, from below: what they find times the margin.
inline constexpr Index power_steps = 3;
inline constexpr double curvature_margin = 1.03;

/// One step, and computation, of the power method for L_i at X from each agent's direction; `largest` keeps
/// the largest |H_i u| / |u| seen.
void power_step(Objective& F, const Block& X, Block& directions,
                Eigen::Ref<Eigen::RowVectorXd, 0, Eigen::InnerStride<>> largest);

/// Random vectors, in numbers an agent, that make a survey good enough.
inline constexpr Index survey_probes = 8;

/// Finds out the extreme positive eigenvalues of W, of which no agent knows more than its own row: mixes
/// random vectors; the products of their Chebyshev polynomials, a few numbers a round, are added up on their
/// way to the root of a spanning tree, which computes the eigenvalues and sends them back. All of it rides on
/// messages, and every agent knows the result in the same round.
class Survey final : public Passenger {
 public:
  /// Its state, to be kept with a method's.
  struct State {
    Index rounds = 0;  ///< so far
    double bound = 0;  ///< no eigenvalue of W exceeds it; 0: there is no survey
    Block numbers;     ///< under way: vectors, products for the parent, who that is, and the result
    Block previous;    ///< polynomials
    Block mixed;       ///< W times the current ones, as far as it was heard
    Block products;    ///< of each agent and those below it in the tree, as far as they were heard
  };

  explicit Survey(Mixing& W) : W_(W) {}

  /// From random vectors, a column per hosted agent.
  void begin(const Block& noise, double bound);

  /// Whether it can be made of this network: of others its spectrum is taken as known.
  static bool possible(Mixing& W);

  [[nodiscard]] bool over() { return state.bound == 0 || state.rounds >= steps() + 2 * W_.tree().radius; }
  [[nodiscard]] Spectrum found() const;

  [[nodiscard]] const Block& leaving() const override { return state.numbers; }
  void heard(Index c, Index neighbour, double weight, const double* numbers) override;
  void round_over() override;

  State state;

 private:
  [[nodiscard]] Index steps() { return W_.reach() + 4; }
  [[nodiscard]] Index probes() const { return state.previous.rows(); }
  void note_products();
  void report();
  void conclude();

  Mixing& W_;
  Vector diagonal_;  ///< of W
};

/// What agents find out by themselves and by a flood of the largest: each looks at its own curvature at X.
/// Everything is counted. `directions` returns each agent's direction of largest curvature. Of W they know a
/// bound of the largest eigenvalue, and guess the smallest from the graph's diameter.
Beliefs find_out(Objective& F, Mixing& W, const Block& X, Block& directions);

}  // namespace ideal
