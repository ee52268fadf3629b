// SPDX-License-Identifier: Apache-2.0
#include "method/single_loop.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace ideal {

namespace {

double square(double x) { return x * x; }

/// What an agent tells the others.
enum Told : Index { mixed, shift, moved, curvature, concavity, numbers };

// Agents look at their curvature at iterations 6, 10, 16, 26, ...
constexpr double between_looks = 1.6;
constexpr Index first_look = 6;
constexpr double curvature_margin = 1.03;  // a power step ends below the largest eigenvalue

// A run has gone astray when its steps have grown so much since the first, or since the smallest.
constexpr double much_growth = 1000, late_growth = 100;
constexpr Index most_retreats = 12;
constexpr double steeper = 1.25, wider = 1.15;  // L and lambda_max, each time

// The agents' differences hide how far the mean has come: where rounds are cheap, so much is paid for fewer.
constexpr double for_better_mixing = 0.04, well_mixed = 1.2;

constexpr double patience = 5;      // predicted iterations without the predicted progress
constexpr double rounding = 1e-20;  // of a bound, which is a square

constexpr Index most_slow = 10;

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

double kappa_of_degree(double kappa_W, Index J) {
  if (kappa_W - 1 < 1e-9) return 1;
  const double ripple = 1 / std::cosh(static_cast<double>(J) * std::acosh((kappa_W + 1) / (kappa_W - 1)));
  return (1 + ripple) / (1 - ripple);
}

}  // namespace

Tuning tuning(double kappa_f, double kappa_M, double sigma) {
  const double root = std::sqrt(kappa_f);
  const bool near = kappa_M * sigma <= 1.55;  // mixing so good that differences do no harm
  constexpr double s = 0.8;                   // of the dual step that commuting modes bear
  double c = 1.1;
  if (root < 1.001)
    return {.momentum = 0, .penalty = c, .dual_step = s * c * c / kappa_M, .iterations = kappa_M};

  // How much slower than centralized acceleration consensus makes the mean: by what commuting modes allow,
  // and by differences.
  const double a = c * root / kappa_M, under = a * a + 4 * (kappa_M / (s * c) - 1);
  const double commuting = under > 0 ? (std::sqrt(under) - a) / 2 : 0;
  const double slower =
      std::min(std::max({1.0, commuting, near ? 0 : sigma * std::sqrt(kappa_M)}), 0.999 * root);

  // The momentum that gives the mean's slowest mode this root; for slower = 1 Nesterov's.
  const double r = 1 - 1 / (slower * root);
  const double b = r * (1 - r / (1 - 1 / kappa_f)) / (1 - r), damping = 1 - b;
  const double eta = std::min(s * c * (c / kappa_M + damping), near ? 0.6 : damping / square(sigma));
  c = std::min(c, (1 + (1 - 0.6 * eta) / (1 + 2 * b)) / 1.2);  // stable with lambda_max 20 % too small

  // Nesterov's momentum makes a double root, whose factor of k takes as long as this leaves out.
  constexpr double single_root = 0.75;
  return {.momentum = b,
          .penalty = c,
          .dual_step = eta,
          .iterations = std::max(root, single_root * std::max(slower * root, kappa_M / eta))};
}

Tuning nids_tuning(double kappa_f, double kappa_M) {
  return {.momentum = 0, .penalty = 0.5, .dual_step = 0.5, .iterations = std::max(kappa_f, 2 * kappa_M)};
}

Degree best_degree(double kappa_f, double kappa_W, double tau, double sigma) {
  const auto cost = [&](Index J) { return 1 + tau * static_cast<double>(J); };
  const auto time = [&](Index J) {
    return cost(J) * tuning(kappa_f, kappa_of_degree(kappa_W, J), sigma).iterations;
  };
  const Index most = 4 * Chebyshev::default_degree(kappa_W);
  Index best = 1;
  for (Index J = 2; J <= most; ++J)
    if (time(J) < time(best)) best = J;
  const double affordable = (1 + for_better_mixing) * cost(best), soon = (1 + for_better_mixing) * time(best);
  while (best < most && cost(best + 1) <= affordable && time(best + 1) <= soon &&
         kappa_of_degree(kappa_W, best) > well_mixed)
    ++best;
  return {best, time(best)};
}

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
      seen_(Block::Zero(numbers, X_.cols())),
      word_(seen_),
      told_X_(X_),
      told_Omega_(Omega_),
      best_X_(X_),
      best_Omega_(Omega_),
      proposed_(X_),
      total_(W, 2 * X_.rows(), X_.cols()) {
  options_.follow = options.follow && !F.curvature_jumps();
  seen_.row(concavity) = -F.known_convexity().transpose();
}

