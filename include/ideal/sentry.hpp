// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/mixing.hpp>
#include <ideal/objective.hpp>
#include <ideal/run.hpp>

#include <functional>
#include <string>

namespace ideal {

/// Agents' own watch over a run: now and then each tells how far it moved in the last iteration, numbers that
/// ride on the method's messages. After reach() rounds every agent knows the largest, and all see in the same
/// pass whether the run has gone astray: its steps grow, or after a long time lead nowhere.
/// docs/decisions/018-a-guard-for-every-method.md.
class Sentry {
 public:
  static constexpr Index most_retreats = 12;  ///< as many as be_careful is worth a retreat each

  Sentry(Mixing& W, const Block& start, double kappa_f);

  /// At a loop head: whether the method must go back.
  bool astray(const Block& X, Index iteration);

  /// The best iterate all agree on; what is watched starts anew from it. Where time and again nothing finite
  /// was left, one retreat counts as two, four and more: the method is to be so much more careful.
  const Block& go_back();

  [[nodiscard]] Index retreats() const { return retreats_; }
  [[nodiscard]] bool may_go_back() const { return retreats_ < most_retreats; }

  /// Iterations before the last retreat.
  [[nodiscard]] Index iterations_before() const { return iterations_before_; }

  /// Its part of a checkpoint, behind the method's own; the retreats are the very last.
  template <class States>
  void join(States& states) {
    for (Block* block : {&held_, &best_, &word_, &sign_of_life_}) states.emplace_back(block);
    for (double* number : {&first_, &smallest_}) states.emplace_back(number);
    for (Index* number :
         {&rounds_left_, &rest_, &first_iteration_, &smallest_iteration_, &told_iteration_, &last_iteration_,
          &between_, &iterations_before_, &quiet_, &asking_, &lost_, &retreats_})
      states.emplace_back(number);
  }
  static Index retreats_of(const Checkpoint& saved);

  /// After its state was restored.
  void resume();

 private:
  enum Told : Index { moved, went, norm, numbers };

  void send_word(const Block& X);
  bool hear_word();
  void ask_for_life(const Block& X);
  bool hear_of_life();
  [[nodiscard]] bool grows(double step) const;
  [[nodiscard]] bool leads_nowhere() const;

  Mixing& W_;
  double growth_;
  double long_time_;
  Index carried_;  ///< rounds that carried a word, as counted by W

  Block held_;  ///< the iterate before, or while a word is under way the one it is about
  Block best_;
  Block word_;          ///< by agent: the largest it has heard
  Block sign_of_life_;  ///< the same within a long inner loop: only whether all is finite
  double first_ = 0, smallest_ = 0;
  Index rounds_left_ = 0, rest_ = 1;
  Index first_iteration_ = 0, told_iteration_ = 0, last_iteration_ = -1;  ///< since it last went back
  Index smallest_iteration_ = 0;                                          ///< of the smallest step
  Index between_ = 1;                                                     ///< iterations that `went` is about
  Index iterations_before_ = 0;
  Index quiet_ = 0;     ///< passes of an inner loop in which nobody asked
  Index asking_ = 0;    ///< whether the word under way is about life only
  bool finite_ = true;  ///< the last word
  Index lost_ = 0;      ///< retreats, one after the other, from what was not finite
  Index retreats_ = 0;
};

/// Runs a method under a sentry: where that says so, the method starts again from the best iterate, after
/// `be_careful`, which changes its parameters and says how.
Block guarded(Objective& F, Mixing& W, Run& run, Block X, const std::function<Block(Block)>& method,
              const std::function<std::string()>& be_careful);

}  // namespace ideal
