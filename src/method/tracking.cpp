// SPDX-License-Identifier: Apache-2.0
#include "method/tracking.hpp"

#include "core/symmetric.hpp"
#include "method/gossip.hpp"

#include <ideal/error.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <vector>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <fmt/format.h>

namespace ideal {

namespace {

using Matrix = Eigen::MatrixXd;
using Complex = Eigen::MatrixXcd;

/// With one symmetric P, eigenvalue p answers a gradient (scaled by alpha) by -p^j (z - 1)/(z - p)^2, j = 0,
/// 1, 2 for the three methods. The least real part of (z - 1)/(z - p)^2 on |z| = 1 is -2/(1 + p)^2, at z =
/// -1; for p < 0 and j = 1 it is the largest that counts. p = 1 is gradient descent: 2.
double limit_of_eigenvalue(double p, Tracking kind) {
  const double reflected = (1 + p) * (1 + p) / 2;
  if (kind == Tracking::combined) return reflected;
  if (p >= 0) return 2;
  if (kind == Tracking::adapted) return std::min(2.0, reflected / (p * p));
  const double c = (1 + p * (7 + p * (1 - p))) / (2 * (2 + p * (1 + p)));  // cosine of the worst frequency
  const double distance = 1 + p * p - 2 * p * c;
  return std::min(2.0, distance * distance / (-p * (1 - c) * (2 * c + 1 - 2 * p - p * p)));
}

double smallest_eigenvalue(const Spectrum& W) { return 1 - doubly_stochastic_scale(W) * W.lambda_max; }

// ---- networks that take turns ----------------------------------------------------------------------------

/// C = I - s M of each step of a period, dense.
std::vector<Matrix> averaging_matrices(const LinkSequence& links, double s) {
  std::vector<Matrix> C;
  for (const Links& step : links.in_turn())
    C.emplace_back(Matrix::Identity(links.agents(), links.agents()) - s * Matrix(step.M));
  return C;
}

/// The push-sum weights of a period, which all others approach: C_p ... C_1 v = v, sum v = n.
std::vector<Vector> periodic_weights(const std::vector<Matrix>& C) {
  const Index n = C.front().rows();
  Matrix period = Matrix::Identity(n, n);
  for (const Matrix& step : C) period = step * period;
  Matrix equations = period - Matrix::Identity(n, n);
  equations.row(n - 1).setOnes();
  Vector right = Vector::Zero(n);
  right[n - 1] = static_cast<double>(n);
  std::vector<Vector> v{equations.partialPivLu().solve(right)};
  for (std::size_t k = 0; k + 1 < C.size(); ++k) v.emplace_back(C[k] * v.back());
  return v;
}

/// What agents differ by over a period: xi = (x, t) without the mean, h = t + w/v tracking it, w_k the
/// gradients of step k times alpha, all of a period one below the other.
///     xi at the next period = A xi + B w,   x = C xi + D w
struct Response {
  Matrix A, B, C, D;

  Response(const std::vector<Matrix>& links, const std::vector<Vector>& v, Tracking kind) {
    const Index n = links.front().rows(), p = std::ssize(links);
    const Matrix I = Matrix::Identity(n, n);
    A = Matrix::Identity(2 * n, 2 * n);
    B = Matrix::Zero(2 * n, n * p);
    C = Matrix::Zero(n * p, 2 * n);
    D = Matrix::Zero(n * p, n * p);
    for (Index k = 0; k < p; ++k) {
      const auto now = static_cast<std::size_t>(k), next = static_cast<std::size_t>((k + 1) % p);
      C.middleRows(k * n, n) = A.topRows(n);
      D.middleRows(k * n, n) = B.topRows(n);

      const Matrix R = v[next].cwiseInverse().asDiagonal() * links[now] * v[now].asDiagonal();
      const Matrix off = R - Matrix::Ones(n, 1) * v[now].transpose() / static_cast<double>(n);
      const Matrix shares = v[now].cwiseInverse().asDiagonal(), later = v[next].cwiseInverse().asDiagonal();
      const Matrix mean = Matrix::Constant(n, n, 1 / static_cast<double>(n));
      Matrix step = Matrix::Zero(2 * n, 2 * n), gradient(2 * n, n);
      step.topLeftCorner(n, n) = step.bottomRightCorner(n, n) = off;
      // Of what enters: v's orthogonal part of shares w is shares w less the mean of w.
      const Matrix entering = shares - mean;
      step.topRightCorner(n, n) =
          kind == Tracking::combined ? Matrix(mean * v[now].asDiagonal() - I) : Matrix(-off);
      gradient.topRows(n) = kind == Tracking::combined ? Matrix(-entering) : Matrix(-(R * entering));
      gradient.bottomRows(n) = R * entering - (later - mean);

      A = step * A;
      B = step * B;
      B.middleCols(k * n, n) += gradient;
    }
  }