Block SingleLoop::operator()(Run& run) {
  begin(run);
  const auto keep = [&](auto&... more) {
    run.keep(X_, X_prev_, Omega_, k_, directions_, next_look_, seen_, word_, rounds_left_, told_X_,
             told_Omega_, best_X_, best_Omega_, best_L_, first_size_, smallest_size_, first_bound_,
             last_bound_, last_k_, last_estimate_, worth_verifying_, verify_at_, convexity_, left_, left_k_,
             calming_, calm_after_, verifying_, total_.state.rounds_left, total_.state.numbers, proposed_,
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
  if (verifying_ > 0) W_.take_along(&total_);
  if (rounds_left_ > 0) W_.carry(&word_);
  while (run.more(X_)) {
    step();
    if (options_.follow && k_ >= next_look_) look_at_curvature();
    if (verifying_ > 0 && total_.over()) go_on_verifying(run);
    if (k_ == verify_at_) verify(run, std::min(hopeful() * run.wanted(), worth_verifying_));
    if (answer_) continue;
    if (rounds_left_ <= 0) {
      send_word();
    } else {
      rounds_left_ -= M_->degree();
      if (rounds_left_ <= 0) hear_word(run);
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
  best_L_ = beliefs_.L;
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
  last_bound_ = last_estimate_ = 0;
  worth_verifying_ = std::numeric_limits<double>::infinity();
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
  const double b = calming_ > 0 ? std::min(b_, 1 - 2 / static_cast<double>(1 + calming_)) : b_;
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
  if (calming_ > 0) --calming_;
  if (rounds_left_ > 0) return;
  seen_.row(mixed) = V.colwise().norm();
  seen_.row(shift) = (Y_ - X_).colwise().norm();
  seen_.row(moved) = (X_ - X_prev_).colwise().norm();
}

/// The largest curvature of any agent will be L. A first look starts from any direction and takes some steps.
/// Where it is the same everywhere, there is no other, unless it goes back.
void SingleLoop::look_at_curvature() {
  next_look_ = F_.curvature_constant()
                   ? std::numeric_limits<Index>::max()
                   : static_cast<Index>(std::ceil(between_looks * static_cast<double>(k_)));
  const Index steps = k_ <= first_look && !options_.knows_directions ? power_steps : 1;
  seen_.row(curvature).setZero();
  for (Index step = 0; step < steps; ++step) power_step(F_, X_, directions_, seen_.row(curvature));
}

void SingleLoop::send_word() {
  word_ = seen_;
  seen_.row(curvature).setZero();
  told_X_ = X_;
  told_Omega_ = Omega_;
  rounds_left_ = W_.reach();
  W_.carry(&word_);
}

/// Every agent hears the same numbers in the same round, and so decides the same. With g the mean of the
/// gradients at Y, which is L times the mean of Y - X+,
///   f(mean) - f* <= (n/2)(1/mu - 1/L)|g|^2 + (L/2)|Y - mean|^2,
/// docs/decisions/016-a-certificate-on-the-way.md.
void SingleLoop::hear_word(Run& run) {
  rounds_left_ = 0;
  W_.carry(nullptr);
  const auto most = word_.col(0);
  if (options_.guard && astray(most[moved] + most[mixed] / M_->spectrum().lambda_max)) return go_back(run);

  const auto n = static_cast<double>(W_.agents());
  const double L = beliefs_.L;
  const double estimate = n / 2 * (1 / beliefs_.mu - 1 / L) * square(L * most[shift]) +
                          L / 2 * square(deviation(most[mixed]) + std::sqrt(n) * most[shift]);
  // The word is as old as the one before it was then, so by now it has shrunk as much again, if not by
  // chance. It may be small enough before the next one comes.
  const double last = std::exchange(last_estimate_, estimate);
  const double shrinks =
      last > 0 ? std::clamp(estimate / last, std::exp(-2 * iterations_of_word() / iterations_), 1.0) : 1.0;
  const double by_now = estimate * shrinks;
  const double enough = std::min(hopeful() * run.wanted(), worth_verifying_);
  const double wait = iterations_ / 2 * std::log(by_now / enough);
  convexity_ = -most[concavity];
  if (by_now <= enough)
    verify(run, by_now);
  else if (wait < iterations_of_word())
    verify_at_ = k_ + static_cast<Index>(std::ceil(wait));
  consider_calming(run, by_now, n / 2 * beliefs_.mu * square(iterations_ * most[moved]));
  if (options_.guard) judge_progress(run, estimate);
  if (options_.follow && most[curvature] > 0) {
    beliefs_.L = std::max(caution_ * curvature_margin * most[curvature], beliefs_.mu);
    choose();
  }
}

/// As often again after it was handed over.
bool SingleLoop::may_go_back() const { return retreats_ < (options_.switches ? 2 : 1) * most_retreats; }

/// Tells whether steps of this size, of the iterate the word is about, are much too large; keeps the best.
bool SingleLoop::astray(double size) {
  const bool first = first_size_ == 0;  // at all, or since it last went back: no better than where it began
  if (first) first_size_ = smallest_size_ = size;
  const double long_way = std::sqrt(1 + beliefs_.kappa_f() / 1e5);
  const bool within = std::isfinite(size) && size <= much_growth * long_way * first_size_ &&
                      size <= late_growth * smallest_size_;
  if (!within) return may_go_back();
  if (!first && size <= smallest_size_ && k_ >= calm_after_) {
    smallest_size_ = size;
    best_L_ = beliefs_.L;
    best_X_ = told_X_;
    best_Omega_ = told_Omega_;
  }
  return false;
}

/// To the best iterate, with less trust in everything. What the curvature was where it went is forgotten.
void SingleLoop::go_back(Run& run) {
  X_ = X_prev_ = best_X_;
  Omega_ = best_Omega_;
  ++retreats_;
  run.be_patient(may_go_back());
  first_size_ = last_bound_ = last_estimate_ = 0;
  verify_at_ = 0;
  seen_.row(curvature).setZero();
  if (options_.follow) look_at_curvature();
  options_.sigma = 1;
  caution_ *= steeper;
  beliefs_.L = steeper * std::max(beliefs_.L, best_L_);
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
  last_bound_ = last_estimate_ = 0;
  choose();
  run.note(fmt::format("from iteration {} on nids, while it shrinks errors by e in {:.0f} iterations", k_,
                       std::ceil(probation_)));
}

/// Where it has taken longer than ideal1 would, that goes on.
void SingleLoop::judge_nids(Run& run, double bound) {
  const auto iterations = static_cast<double>(k_ - last_k_);
  if (iterations < probation_) return;
  if (std::log(last_bound_ / bound) / 2 * probation_ >= iterations) {
    last_bound_ = bound;
    last_k_ = k_;
    return;
  }
  nids_ = never;
  last_bound_ = last_estimate_ = 0;
  choose();
  run.note(fmt::format("from iteration {} on ideal1 again, with J = {}", k_, M_->degree()));
}

/// The last resort, where neither going back nor less trust has helped. NIDS needs no more than L, which is
/// met on the way, and lambda_max, of which agents know a bound by themselves; whatever else was believed or
/// told about mu, lambda_min and the agents' likeness may be wrong.
void SingleLoop::hand_over(Run& run) {
  nids_ = for_good;
  caution_ = 1;
  last_bound_ = last_estimate_ = 0;
  beliefs_.W.lambda_max = std::max(beliefs_.W.lambda_max, W_.maximum(W_.local_bounds()));
  choose();
  run.note(fmt::format("handed over to nids at iteration {}, with L = {:.4g}, lambda_max = {:.4g}", k_,
                       beliefs_.L, beliefs_.W.lambda_max));
}

/// The gradient's norm, which the certificate is made of, exceeds what is left to do by h / mu in a direction
/// of curvature h, and momentum leaves as much in directions of medium curvature as in flat ones. Steps do
/// not exaggerate: an error that shrinks by e in N iterations moves by 1/N of itself, and one that swings has
/// as much energy of motion as of height. When they tell that enough is done, momentum is taken away little
/// by little: with 1 - 2/R for R iterations to go, a direction's error falls by h / mu before it stands
/// still.
void SingleLoop::consider_calming(const Run& run, double bound, double left) {
  if (run.wanted() == 0 || !std::isfinite(bound)) return;
  const auto since = static_cast<double>(k_ - std::exchange(left_k_, k_));
  left_ = std::max(left, left_ * std::exp(-forgotten * since / iterations_));
  const double wait = iterations_ * std::max(std::log(bound) - std::log(run.wanted()), 0.0) / 2;
  const double length = 2 / (1 - b_);
  if (calming_ > 0) {
    calm_after_ = k_ + calming_ + static_cast<Index>(std::max(wait, iterations_));
  } else if (k_ >= calm_after_ && left_ <= vanishing * run.wanted() && wait > pays_to_calm * length) {
    calming_ = static_cast<Index>(std::ceil(length));
    calm_after_ = k_ + calming_;
  }
}

/// The estimate should fall by e^2 within the predicted iterations. Where it takes many times longer, the
/// agents differ more than was trusted, or the network is worse than was found out.
void SingleLoop::judge_progress(Run& run, double bound) {
  if (first_bound_ == 0) first_bound_ = bound;
  if (bound <= rounding * first_bound_) return;
  if (nids_ == on_probation && last_bound_ > 0) return judge_nids(run, bound);
  if (last_bound_ == 0 || bound <= last_bound_ * std::exp(-2)) {
    last_bound_ = bound;
    last_k_ = k_;
    return;
  }
  if (static_cast<double>(k_ - last_k_) <= patience * iterations_ || nids_ == for_good) return;
  if (slow_ == most_slow) {
    if (options_.switches) hand_over(run);
    return;
  }
  ++slow_;
  options_.sigma = std::min(1.0, 2 * options_.sigma);
  beliefs_.W.lambda_min /= 2;
  last_bound_ = 0;
  choose();
  run.note(fmt::format("slower than predicted at iteration {}: sigma = {}, lambda_min = {:.4g}, J = {}", k_,
                       options_.sigma, beliefs_.W.lambda_min, M_->degree()));
  try_nids(run);
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
  verify_at_ = 0;
  if (run.wanted() == 0 || verifying_ > 0) return;
  if (worth_riding()) {
    verifying_ = 1;
    total_.begin(X_, Block::Zero(X_.rows(), X_.cols()));
    W_.take_along(&total_);
    return;
  }
  propose(W_.total(X_));
  const double bound = prove(run, W_.total(F_.gradient(proposed_)));
  // An estimate above what is wanted that was too small was extrapolated too far; one below is mistaken.
  const double exaggerated = estimate / bound;
  worth_verifying_ =
      more_hopeful * run.wanted() * (estimate > run.wanted() ? std::max(1.0, exaggerated) : exaggerated);
}

/// From now on until it succeeds: while gradients at one mean are added up, so are the iterates of now.
void SingleLoop::go_on_verifying(Run& run) {
  const Vector sums = total_.result();
  if (verifying_ > 1) prove(run, sums.tail(X_.rows()));
  if (answer_) return;
  propose(sums.head(X_.rows()));
  ++verifying_;
  total_.begin(X_, F_.gradient(proposed_));
}

void SingleLoop::propose(const Vector& sum) {
  proposed_.colwise() = Vector(sum / static_cast<double>(W_.agents()));
}

double SingleLoop::prove(Run& run, const Vector& sum_of_gradients) {
  const double n = static_cast<double>(W_.agents()), mu = convexity_ > 0 ? convexity_ : beliefs_.mu;
  const double bound = sum_of_gradients.squaredNorm() / (2 * n * mu);
  run.bounded(bound);
  if (bound <= run.wanted() && run.settled(proposed_, bound)) answer_ = proposed_;
  return bound;
}

}  // namespace ideal
