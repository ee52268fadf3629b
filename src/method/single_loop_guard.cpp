// SPDX-License-Identifier: Apache-2.0
#include "method/single_loop.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace ideal {

namespace {

// A run has gone astray when its steps have grown so much since the first, or since the smallest.
constexpr double much_growth = 1000, late_growth = 100;
constexpr Index most_retreats = 12;
constexpr double steeper = 1.25;  // L, each time

constexpr double patience = 5;      // predicted iterations without the predicted progress
constexpr double rounding = 1e-20;  // of a bound, which is a square

constexpr Index most_slow = 10;

}  // namespace

/// As often again after it was handed over.
bool SingleLoop::may_go_back() const { return retreats_ < (options_.switches ? 2 : 1) * most_retreats; }

/// Tells whether steps of this size, of the iterate the word is about, are much too large; keeps the best.
bool SingleLoop::astray(double size) {
  const bool first = first_size_ == 0;  // at all, or since it last went back: no better than where it began
  if (first) first_size_ = best_.size = size;
  const double long_way = std::sqrt(1 + beliefs_.kappa_f() / 1e5);
  const bool within =
      std::isfinite(size) && size <= much_growth * long_way * first_size_ && size <= late_growth * best_.size;
  if (!within) return may_go_back();
  if (!first && size <= best_.size && k_ >= calming_.after) {
    best_.size = size;
    best_.L = beliefs_.L;
    best_.X = word_.X;
    best_.Omega = word_.Omega;
  }
  return false;
}

/// To the best iterate, with less trust in everything. What the curvature was where it went is forgotten.
void SingleLoop::go_back(Run& run) {
  X_ = X_prev_ = best_.X;
  Omega_ = best_.Omega;
  ++retreats_;
  run.be_patient(may_go_back());
  first_size_ = 0;
  measure_anew();
  proof_.at = 0;
  word_.seen.row(curvature).setZero();
  if (options_.follow) look_at_curvature();
  options_.sigma = 1;
  caution_ *= steeper;
  beliefs_.L = steeper * std::max(beliefs_.L, best_.L);
  beliefs_.W.lambda_max *= wider;
  if (retreats_ > most_retreats && nids_ != for_good) return hand_over(run);
  if (nids_ == on_probation) nids_ = never;
  choose();
  run.note(fmt::format(
      "went astray at iteration {}: back to the best iterate, with L = {:.4g}, lambda_max = {:.4g}, J = {}",
      k_, beliefs_.L, beliefs_.W.lambda_max, M_->degree()));
  try_nids(run);
}

/// What was predicted has turned out wrong, and so may be what was predicted of others: once, NIDS may show
/// how fast it is. It goes on for as long as it is no slower than ideal1 is predicted to be now.
void SingleLoop::try_nids(Run& run) {
  if (!options_.switches || probation_ > 0 || nids_ != never) return;
  const auto time = [&](double J) { return 1 + options_.tau * J; };
  probation_ = iterations_ * time(static_cast<double>(M_->degree())) / time(1);
  nids_ = on_probation;
  measure_anew();
  choose();
  run.note(fmt::format("from iteration {} on nids, while it shrinks errors by e in {:.0f} iterations", k_,
                       std::ceil(probation_)));
}

/// Where it has taken longer than ideal1 would, that goes on.
void SingleLoop::judge_nids(Run& run, double bound) {
  const auto iterations = static_cast<double>(k_ - progress_.k);
  if (iterations < probation_) return;
  if (std::log(progress_.bound / bound) / 2 * probation_ >= iterations) {
    progress_.bound = bound;
    progress_.k = k_;
    return;
  }
  nids_ = never;
  measure_anew();
  choose();
  run.note(fmt::format("from iteration {} on ideal1 again, with J = {}", k_, M_->degree()));
}

/// The last resort, where neither going back nor less trust has helped. NIDS needs no more than L, which is
/// met on the way, and lambda_max, of which agents know a bound by themselves; whatever else was believed or
/// told about mu, lambda_min and the agents' likeness may be wrong.
void SingleLoop::hand_over(Run& run) {
  nids_ = for_good;
  caution_ = 1;
  measure_anew();
  beliefs_.W.lambda_max = std::max(beliefs_.W.lambda_max, W_.maximum(W_.local_bounds()));
  choose();
  run.note(fmt::format("handed over to nids at iteration {}, with L = {:.4g}, lambda_max = {:.4g}", k_,
                       beliefs_.L, beliefs_.W.lambda_max));
}

/// The estimate should fall by e^2 within the predicted iterations. Where it takes many times longer, the
/// agents differ more than was trusted, or the network is worse than was found out.
void SingleLoop::judge_progress(Run& run, double bound) {
  if (progress_.first_bound == 0) progress_.first_bound = bound;
  if (bound <= rounding * progress_.first_bound) return;
  if (nids_ == on_probation && progress_.bound > 0) return judge_nids(run, bound);
  if (progress_.bound == 0 || bound <= progress_.bound * std::exp(-2)) {
    progress_.bound = bound;
    progress_.k = k_;
    return;
  }
  if (static_cast<double>(k_ - progress_.k) <= patience * iterations_ || nids_ == for_good) return;
  if (slow_ == most_slow) {
    if (options_.switches) hand_over(run);
    return;
  }
  ++slow_;
  options_.sigma = std::min(1.0, 2 * options_.sigma);
  beliefs_.W.lambda_min /= 2;
  progress_.bound = 0;
  choose();
  run.note(fmt::format("slower than predicted at iteration {}: sigma = {}, lambda_min = {:.4g}, J = {}", k_,
                       options_.sigma, beliefs_.W.lambda_min, M_->degree()));
  try_nids(run);
}

}  // namespace ideal