  /// The Hermitian part of w -> x at frequency omega, with one half of the mean, which descends by itself.
  [[nodiscard]] Complex hermitian_part(double omega) const {
    const Index n = A.rows() / 2, p = D.rows() / n;
    const std::complex<double> z = std::polar(1.0, omega);
    Complex shifted = -A.cast<std::complex<double>>();
    shifted.diagonal().array() += z;
    const Complex H = D + C * shifted.partialPivLu().solve(B.cast<std::complex<double>>());
    Complex S = (H + H.adjoint()) / 2;
    for (Index k = 0; k < p; ++k) S.block(k * n, k * n, n, n).array() += 0.5 / static_cast<double>(n);
    return S;
  }
};

/// The smallest eigenvalue of a Hermitian matrix: that of the real one that does the same to real and
/// imaginary parts, for which there is a solver already.
double smallest_eigenvalue(const Complex& S) {
  Matrix parts(2 * S.rows(), 2 * S.rows());
  parts << S.real(), -S.imag(), S.imag(), S.real();
  return symmetric_eigenvalues(parts)[0];
}

/// The largest eigenvalue of a Hermitian matrix, or `known` if it is not larger.
double larger_of(double known, Complex S) {
  S = -S;
  S.diagonal().array() += known;
  if (known > 0 && S.llt().info() == Eigen::Success) return known;
  return known - smallest_eigenvalue(S);
}

/// One over the largest eigenvalue of the Hermitian part over all frequencies: a grid as fine as the gap asks
/// for, and a finer one around the worst of it.
double limit_of_turns(const LinkSequence& links, double s, double gap, Tracking kind) {
  const std::vector<Matrix> C = averaging_matrices(links, s);
  const Response response(C, periodic_weights(C), kind);
  double worst = 0, at = 0, apart = 0;
  const auto look = [&](double omega, double step) {
    const double larger = larger_of(worst, response.hermitian_part(omega));
    if (larger > worst) at = omega, apart = step;
    worst = std::max(worst, larger);
  };
  constexpr int points = 96;
  const double least = std::min(1.0, gap) / 100, ratio = std::pow(std::numbers::pi / least, 1.0 / points);
  look(0, least);
  double omega = least;
  for (int i = 0; i <= points; ++i, omega *= ratio)
    look(std::min(omega, std::numbers::pi), omega * (ratio - 1));
  for (int i = 1; i < 32; ++i) look(std::numbers::pi * i / 32, std::numbers::pi / 32);
  for (int round = 0; round < 3; ++round) {
    const double centre = at, width = apart;
    for (int i = -4; i <= 4; ++i) look(std::clamp(centre + width * i / 4, 0.0, std::numbers::pi), width / 4);
    apart = width / 4;
  }
  return 1 / worst;
}

// ---- edges that wake at random ---------------------------------------------------------------------------

/// What is left in mean square, after some steps, of what agents differ by: S_k = E[(P ... P_k)' (P ... P_k)]
/// less the mean, for a window that begins with step k of the period.
class Window {
 public:
  Window(const LinkSequence& links, double s) : links_(links), s_(s), a_(links.awake()) {
    const Index n = links.agents();
    S_.assign(links.in_turn().size(),
              Matrix::Identity(n, n) - Matrix::Constant(n, n, 1 / static_cast<double>(n)));
  }

