// SPDX-License-Identifier: Apache-2.0
#include "method/single_loop.hpp"

#include "method/single_loop_tuning.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ideal {

namespace {

double squared(double x) { return x * x; }

// Agents look at their curvature at iterations 6, 10, 16, 26, ...
constexpr double between_looks = 1.6;
constexpr Index first_look = 6;

}  // namespace

SingleLoop::SingleLoop(Objective& F, Mixing& W, const Beliefs& beliefs, const Options& options, Block X,
                       Block directions)
    : F_(F),
      W_(W),
      options_(options),
      beliefs_(beliefs),
      survey_(W),
      X_(std::move(X)),
      X_prev_(X_),
      Omega_(Block::Zero(X_.rows(), X_.cols())),
      Y_(X_),
      Z_(X_),
      directions_(std::move(directions)),
      next_look_(first_look),
      word_{.seen = Block::Zero(numbers, X_.cols()),
            .largest = Block::Zero(numbers, X_.cols()),
            .X = X_,
            .Omega = Omega_},
      best_{.X = X_, .Omega = Omega_},
      proof_{.total = RidingTotal(W, 2 * X_.rows(), X_.cols()), .proposed = X_} {
  options_.follow = options.follow && !F.curvature_jumps();
  word_.seen.row(concavity) = -F.known_convexity().transpose();
}

Block SingleLoop::operator()(Run& run) {
  begin(run);
  const auto keep = [&](auto&... more) {
    run.keep(X_, X_prev_, Omega_, k_, directions_, next_look_, word_.seen, word_.largest, word_.rounds_left,
             word_.X, word_.Omega, best_.X, best_.Omega, best_.L, first_size_, best_.size,
             progress_.first_bound, progress_.bound, progress_.k, progress_.estimate, proof_.worth_below,
             proof_.at, proof_.convexity, calming_.left, calming_.left_k, calming_.to_go, calming_.after,
             proof_.sums, proof_.total.state.rounds_left, proof_.total.state.numbers, proof_.proposed,
             retreats_, slow_, nids_, probation_, caution_, beliefs_.L, beliefs_.mu, beliefs_.W.lambda_max,
             beliefs_.W.lambda_min, options_.sigma, options_.tau, more...);
  };
  if (auto& s = survey_.state; options_.survey)
    keep(s.rounds, s.bound, s.numbers, s.previous, s.mixed, s.products);
  else
    keep();
  run.sums_to_zero(Omega_);
  run.be_patient(options_.guard && may_go_back());
  choose();
  if (surveys()) W_.take_along(&survey_);
  if (proof_.sums > 0) W_.take_along(&proof_.total);
  if (word_.rounds_left > 0) W_.carry(&word_.largest);
  while (run.more(X_)) {
    step();
    if (options_.follow && k_ >= next_look_) look_at_curvature();
    if (proof_.sums > 0 && proof_.total.over()) go_on_verifying(run);
    if (k_ == proof_.at) verify(run, std::min(hopeful() * run.wanted(), proof_.worth_below));
    if (answer_) continue;
    if (word_.rounds_left <= 0) {
      send_word();
    } else {
      word_.rounds_left -= M_->degree();
      if (word_.rounds_left <= 0) hear_word(run);
    }
    if (surveys() && survey_.over()) end_survey(run);
  }
  W_.take_along(nullptr);
  W_.carry(nullptr);
  run.uses("J", M_->degree());
  run.uses("tau", options_.tau);
  run.uses("sigma", options_.sigma);
  run.uses("L", beliefs_.L);
  run.uses("mu", beliefs_.mu);
  if (surveys()) {
    run.note("ended before its survey of the network did: lambda was a bound and a guess");
  } else {
    run.uses("lambda-max", beliefs_.W.lambda_max);
    run.uses("lambda-min", beliefs_.W.lambda_min);
  }
  run.uses("retreats", retreats_);
  return answer_ ? *answer_ : X_;
}

/// A survey has rounds of its own where messages are too short to take it along.
void SingleLoop::begin(Run& run) {
  best_.L = beliefs_.L;
  if (options_.survey) survey_.begin(F_.noise(std::min(survey_probes, X_.rows())), beliefs_.W.lambda_max);
  if (run.resumes()) return;
  believe(run, beliefs_.W, options_.survey ? Certainty::guess : Certainty::found);
  if (survey_.leaving().rows() <= X_.rows()) return;
  while (!survey_.over()) W_.send(survey_);
  end_survey(run);
}

/// What words said was measured with a guess: progress is measured anew.
void SingleLoop::end_survey(Run& run) {
  W_.take_along(nullptr);
  survey_.state.bound = 0;
  believe(run, survey_.found(), Certainty::found);
  measure_anew();
  proof_.worth_below = std::numeric_limits<double>::infinity();
  choose();
}

/// About W, where nothing else was told, with the care that was learnt so far.
void SingleLoop::believe(Run& run, const Spectrum& W, Certainty certainty) {
  const auto times = [](double factor, Index count) { return std::pow(factor, static_cast<double>(count)); };
  const double lambda_max = options_.lambda_max.value_or(W.lambda_max) * times(wider, retreats_);
  beliefs_.W.lambda_max = nids_ == for_good ? std::max(lambda_max, beliefs_.W.lambda_max) : lambda_max;
  beliefs_.W.lambda_min =
      std::min(options_.lambda_min.value_or(W.lambda_min) / times(2, slow_), beliefs_.W.lambda_max);
  if (certainty == Certainty::found && options_.explain) options_.explain(run, beliefs_, options_.tau);
}

