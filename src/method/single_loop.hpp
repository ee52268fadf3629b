// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "method/estimate.hpp"
#include "method/riding_total.hpp"

#include <ideal/method.hpp>

#include <functional>
#include <limits>
#include <optional>

namespace ideal {

/// IDEAL with one loop: an outer iteration is one accelerated proximal-gradient step on the augmented
/// Lagrangian, its penalty implicit, and one dual step, with M = Q_J(W).
///
///   Y = X + b (X - X-);  Z = Y - (grad F(Y) + Omega) / L;  V = M Z
///   X+ = Z - (c / lambda_max) V;  Omega+ = Omega + (eta L / lambda_max) V
///
/// Numbers that ride on its messages tell every agent, in the same round, about how far from the optimum all
/// are, whether the run goes astray, and what curvature was met. Where it is near enough, they prove it.
class SingleLoop {
 public:
  struct Options {
    std::optional<Index> J = {};  ///< best_degree
    double tau = 1;
    double sigma = 0.25;  ///< trusted until the run shows otherwise
    std::optional<double> momentum = {}, penalty = {}, dual_step = {};
    bool follow = true;             ///< take for L the curvature met on the way
    bool guard = true;              ///< go back where the run goes astray, and be more careful
    bool switches = false;          ///< to nids, where the run shows that it may be better
    bool knows_directions = false;  ///< those passed in are of large curvature already
    /// Find out the network's spectrum on the way; until then what is passed in is a bound and a guess.
    bool survey = false;
    std::optional<double> lambda_max = {}, lambda_min = {};              ///< told: believed instead
    std::function<void(Run&, const Beliefs&, double tau)> explain = {};  ///< called when all is known
  };

  /// `directions`: of largest curvature, as far as each agent knows.
  SingleLoop(Objective& F, Mixing& W, const Beliefs& beliefs, const Options& options, Block X,
             Block directions);

  Block operator()(Run& run);

 private:
  /// What an agent tells the others.
  enum Told : Index { mixed, shift, moved, curvature, concavity, numbers };

  struct Word {
    Block seen, largest;    ///< by agent: what it will tell, and the largest it has heard
    Index rounds_left = 0;  ///< until it has reached everyone
    Block X, Omega;         ///< the iterate that the one under way is about
  };

  struct Best {
    Block X, Omega;
    double L = 0;     ///< what was believed there
    double size = 0;  ///< of the step there: the smallest
  };

  struct Progress {
    double first_bound = 0;
    double bound = 0;     ///< it is measured from here
    Index k = 0;          ///< when that was
    double estimate = 0;  ///< of the last word
  };

  struct Calming {
    double left = 0;   ///< of the gap, as steps tell
    Index left_k = 0;  ///< when
    Index to_go = 0;   ///< iterations of it
    Index after = 0;   ///< none begins before
  };

  struct Proof {
    /// Estimates that are worth a verification.
    double worth_below = std::numeric_limits<double>::infinity();
    Index at = 0;          ///< iteration at which it will be verified
    Index sums = 0;        ///< that were begun on the way
    RidingTotal total;     ///< of iterates, and of gradients at what was proposed
    Block proposed;        ///< the answer, if it can be proven, at every agent the same
    double convexity = 0;  ///< of all agents, of which they are sure
  };

  static constexpr double wider = 1.15;  ///< lambda_max, at each retreat

  enum class Certainty { guess, found };
  enum Nids : Index { never, on_probation, for_good };

  // The loop, what follows from the beliefs, and what agents tell one another: single_loop.cpp.
  void begin(Run& run);
  [[nodiscard]] bool surveys() const { return survey_.state.bound > 0; }
  void end_survey(Run& run);
  void believe(Run& run, const Spectrum& W, Certainty certainty);
  void choose();
  void step();
  void look_at_curvature();
  void send_word();
  void hear_word(Run& run);
  [[nodiscard]] double deviation(double largest_mixed) const;
  [[nodiscard]] double iterations_of_word() const;

  // Where it goes astray, or is slower than predicted: single_loop_guard.cpp.
  [[nodiscard]] bool astray(double size);
  [[nodiscard]] bool may_go_back() const;
  void go_back(Run& run);
  void try_nids(Run& run);
  void judge_nids(Run& run, double bound);
  void hand_over(Run& run);
  void judge_progress(Run& run, double bound);
  void measure_anew() { progress_.bound = progress_.estimate = 0; }

  // The proof that it is near enough: single_loop_certificate.cpp.
  void consider_calming(const Run& run, double bound, double left);
  [[nodiscard]] double hopeful() const;
  [[nodiscard]] bool worth_riding() const;
  void verify(Run& run, double estimate);
  void go_on_verifying(Run& run);
  void propose(const Vector& sum);
  double prove(Run& run, const Vector& sum_of_gradients);

  Objective& F_;
  Mixing& W_;
  Options options_;
  Beliefs beliefs_;
  Survey survey_;

  // What follows from the beliefs.
  std::optional<Chebyshev> M_;
  double b_ = 0, c_ = 0, eta_ = 0, iterations_ = 0;

  Block X_, X_prev_, Omega_, Y_, Z_;
  Index k_ = 0;

  Block directions_;
  Index next_look_;  ///< iteration at which agents look at their curvature again

  Word word_;
  Best best_;
  double first_size_ = 0;  ///< of steps, at all or since it last went back
  Progress progress_;
  Index retreats_ = 0, slow_ = 0;
  Index nids_ = never;    ///< whether it is that now
  double probation_ = 0;  ///< iterations in which it is to shrink errors by e; 0: it was not tried yet
  double caution_ = 1;    ///< multiplies the curvature met
  Calming calming_;
  Proof proof_;
  std::optional<Block> answer_;  ///< certified
};

}  // namespace ideal