  /// One step longer; returns the share that the worst window leaves.
  double longer() {
    std::vector<Matrix> after;
    after.reserve(S_.size());
    for (std::size_t k = 0; k < S_.size(); ++k)
      after.push_back(expected(links_.in_turn()[k].M, S_[(k + 1) % S_.size()]));
    S_ = std::move(after);
    double largest = 0;
    for (const Matrix& S : S_) largest = std::max(largest, symmetric_eigenvalues(S).maxCoeff());
    return std::sqrt(std::min(1.0, largest));
  }

 private:
  /// E[P S P] for P = I - s (the awake edges' share of M): the mean P around S, and the variance of each
  /// edge.
  [[nodiscard]] Matrix expected(const SparseRows& M, const Matrix& S) const {
    Matrix left = S - s_ * a_ * (M * S);
    Matrix both = left - s_ * a_ * (M * left.transpose()).transpose();
    if (a_ == 1) return both;
    for (Index i = 0; i < M.rows(); ++i) {
      for (SparseRows::InnerIterator entry(M, i); entry; ++entry) {
        const Index j = entry.col();
        if (j <= i) continue;
        const double weight = s_ * entry.value();
        const double varies = a_ * (1 - a_) * weight * weight * (S(i, i) + S(j, j) - S(i, j) - S(j, i));
        both(i, i) += varies;
        both(j, j) += varies;
        both(i, j) -= varies;
        both(j, i) -= varies;
      }
    }
    return both;
  }