void SingleLoop::choose() {
  const double kappa_f = std::max(1.0, beliefs_.kappa_f()), sigma = options_.sigma;
  const Index J = nids_ != never ? 1
                  : options_.J   ? *options_.J
                                 : best_degree(kappa_f, beliefs_.W.kappa(), options_.tau, sigma).J;
  if (M_)
    M_->believe(beliefs_.W, J);
  else
    M_.emplace(W_, beliefs_.W, J);
  const Spectrum M = M_->spectrum();
  Tuning chosen = nids_tuning(kappa_f, M.kappa());
  if (nids_ == never) {
    chosen = tuning(kappa_f, M.kappa(), sigma);
    chosen.momentum = options_.momentum.value_or(chosen.momentum);
    chosen.penalty = options_.penalty.value_or(chosen.penalty);
    chosen.dual_step = options_.dual_step.value_or(chosen.dual_step);
  }
  b_ = chosen.momentum;
  c_ = chosen.penalty / M.lambda_max;
  eta_ = chosen.dual_step * beliefs_.L / M.lambda_max;
  iterations_ = chosen.iterations;
}

void SingleLoop::step() {
  const double b = calming_.to_go > 0 ? std::min(b_, 1 - 2 / static_cast<double>(1 + calming_.to_go)) : b_;
  M_->locally(X_, [&](auto own) { own(Y_) = own(X_) + b * (own(X_) - own(X_prev_)); });
  const Block& G = F_.gradient(Y_);
  M_->locally(X_, [&](auto own) { own(Z_) = own(Y_) - (own(G) + own(Omega_)) / beliefs_.L; });
  const Block& V = M_->mix(Z_);
  M_->locally(X_, [&](auto own) {
    own(X_prev_) = own(X_);
    own(X_) = own(Z_) - c_ * own(V);
    own(Omega_) += eta_ * own(V);
  });
  ++k_;
  if (calming_.to_go > 0) --calming_.to_go;
  if (word_.rounds_left > 0) return;
  word_.seen.row(mixed) = V.colwise().norm();
  word_.seen.row(shift) = (Y_ - X_).colwise().norm();
  word_.seen.row(moved) = (X_ - X_prev_).colwise().norm();
}

/// The largest curvature of any agent will be L. A first look starts from any direction and takes some steps.
/// Where it is the same everywhere, there is no other, unless it goes back.
void SingleLoop::look_at_curvature() {
  next_look_ = F_.curvature_constant()
                   ? std::numeric_limits<Index>::max()
                   : static_cast<Index>(std::ceil(between_looks * static_cast<double>(k_)));
  const Index steps = k_ <= first_look && !options_.knows_directions ? power_steps : 1;
  word_.seen.row(curvature).setZero();
  for (Index step = 0; step < steps; ++step) power_step(F_, X_, directions_, word_.seen.row(curvature));
}

void SingleLoop::send_word() {
  word_.largest = word_.seen;
  word_.seen.row(curvature).setZero();
  word_.X = X_;
  word_.Omega = Omega_;
  word_.rounds_left = W_.reach();
  W_.carry(&word_.largest);
}

/// Every agent hears the same numbers in the same round, and so decides the same. With g the mean of the
/// gradients at Y, which is L times the mean of Y - X+,
///   f(mean) - f* <= (n/2)(1/mu - 1/L)|g|^2 + (L/2)|Y - mean|^2,
/// docs/decisions/016-a-certificate-on-the-way.md.
void SingleLoop::hear_word(Run& run) {
  word_.rounds_left = 0;
  W_.carry(nullptr);
  const auto most = word_.largest.col(0);
  if (options_.guard && astray(most[moved] + most[mixed] / M_->spectrum().lambda_max)) return go_back(run);

  const auto n = static_cast<double>(W_.agents());
  const double L = beliefs_.L;
  const double estimate = n / 2 * (1 / beliefs_.mu - 1 / L) * squared(L * most[shift]) +
                          L / 2 * squared(deviation(most[mixed]) + std::sqrt(n) * most[shift]);
  // The word is as old as the one before it was then, so by now it has shrunk as much again, if not by
  // chance. It may be small enough before the next one comes.
  const double last = std::exchange(progress_.estimate, estimate);
  const double shrinks =
      last > 0 ? std::clamp(estimate / last, std::exp(-2 * iterations_of_word() / iterations_), 1.0) : 1.0;
  const double by_now = estimate * shrinks;
  const double enough = std::min(hopeful() * run.wanted(), proof_.worth_below);
  const double wait = iterations_ / 2 * std::log(by_now / enough);
  proof_.convexity = -most[concavity];
  if (by_now <= enough)
    verify(run, by_now);
  else if (wait < iterations_of_word())
    proof_.at = k_ + static_cast<Index>(std::ceil(wait));
  consider_calming(run, by_now, n / 2 * beliefs_.mu * squared(iterations_ * most[moved]));
  if (options_.guard) judge_progress(run, estimate);
  if (options_.follow && most[curvature] > 0) {
    beliefs_.L = std::max(caution_ * curvature_margin * most[curvature], beliefs_.mu);
    choose();
  }
}

/// At most |X - mean| of all agents together, if none has a larger |V_i| and the beliefs about W are right.
double SingleLoop::deviation(double largest_mixed) const {
  const Spectrum M = M_->spectrum();
  const double left = std::max(1 - c_ * M.lambda_min, c_ * M.lambda_max - 1);
  return left * std::sqrt(static_cast<double>(W_.agents())) * largest_mixed / M.lambda_min;
}

/// From one that was sent to the next.
double SingleLoop::iterations_of_word() const {
  return 1 + std::ceil(static_cast<double>(W_.reach()) / static_cast<double>(M_->degree()));
}

}  // namespace ideal
