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

// The agents' differences hide how far the mean has come: where rounds are cheap, so much is paid for fewer.
constexpr double for_better_mixing = 0.04, well_mixed = 1.2;

constexpr double patience = 5;      // predicted iterations without the predicted progress
constexpr double rounding = 1e-20;  // of a bound, which is a square

constexpr Index most_slow = 10;

// An estimate so many times too large may already be worth a verification; a failed one tells by how much.
constexpr double hopeful = 30, more_hopeful = 0.8;

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

Degree best_degree(double kappa_f, double kappa_W, double tau, double sigma) {
  const auto cost = [&](Index J) { return 1 + tau * static_cast<double>(J); };
  const auto time = [&](Index J) {
    return cost(J) * tuning(kappa_f, kappa_of_degree(kappa_W, J), sigma).iterations;
  };
  const Index most = 4 * Chebyshev::default_degree(kappa_W);
  Index best = 1;
  for (Index J = 2; J <= most; ++J)
    if (time(J) < time(best)) best = J;
  const double affordable = (1 + for_better_mixing) * cost(best);
  while (best < most && cost(best + 1) <= affordable && kappa_of_degree(kappa_W, best) > well_mixed) ++best;
  return {best, time(best)};
}

SingleLoop::SingleLoop(Objective& F, Mixing& W, const Beliefs& beliefs, const Options& options, Block X,
                       Block directions)
    : F_(F),
      W_(W),
      options_(options),
      beliefs_(beliefs),
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
      best_Omega_(Omega_) {
  options_.follow = options.follow && !F.curvature_jumps();
  seen_.row(concavity) = -F.known_convexity().transpose();
}

Block SingleLoop::operator()(Run& run) {
  run.keep(X_, X_prev_, Omega_, k_, directions_, next_look_, seen_, word_, rounds_left_, told_X_, told_Omega_,
           best_X_, best_Omega_, first_size_, smallest_size_, first_bound_, last_bound_, last_k_,
           last_estimate_, worth_verifying_, retreats_, slow_, caution_, beliefs_.L, beliefs_.mu,
           beliefs_.W.lambda_max, beliefs_.W.lambda_min, options_.sigma, options_.tau);
  run.sums_to_zero(Omega_);
  choose();
  if (rounds_left_ > 0) W_.carry(&word_);
  while (run.more(X_)) {
    step();
    if (options_.follow && k_ >= next_look_) look_at_curvature();
    if (rounds_left_ <= 0) {
      send_word();
      continue;
    }
    rounds_left_ -= M_->degree();
    if (rounds_left_ <= 0) hear_word(run);
  }
  W_.carry(nullptr);
  run.uses("J", M_->degree());
  run.uses("tau", options_.tau);
  run.uses("sigma", options_.sigma);
  run.uses("L", beliefs_.L);
  run.uses("mu", beliefs_.mu);
  run.uses("lambda-max", beliefs_.W.lambda_max);
  run.uses("lambda-min", beliefs_.W.lambda_min);
  run.uses("retreats", retreats_);
  return answer_ ? *answer_ : X_;
}

void SingleLoop::choose() {
  const double kappa_f = std::max(1.0, beliefs_.kappa_f()), sigma = options_.sigma;
  const Index J = options_.J ? *options_.J : best_degree(kappa_f, beliefs_.W.kappa(), options_.tau, sigma).J;
  if (M_)
    M_->believe(beliefs_.W, J);
  else
    M_.emplace(W_, beliefs_.W, J);
  const Spectrum M = M_->spectrum();
  const Tuning chosen = tuning(kappa_f, M.kappa(), sigma);
  b_ = options_.momentum.value_or(chosen.momentum);
  c_ = options_.penalty.value_or(chosen.penalty) / M.lambda_max;
  eta_ = options_.dual_step.value_or(chosen.dual_step) * beliefs_.L / M.lambda_max;
  iterations_ = chosen.iterations;
}

void SingleLoop::step() {
  M_->locally(X_, [&](auto own) { own(Y_) = own(X_) + b_ * (own(X_) - own(X_prev_)); });
  const Block& G = F_.gradient(Y_);
  M_->locally(X_, [&](auto own) { own(Z_) = own(Y_) - (own(G) + own(Omega_)) / beliefs_.L; });
  const Block& V = M_->mix(Z_);
  M_->locally(X_, [&](auto own) {
    own(X_prev_) = own(X_);
    own(X_) = own(Z_) - c_ * own(V);
    own(Omega_) += eta_ * own(V);
  });
  ++k_;
  if (rounds_left_ > 0) return;
  seen_.row(mixed) = V.colwise().norm();
  seen_.row(shift) = (Y_ - X_).colwise().norm();
  seen_.row(moved) = (X_ - X_prev_).colwise().norm();
}