  const LinkSequence& links_;
  double s_, a_;
  std::vector<Matrix> S_;
};

/// How much a window of B steps that leaves sigma makes of what comes in: at most B/(1 - sigma).
struct Gain {
  double sigma = 1, B = 1;
  [[nodiscard]] double total() const { return B / (1 - sigma); }
};

double longest_window(const LinkSequence& links) {
  return 24 + 8 * static_cast<double>(links.in_turn().size());
}

/// Small gain: what agents differ by is at most alpha Gamma(x) Gamma(s) times the gradients, with the window
/// that makes this least.
double limit_by_gain(const LinkSequence& links, const Spectrum& spectrum, Tracking kind) {
  const double s = spectrum.averaging_scale();
  const bool semidefinite = 1 - s * spectrum.lambda_max > -1e-12;
  Window window(links, s);
  double limit = 0;
  for (Gain gain; gain.B <= longest_window(links); ++gain.B) {
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
    const Vector lambda = symmetric_eigenvalues(Matrix(step.M));
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

// ---- as published ----------------------------------------------------------------------------------------

constexpr double least_power = -300;  // of ten: a shorter step is no number that a computer has

/// With a = alpha mu/1.5, Theorems 10 and 18 promise the rates (1 - a)^(1/2B) for short steps and
/// (sqrt(a J) + delta)^(1/B) for longer ones, which is 1 at the open end a = (1 - delta)^2/J. This is the a
/// where they are equal: the longest step with the first rate, and the best rate of this B.
double share_where_rates_meet(double J, double delta) {
  const double root = (std::sqrt(J + 1 - delta * delta) - delta * std::sqrt(J)) / (J + 1);
  return root * root;
}

/// Of all windows of B steps, which leave delta of what agents differ by, the one that allows the longest
/// step.
double theorem_10(const LinkSequence& links, double s, double mu, double kappa) {
  const auto n = static_cast<double>(links.agents());
  Window window(links, s);
  double longest = 0;
  for (double B = 1; B <= longest_window(links); ++B) {
    const double delta = window.longer(), J = 3 * kappa * B * B * (1 + 4 * std::sqrt(n * kappa));
    longest = std::max(longest, 1.5 / mu * share_where_rates_meet(J, delta));
  }
  return longest;
}

InputError no_theorem(std::string_view what, std::string_view rule) {
  return {"--set theory=published", std::string(what), std::string(rule), "Use theory=proven."};
}

/// log10 of the step of Theorem 18 for push-sum weights of at least 1; t = n^-((2 + n B0) n B0) makes no
/// number that a computer has. Where J is so large, the rates meet at (1 - delta)^2/J but for 1/J of it.
double log10_of_theorem_18(double n, double B0, double mu, double kappa) {
  const double steps = n * B0, log_t = -(2 + steps) * steps * std::log10(n), t = std::pow(10, log_t);
  const double log_Q1 = std::log10(2 * n * (1 + t) / (1 - t)) - log_t, ln_Q1 = log_Q1 * std::numbers::ln10;
  // Any B with delta = Q1 (1 - t)^((B - 1)/(n B0)) < 1 will do. B grows with ln(Q1/delta), J with its square:
  // (1 - delta)/ln(Q1/delta) is largest at this fixed point.
  double delta = 0.5;
  for (int k = 0; k < 20; ++k) delta = 1 / (1 + ln_Q1 - std::log(delta));
  const double decay = t > 0 ? -std::log1p(-t) / t : 1;
  const double log_less_one = std::log10(steps * (ln_Q1 - std::log(delta)) / decay) - log_t;
  const double log_B = log_less_one + std::log10(1 + 2 * std::pow(10, -log_less_one));  // rounded up
  // delta + Q1 (B - 1) is at most Q1 B.
  const double log_J =
      std::log10(3 * kappa * (1 + std::sqrt(n)) * (1 + 4 * std::sqrt(n * kappa))) + 2 * log_Q1 + 2 * log_B;
  return std::log10(1.5 / mu * (1 - delta) * (1 - delta)) - log_J;
}

/// The smallest push-sum weight of any agent at any step, or a little less. C v sums to what v does and has
/// no negative shares, so that the distance to the weights that repeat themselves, as sum of absolute values,
/// never grows: once it is small no later weight is smaller than these by more.
double least_weight_ever(const LinkSequence& links, double s) {
  const std::vector<Matrix> C = averaging_matrices(links, s);
  const std::vector<Vector> repeating = periodic_weights(C);
  double rest = 1;
  for (const Vector& v : repeating) rest = std::min(rest, v.minCoeff());

  Vector v = Vector::Ones(links.agents());
  double least = 1;
  for (std::size_t k = 0;; k = (k + 1) % C.size()) {
    const double apart = (v - repeating[k]).lpNorm<1>();
    least = std::min(least, v.minCoeff());
    if (apart < 1e-3 * rest) return std::min(least, rest - apart);
    v = C[k] * v;
  }
}

/// Every B~ graphs in turn are strongly connected together, and so are any B0 = 2 B~ - 1.
double log10_of_push_sum_step(const LinkSequence& links, double s, double mu, double kappa) {
  const auto n = static_cast<double>(links.agents());
  const double B0 = 2 * static_cast<double>(links.in_turn().size()) - 1;
  const double power = log10_of_theorem_18(n, B0, mu, kappa);
  // Only few agents have a step that is a number. For others the publication's bound on weights will do.
  return power + (power < least_power ? -n * B0 * std::log10(n) : std::log10(least_weight_ever(links, s)));
}

/// What keeps the published theorems from telling a step.
std::optional<InputError> why_unpublished(const Objective& F, const Mixing& W, Tracking kind) {
  const LinkSequence* links = W.links();
  if (!(F.mu() > 0)) return no_theorem("losses not known to be strongly convex", "its steps have mu in them");
  if (links && links->awake() < 1)
    return no_theorem("edges that wake at random",
                      "Theorems 10 and 18 have graphs that are connected every B steps");
  if (kind == Tracking::pushed && !(links && links->directed()))
    return no_theorem("the weights of an undirected network",
                      "in Theorem 18 an agent shares evenly among itself and its listeners");
  if (kind == Tracking::pushed && W.agents() == 1)
    return no_theorem("a single agent", "the constants of Theorem 18 are infinite there");
  return {};
}

/// Minus infinity where nothing is published, or takes long to evaluate.
double power_worth_telling(const Objective& F, const Mixing& W, Tracking kind) {
  constexpr Index most_agents = 64;
  const bool has_one = kind != Tracking::adapted && !why_unpublished(F, W, kind);
  if (!has_one || (W.links() && W.agents() > most_agents)) return -std::numeric_limits<double>::infinity();
  return log10_of_published_step(F, W, kind);
}

}  // namespace

std::optional<double> proven_limit(const Mixing& W, Tracking kind) {
  const LinkSequence* links = W.links();
  const Spectrum spectrum = W.spectrum();
  if (!links) return limit_of_eigenvalue(smallest_eigenvalue(spectrum), kind);

  constexpr Index largest_response = 120, largest_storage = 500, largest_window = 200;
  const Index n = links->agents(), period = std::ssize(links->in_turn());
  if (links->awake() == 1 && n * period <= largest_response)
    return limit_of_turns(*links, spectrum.averaging_scale(), 1 - W.averaging()->factor, kind);
  if (links->directed() || n > largest_storage) return {};
  if (const double limit = limit_by_storage(*links, spectrum.averaging_scale(), kind); limit > 0)
    return limit;
  if (n > largest_window || period > 16) return {};
  if (const double limit = limit_by_gain(*links, spectrum, kind); limit > 0) return limit;
  return {};
}

double log10_of_published_step(const Objective& F, const Mixing& W, Tracking kind) {
  const double L = F.L(), mu = F.mu();
  const Spectrum spectrum = W.spectrum();
  if (const LinkSequence* links = W.links()) {
    const double s = spectrum.averaging_scale();
    return kind == Tracking::pushed ? log10_of_push_sum_step(*links, s, mu, L / mu)
                                    : std::log10(theorem_10(*links, s, mu, L / mu));
  }
  const double gap = 1 - averaging_factor(spectrum);
  return std::log10(mu / (L * L) * gap * gap / 36);
}

void TrackingStep::parameters(Fields& fields, std::string_view formula) {
  fields.number("step", step, range::positive, formula);
  fields.number("step-scale", scale, range::positive, "multiplies the default step");
}

void TrackingStep::choose_theory(Fields& fields) {
  static const std::array<std::string, 3> theories{"proven", "published", "measured"};
  fields.choice("theory", theory, theories,
                "where the default step is from: proven, a theorem of docs/decisions/019; published, a far "
                "smaller one; measured, what diverged nowhere tried: 0.4 (1 + min(0, lambda_min(W_DS)))^2/L, "
                "0.4 (1 - sigma)/L on a network that changes, min(0.4, 2 (1 - sigma)^2, min v/2)/L on one "
                "that is directed");
}

double TrackingStep::operator()(const Objective& F, const Mixing& W, Run& run, Tracking kind) const {
  if (step) return run.uses("step", *step);
  if (theory == Theory::published) return run.uses("step", scale * published(F, W, kind));

  if (const double power = power_worth_telling(F, W, kind); power >= least_power)
    run.uses("published-step", std::pow(10, power));

  const std::optional<Averaging> averaging = W.averaging();
  const double gap = 1 - (averaging ? averaging->factor : averaging_factor(W.spectrum()));
  const double slows = gap * std::sqrt(F.kappa());
  const std::optional<double> limit = proven_limit(W, kind);
  if (limit) run.uses("proven-below", *limit / F.L());
  if (limit && theory == Theory::proven)
    return run.uses("step", scale * std::min(0.8 * *limit, slows) / F.L());
  if (theory == Theory::proven)
    run.note(
        "No theorem tells how long a step may be here (docs/decisions/019); it is one that was stable in "
        "measurements.");
  const double share = averaging ? measured_tracking_share(*averaging) : tracking_share(W.spectrum());
  return run.uses("step", scale * 0.4 * share / F.L());
}

double TrackingStep::published(const Objective& F, const Mixing& W, Tracking kind) {
  if (const std::optional<InputError> why = why_unpublished(F, W, kind)) throw *why;
  const double power = log10_of_published_step(F, W, kind);
  if (power < least_power)
    throw no_theorem(fmt::format("a step of 10^{:.0f}", power),
                     "no computer has such a number; Theorem 18 has more than n^(n^2) in it");
  return std::pow(10, power);
}

}  // namespace ideal
