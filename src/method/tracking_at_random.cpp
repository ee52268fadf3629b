// SPDX-License-Identifier: Apache-2.0
#include "method/tracking_at_random.hpp"

#include "core/symmetric.hpp"
#include "method/averaging_window.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>

namespace ideal {

namespace {

/// How much a window of B steps that leaves sigma makes of what comes in: at most B/(1 - sigma).
struct Gain {
  double sigma = 1, B = 1;
  [[nodiscard]] double total() const { return B / (1 - sigma); }
};

/// Small gain: what agents differ by is at most alpha Gamma(x) Gamma(s) times the gradients, with the window
/// that makes this least.
double limit_by_gain(const LinkSequence& links, const Spectrum& spectrum, Tracking kind) {
  const double s = spectrum.averaging_scale();
  const bool semidefinite = 1 - s * spectrum.lambda_max > -1e-12;
  AveragingWindow window(links, s);
  double limit = 0;
  for (Gain gain; gain.B <= AveragingWindow::longest(links); ++gain.B) {
    gain.sigma = window.longer();
    if (gain.sigma > 1 - 1e-9) continue;
    const double whole = gain.total();
    double tracked = 2 * whole;
    if (semidefinite) tracked = std::min(tracked, 1 + std::sqrt(gain.B) / (1 - gain.sigma));
    const double here = 1 / (tracked * (kind == Tracking::combined ? whole : whole - 1));
    if (here < limit / 2) break;
    limit = std::max(limit, here);
  }
  return std::min(limit, 2.0);
}

/// One direction of what agents differ by, in which a step averages by p, give or take a variance: how the
/// three products of (x, t) change, as quadratic forms of q = (x, t, w).
class Change {
 public:
  Change(double p, double variance, Tracking kind) {
    using Row = Eigen::RowVector3d;
    const Row x(1, 0, 0), t(0, 1, 0), tracked(0, 1, 1), gradient(0, 0, 1);
    const Row moved = x - tracked, t_next = p * tracked - gradient;
    const Row averaged = kind == Tracking::combined ? x : moved;
    const Row x_next = kind == Tracking::combined ? Row(p * x - tracked) : Row(p * moved);
    forms_ = {
        x_next.transpose() * x_next - x.transpose() * x + variance * averaged.transpose() * averaged,
        2 * (x_next.transpose() * t_next - x.transpose() * t + variance * averaged.transpose() * tracked),
        t_next.transpose() * t_next - t.transpose() * t + variance * tracked.transpose() * tracked};
    for (Eigen::Matrix3d& form : forms_) form = ((form + form.transpose()) / 2).eval();
  }

  /// Of a storage a_1 x^2 + 2 a_2 x t + a_3 t^2, and x w.
  [[nodiscard]] Eigen::Matrix3d with_supply(const Eigen::Vector3d& a) const {
    Eigen::Matrix3d all = a[0] * forms_[0] + a[1] * forms_[1] + a[2] * forms_[2];
    all(0, 2) += 0.5;
    all(2, 0) += 0.5;
    return all;
  }

  /// How it depends on the storage.
  [[nodiscard]] Eigen::Vector3d at(const Eigen::Vector3d& q) const {
    return {q.dot(forms_[0] * q), q.dot(forms_[1] * q), q.dot(forms_[2] * q)};
  }