/// The largest curvature of any agent will be L. A first look starts from any direction and takes some steps.
void SingleLoop::look_at_curvature() {
  next_look_ = static_cast<Index>(std::ceil(between_looks * static_cast<double>(k_)));
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
  // The word is as old as the one before it was then, so by now it has shrunk as much again.
  const double by_now = estimate * std::min(1.0, estimate / std::exchange(last_estimate_, estimate));
  if (by_now <= std::min(hopeful * run.wanted(), worth_verifying_)) verify(run, by_now, -most[concavity]);
  if (options_.guard) judge_progress(run, estimate);
  if (options_.follow && most[curvature] > 0) {
    beliefs_.L = std::max(caution_ * curvature_margin * most[curvature], beliefs_.mu);
    choose();
  }
}

/// Tells whether steps of this size, of the iterate the word is about, are much too large; keeps the best.
bool SingleLoop::astray(double size) {
  if (first_size_ == 0) first_size_ = smallest_size_ = size;
  const double long_way = std::sqrt(1 + beliefs_.kappa_f() / 1e5);
  const bool within = size <= much_growth * long_way * first_size_ && size <= late_growth * smallest_size_;
  if (!within) return retreats_ < most_retreats;
  if (size <= smallest_size_) {
    smallest_size_ = size;
    best_X_ = told_X_;
    best_Omega_ = told_Omega_;
  }
  return false;
}

/// To the best iterate, with less trust in everything.
void SingleLoop::go_back(Run& run) {
  X_ = X_prev_ = best_X_;
  Omega_ = best_Omega_;
  ++retreats_;
  first_size_ = last_bound_ = last_estimate_ = 0;
  seen_.row(curvature).setZero();  // of where it went
  options_.sigma = 1;
  caution_ *= 1.25;
  beliefs_.L *= 1.25;
  beliefs_.W.lambda_max *= 1.15;
  choose();
  run.note(fmt::format(
      "went astray at iteration {}: back to the best iterate, with L = {:.4g}, lambda_max = {:.4g}, J = {}",
      k_, beliefs_.L, beliefs_.W.lambda_max, M_->degree()));
}

/// The estimate should fall by e^2 within the predicted iterations. Where it takes many times longer, the
/// agents differ more than was trusted, or the network is worse than was found out.
void SingleLoop::judge_progress(Run& run, double bound) {
  if (first_bound_ == 0) first_bound_ = bound;
  if (bound <= rounding * first_bound_) return;
  if (last_bound_ == 0 || bound <= last_bound_ * std::exp(-2)) {
    last_bound_ = bound;
    last_k_ = k_;
    return;
  }
  if (static_cast<double>(k_ - last_k_) <= patience * iterations_ || slow_ == most_slow) return;
  ++slow_;
  options_.sigma = std::min(1.0, 2 * options_.sigma);
  beliefs_.W.lambda_min /= 2;
  last_bound_ = 0;
  choose();
  run.note(fmt::format("slower than predicted at iteration {}: sigma = {}, lambda_min = {:.4g}, J = {}", k_,
                       options_.sigma, beliefs_.W.lambda_min, M_->degree()));
}

/// At most |X - mean| of all agents together, if none has a larger |V_i| and the beliefs about W are right.
double SingleLoop::deviation(double largest_mixed) const {
  const Spectrum M = M_->spectrum();
  const double left = std::max(1 - c_ * M.lambda_min, c_ * M.lambda_max - 1);
  return left * std::sqrt(static_cast<double>(W_.agents())) * largest_mixed / M.lambda_min;
}

/// What was estimated from beliefs is proven without them: all agents take the mean of their iterates, and
/// n |g|^2 / (2 mu) for the mean g of the gradients there bounds f - f*. Both means are summed over a
/// spanning tree, so that all agents have the same.
void SingleLoop::verify(Run& run, double estimate, double convexity) {
  if (run.wanted() == 0) return;
  const double n = static_cast<double>(W_.agents()), mu = convexity > 0 ? convexity : beliefs_.mu;
  const Vector mean = W_.total(X_) / n;
  const Block all_mean = mean.replicate(1, X_.cols());
  const Vector gradient = W_.total(F_.gradient(all_mean)) / n;
  const double bound = n * gradient.squaredNorm() / (2 * mu);
  run.bounded(bound);
  worth_verifying_ = more_hopeful * estimate * run.wanted() / bound;
  if (bound <= run.wanted() && run.settled(all_mean, bound)) answer_ = all_mean;
}

}  // namespace ideal
