// SPDX-License-Identifier: Apache-2.0
#include "method/single_loop.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ideal {

namespace {

// Differences between agents make an estimate up to so many times too large; a failed verification tells by
// how much.
constexpr double most_exaggerated = 30, more_hopeful = 0.8;

// Sums that ride on messages may take so many times longer than rounds for nothing else, but not less than so
// many gradients, of which each needs one.
constexpr double worth_waiting = 1.5, many_gradients = 10;

// Taking momentum away pays where waiting for the certificate would take so many times longer, and what is
// left of the gap may be so many times too large, as most of it vanishes then.
constexpr double pays_to_calm = 1.5, vanishing = 4;

// What swings stands still at times: the largest step counts for an eighth of the predicted iterations or so.
constexpr double forgotten = 8;

}  // namespace

/// The gradient's norm, which the certificate is made of, exceeds what is left to do by h / mu in a direction
/// of curvature h, and momentum leaves as much in directions of medium curvature as in flat ones. Steps do
/// not exaggerate: an error that shrinks by e in N iterations moves by 1/N of itself, and one that swings has
/// as much energy of motion as of height. When they tell that enough is done, momentum is taken away little
/// by little: with 1 - 2/R for R iterations to go, a direction's error falls by h / mu before it stands
/// still.
void SingleLoop::consider_calming(const Run& run, double bound, double left) {
  if (run.wanted() == 0 || !std::isfinite(bound)) return;
  const auto since = static_cast<double>(k_ - std::exchange(calming_.left_k, k_));
  calming_.left = std::max(left, calming_.left * std::exp(-forgotten * since / iterations_));
  const double wait = iterations_ * std::max(std::log(bound) - std::log(run.wanted()), 0.0) / 2;
  const double length = 2 / (1 - b_);
  if (calming_.to_go > 0) {
    calming_.after = k_ + calming_.to_go + static_cast<Index>(std::max(wait, iterations_));
  } else if (k_ >= calming_.after && calming_.left <= vanishing * run.wanted() &&
             wait > pays_to_calm * length) {
    calming_.to_go = static_cast<Index>(std::ceil(length));
    calming_.after = k_ + calming_.to_go;
  }
}

/// An estimate so many times larger than what is wanted is worth a verification. One that comes too early is
/// in vain, and one that comes too late has waited. If the logarithm of the exaggeration may be anything up
/// to its most, the sum of both is least on average where the rest that may still be waited for is as dear as
/// a verification.
double SingleLoop::hopeful() const {
  if (worth_riding()) return most_exaggerated;
  const auto J = static_cast<double>(M_->degree()), sums = 2 * static_cast<double>(W_.rounds_of_total());
  const double by_e = iterations_ / 2 * (1 + options_.tau * J);  // an error shrinks by e in iterations_
  return std::max(1.0, most_exaggerated * std::exp(-(1 + options_.tau * sums) / by_e));
}

/// Sums may ride on the messages of iterations: what does not succeed is not in vain then, but for a
/// gradient. Where iterations are much dearer than their rounds, it is better to spend these for nothing
/// else.
bool SingleLoop::worth_riding() const {
  const auto J = static_cast<double>(M_->degree()), sum = static_cast<double>(W_.rounds_of_total());
  const double on_the_way = std::ceil(sum / J) * (1 + options_.tau * J);
  return !surveys() && on_the_way <= worth_waiting * options_.tau * sum && on_the_way >= many_gradients;
}

/// What was estimated from beliefs is proven without them: all agents take the mean of their iterates, and
/// n |g|^2 / (2 mu) for the mean g of the gradients there bounds f - f*. Both means are summed over a
/// spanning tree, so that all agents have the same.
void SingleLoop::verify(Run& run, double estimate) {
  proof_.at = 0;
  if (run.wanted() == 0 || proof_.sums > 0) return;
  if (worth_riding()) {
    proof_.sums = 1;
    proof_.total.begin(X_, Block::Zero(X_.rows(), X_.cols()));
    W_.take_along(&proof_.total);
    return;
  }
  propose(W_.total(X_));
  const double bound = prove(run, W_.total(F_.gradient(proof_.proposed)));
  // An estimate above what is wanted that was too small was extrapolated too far; one below is mistaken.
  const double exaggerated = estimate / bound;
  proof_.worth_below =
      more_hopeful * run.wanted() * (estimate > run.wanted() ? std::max(1.0, exaggerated) : exaggerated);
}

/// From now on until it succeeds: while gradients at one mean are added up, so are the iterates of now.
void SingleLoop::go_on_verifying(Run& run) {
  const Vector sums = proof_.total.result();
  if (proof_.sums > 1) prove(run, sums.tail(X_.rows()));
  if (answer_) return;
  propose(sums.head(X_.rows()));
  ++proof_.sums;
  proof_.total.begin(X_, F_.gradient(proof_.proposed));
}

void SingleLoop::propose(const Vector& sum) {
  proof_.proposed.colwise() = Vector(sum / static_cast<double>(W_.agents()));
}

double SingleLoop::prove(Run& run, const Vector& sum_of_gradients) {
  const double n = static_cast<double>(W_.agents()),
               mu = proof_.convexity > 0 ? proof_.convexity : beliefs_.mu;
  const double bound = sum_of_gradients.squaredNorm() / (2 * n * mu);
  run.bounded(bound);
  if (bound <= run.wanted() && run.settled(proof_.proposed, bound)) answer_ = proof_.proposed;
  return bound;
}

}  // namespace ideal
