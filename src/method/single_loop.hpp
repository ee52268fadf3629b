// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "method/estimate.hpp"
#include "method/riding_total.hpp"

#include <ideal/method.hpp>

#include <functional>
#include <limits>
#include <optional>

namespace ideal {

/// The constants of the single-loop form; docs/decisions/015-single-loop-ideal.md derives them.
struct Tuning {
  double momentum;    ///< b
  double penalty;     ///< c
  double dual_step;   ///< eta
  double iterations;  ///< predicted: so many shrink the error by e
};

/// For condition numbers kappa_f and kappa_M, and Hessians that differ by sigma from agent to agent: 0 where
/// they are equal, 1 for any.
Tuning tuning(double kappa_f, double kappa_M, double sigma);

/// Those with which it is NIDS: without momentum, and with half the penalty and dual step. They rest on L and
/// lambda_max alone.
Tuning nids_tuning(double kappa_f, double kappa_M);

/// The degree J of Q_J(W) for which (1 + tau J) iterations is least, or some more where rounds are cheap, and
/// that time.
struct Degree {
  Index J;
  double time;
};
Degree best_degree(double kappa_f, double kappa_W, double tau, double sigma);

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
  void choose();
  void begin(Run& run);
  [[nodiscard]] bool surveys() const { return survey_.state.bound > 0; }
  void end_survey(Run& run);
  enum class Certainty { guess, found };
  void believe(Run& run, const Spectrum& W, Certainty certainty);
  void step();
  void look_at_curvature();
  void send_word();
  void hear_word(Run& run);
  [[nodiscard]] bool astray(double size);
  [[nodiscard]] bool may_go_back() const;
  void go_back(Run& run);
  void try_nids(Run& run);
  void judge_nids(Run& run, double bound);
  void hand_over(Run& run);
  void consider_calming(const Run& run, double bound, double left);
  void judge_progress(Run& run, double bound);
  [[nodiscard]] double deviation(double largest_mixed) const;
  [[nodiscard]] double hopeful() const;
  [[nodiscard]] double iterations_of_word() const;
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

  Block seen_, word_;  ///< by agent: what it will tell, and the largest it has heard
  Index rounds_left_ = 0;
  Block told_X_, told_Omega_;  ///< the iterate that the word under way is about
  Block best_X_, best_Omega_;
  double best_L_ = 0;  ///< what was believed there
  double first_size_ = 0, smallest_size_ = 0;
  double first_bound_ = 0, last_bound_ = 0;  ///< progress is measured from here
  Index last_k_ = 0;
  Index retreats_ = 0, slow_ = 0;
  enum Nids : Index { never, on_probation, for_good };
  Index nids_ = never;    ///< whether it is that now
  double probation_ = 0;  ///< iterations in which it is to shrink errors by e; 0: it was not tried yet
  double caution_ = 1;    ///< multiplies the curvature met
  double last_estimate_ = 0;
  double worth_verifying_ = std::numeric_limits<double>::infinity();  ///< estimates below this
  Index verify_at_ = 0;                                               ///< iteration at which it will be
  Block proposed_;                      ///< the answer, if it can be proven, at every agent the same
  RidingTotal total_;                   ///< of iterates, and of gradients at what was proposed
  Index verifying_ = 0;                 ///< sums that were begun on the way
  double convexity_ = 0;                ///< of all agents, of which they are sure
  double left_ = 0;                     ///< of the gap, as steps tell
  Index left_k_ = 0;                    ///< when
  Index calming_ = 0, calm_after_ = 0;  ///< iterations of it to go, and none begins before
  std::optional<Block> answer_;         ///< certified
};

}  // namespace ideal