 private:
  std::array<Eigen::Matrix3d, 3> forms_;
};

/// Where a storage fails, or how it could be better: which way not to go; and what it proves.
struct Verdict {
  Eigen::Vector3d away;
  double gamma = std::numeric_limits<double>::infinity();
};

/// x w <= gamma w^2 - (the storage's growth) in every direction, for the least gamma.
Verdict judge(const std::vector<Change>& changes, const Eigen::Vector3d& a) {
  Eigen::Matrix2d storage;
  storage << a[0], a[1], a[1], a[2];
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix2d> own(storage);
  if (own.eigenvalues()[0] < 0) {
    const Eigen::Vector2d u = own.eigenvectors().col(0);
    return {.away = -Eigen::Vector3d(u[0] * u[0], 2 * u[0] * u[1], u[1] * u[1])};
  }
  Verdict worst{.away = Eigen::Vector3d::Zero(), .gamma = 0.5};
  for (const Change& change : changes) {
    const Eigen::Matrix3d all = change.with_supply(a);
    const Eigen::Matrix2d within = all.topLeftCorner<2, 2>();
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix2d> decay(within);
    if (decay.eigenvalues()[1] > -1e-14) {
      const Eigen::Vector2d u = decay.eigenvectors().col(1);
      return {.away = change.at({u[0], u[1], 0})};
    }
    const Eigen::Vector2d most = -within.inverse() * all.topRightCorner<2, 1>();
    const double gamma = all(2, 2) + most.dot(all.topRightCorner<2, 1>());
    if (gamma > worst.gamma) worst = {.away = change.at({most[0], most[1], 1}), .gamma = gamma};
  }
  return worst;
}

/// In mean square, by a storage that all directions share: the least gamma, a convex problem in three
/// numbers, by the ellipsoid method. 0 where some graph does not bring its agents together by itself.
double limit_by_storage(const LinkSequence& links, double s, Tracking kind) {
  const double a = links.awake();
  std::vector<Change> changes;
  double gap = 1, squared = 0;
  bool semidefinite = true;
  for (const Links& step : links.in_turn()) {
    const Vector lambda = symmetric_eigenvalues(Block(step.M));
    double heaviest = 0;
    for (Index i = 0; i < step.M.rows(); ++i)
      for (SparseRows::InnerIterator entry(step.M, i); entry; ++entry)
        if (entry.col() != i) heaviest = std::max(heaviest, std::abs(entry.value()));
    for (Index i = 1; i < lambda.size(); ++i) {
      const double p = 1 - s * a * lambda[i], variance = 2 * s * s * a * (1 - a) * heaviest * lambda[i];
      changes.emplace_back(p, variance, kind);
      squared = std::max(squared, p * p + variance);
      semidefinite = semidefinite && s * lambda[i] < 1 + 1e-12;
    }
    if (lambda.size() > 1) gap = std::min(gap, s * a * lambda[1]);
  }
  if (!(gap > 1e-9)) return 0;

  constexpr int rounds = 600;
  const Eigen::Vector3d unit(1, 1 / gap, 1 / (gap * gap));  // what the three numbers are about
  Eigen::Vector3d centre(0.4, -0.2, 0.4);
  Eigen::Matrix3d ellipsoid = 16 * Eigen::Matrix3d::Identity();
  double least = std::numeric_limits<double>::infinity();
  for (int k = 0; k < rounds; ++k) {
    const Verdict verdict = judge(changes, centre.cwiseProduct(unit));
    least = std::min(least, verdict.gamma);
    const Eigen::Vector3d away = verdict.away.cwiseProduct(unit);
    const double length = std::sqrt(away.dot(ellipsoid * away));
    if (!(length > 1e-12)) break;
    const Eigen::Vector3d step = ellipsoid * away / length;
    centre -= step / 4;
    ellipsoid = (9.0 / 8) * (ellipsoid - step * step.transpose() / 2).eval();
  }
  // The gain of one step's window: better where the gap is very small.
  const double whole = 1 / (1 - std::sqrt(squared)),
               entering = kind == Tracking::combined ? whole : whole - 1;
  if (semidefinite && squared < 1)
    least = std::min(least, std::max(0.5, entering * (1 + 1 / std::sqrt(gap))));
  return std::isfinite(least) ? std::min(2.0, 1 / least) : 0;
}

}  // namespace

std::optional<double> limit_at_random(const LinkSequence& links, const Spectrum& spectrum, Tracking kind) {
  constexpr Index largest_storage = 500, largest_window = 200;
  const Index n = links.agents(), period = std::ssize(links.in_turn());
  if (n > largest_storage) return {};
  if (const double limit = limit_by_storage(links, spectrum.averaging_scale(), kind); limit > 0) return limit;
  if (n > largest_window || period > 16) return {};
  if (const double limit = limit_by_gain(links, spectrum, kind); limit > 0) return limit;
  return {};
}

}  // namespace ideal
