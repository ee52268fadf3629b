// SPDX-License-Identifier: Apache-2.0
#include <ideal/sentry.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace ideal {

namespace {

// Momentum makes steps grow by sqrt(kappa_f) before they shrink; a run has gone astray when they grew much
// more than that since the first, or since the smallest.
constexpr double much_growth = 100, growth_of_momentum = 3;

// From rest, with steps however short, they grow by no more than the first in each iteration.
constexpr double even_growth = 3;

// Large steps on losses that are nearly linear far out, as the logistic one, do not grow but go to and fro.
// Sound runs have shrunk theirs by e^-10 or so in a long time, or are so slow that they go straight on.
constexpr double long_time = 10, to_and_fro = 0.7, small_share = 0.1;
constexpr double arrived = 1e-6;  // steps, of an iterate: close to an optimum

/// Losses without strong convexity have none; these are watched as if theirs were large.
double finite(double kappa_f) { return std::isfinite(kappa_f) ? kappa_f : 1e4; }

constexpr double smallest_step = 1e-11;  // of an iterate: rounding makes such
constexpr Index pause = 4;               // iterations between a word's end and the next look
constexpr Index long_loop = 100;     // passes of an inner loop after which agents ask whether all is finite
constexpr double beyond_all = 1e60;  // no optimum is so far away

}  // namespace

Sentry::Sentry(Mixing& W, const Block& start, double kappa_f)
    : W_(W),
      growth_(much_growth + growth_of_momentum * std::sqrt(finite(kappa_f))),
      long_time_(long_time * (finite(kappa_f) + W.spectrum().kappa())),
      carried_(W.rounds_carried()),
      held_(start),
      best_(start),
      word_(Block::Zero(numbers, start.cols())),
      sign_of_life_(word_) {
  W.expect_load(start, word_);
  (void)W.reach();  // found out before the loop
}

bool Sentry::astray(const Block& X, Index iteration) {
  if (!may_go_back()) return false;
  if (last_iteration_ < 0) first_iteration_ = told_iteration_ = iteration;
  const bool within_inner_loop = std::exchange(last_iteration_, iteration) == iteration;
  if (rounds_left_ > 0) {
    rounds_left_ -= W_.rounds_carried() - carried_;
    carried_ = W_.rounds_carried();
    return rounds_left_ <= 0 && (asking_ != 0 ? hear_of_life() : hear_word());
  }
  if (within_inner_loop) {
    if (++quiet_ >= long_loop) ask_for_life(X);
    return false;
  }
  quiet_ = 0;
  if (rest_ > 0) {
    if (--rest_ > 0) return false;
    word_.row(went) = (X - held_).colwise().norm();
    between_ = iteration - told_iteration_;
    held_ = X;
    return false;
  }
  send_word(X);
  return rounds_left_ == 0 && hear_word();
}

void Sentry::send_word(const Block& X) {
  word_.row(moved) = (X - held_).colwise().norm();
  word_.row(norm) = X.colwise().norm();
  held_ = X;
  told_iteration_ = last_iteration_;
  rounds_left_ = W_.reach();
  carried_ = W_.rounds_carried();
  W_.carry(&word_);
}

/// Steps of an inner loop say little of how a run goes, but what is no longer finite will never be again.
void Sentry::ask_for_life(const Block& X) {
  quiet_ = 0;
  asking_ = 1;
  sign_of_life_.row(norm) = X.colwise().norm();
  rounds_left_ = W_.reach();
  carried_ = W_.rounds_carried();
  W_.carry(&sign_of_life_);
}

bool Sentry::hear_of_life() {
  rounds_left_ = asking_ = 0;
  W_.carry(nullptr);
  finite_ = sign_of_life_(norm, 0) < beyond_all;
  return !finite_;
}

/// Every agent hears the same numbers in the same pass, and so decides the same.
bool Sentry::hear_word() {
  rounds_left_ = 0;
  rest_ = pause;
  W_.carry(nullptr);
  const double step = std::max(word_(moved, 0), smallest_step * word_(norm, 0));
  finite_ = std::isfinite(word_.col(0).sum());
  if (!finite_ || grows(step) || leads_nowhere()) return true;
  if (first_ == 0 || step < smallest_) {
    if (first_ == 0)
      first_ = step;
    else
      best_ = held_;
    smallest_ = step;
    smallest_iteration_ = told_iteration_;
  }
  return false;
}

bool Sentry::grows(double step) const {
  const auto since = static_cast<double>(told_iteration_ - smallest_iteration_);
  return first_ > 0 && step > std::max(growth_, even_growth * since) * smallest_;
}

bool Sentry::leads_nowhere() const {
  const auto told = word_.col(0);
  return static_cast<double>(told_iteration_ - first_iteration_) > long_time_ &&
         smallest_ > small_share * first_ && told[moved] > arrived * told[norm] &&
         told[went] < to_and_fro * static_cast<double>(between_) * told[moved];
}

const Block& Sentry::go_back() {
  lost_ = finite_ ? 0 : lost_ + 1;
  const Index worth = lost_ > 1 ? Index{1} << (lost_ - 1) : 1;
  retreats_ = std::min(retreats_ + worth, most_retreats);
  iterations_before_ += last_iteration_;
  last_iteration_ = -1;
  first_ = smallest_ = 0;
  rest_ = 1;
  return best_;
}

Index Sentry::retreats_of(const Checkpoint& saved) {
  const Index* last = saved.state.empty() ? nullptr : std::get_if<Index>(&saved.state.back());
  return last ? std::clamp<Index>(*last, 0, most_retreats) : 0;
}

void Sentry::resume() {
  if (rounds_left_ > 0) W_.carry(asking_ != 0 ? &sign_of_life_ : &word_);
}

Block guarded(Objective& F, Mixing& W, Run& run, Block X, const std::function<Block(Block)>& method,
              const std::function<std::string()>& be_careful) {
  Sentry sentry(W, X, F.kappa());
  for (Index retreats = run.watched_by(sentry); retreats > 0; --retreats) be_careful();
  while (true) {
    X = method(std::move(X));
    if (!run.went_astray()) break;
    const Index before = sentry.retreats();
    X = sentry.go_back();
    std::string care;
    for (Index k = before; k < sentry.retreats(); ++k) care = be_careful();
    run.note(fmt::format("went astray after {} computations: back to the best iterate, with {}",
                         run.spent().computations, care));
  }
  W.carry(nullptr);
  if (sentry.retreats() > 0) run.uses("retreats", sentry.retreats());
  return X;
}

}  // namespace ideal
