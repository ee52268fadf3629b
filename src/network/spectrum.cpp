// SPDX-License-Identifier: Apache-2.0
#include "network/spectrum.hpp"

#include "core/symmetric.hpp"
#include "network/sparse_factor.hpp"

#include <ideal/error.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include <Spectra/SymEigsSolver.h>
#include <fmt/format.h>

namespace ideal {
namespace {

using Spectra::SortRule;

constexpr Index dense_limit = 500;
constexpr double accuracy = 1e-9;  // relative, of an eigenvalue: the residual of a Ritz pair bounds its error
constexpr double zero = 1e-12;     // times λmax: an eigenvalue that may be rounding

// W + (c/n) 11^T with c the mean of the n - 1 other eigenvalues: the same eigenvalues, but the 0 of the ones
// vector moved in between the others, so that the two ends of the spectrum are those we want.
double lifted_kernel(const SparseRows& W) { return W.diagonal().sum() / static_cast<double>(W.rows() - 1); }

/// v'Wv / v'v as a sum over edges of -W_ij (v_i - v_j)^2, which loses no digits when v is smooth. W has zero
/// row sums.
double rayleigh_quotient(const SparseFactor::Upper& W, const Vector& v) {
  double sum = 0;
  for (Index j = 0; j < W.cols(); ++j)
    for (SparseFactor::Upper::InnerIterator entry(W, j); entry; ++entry) {
      const double difference = v[entry.row()] - v[j];
      sum -= entry.value() * difference * difference;
    }
  return sum / v.squaredNorm();
}

// ---- operators, in the form Spectra wants -----------------------------------------------------------------

class Operator {
 public:
  using Scalar = double;
  using Map = Eigen::Map<Vector>;
  using ConstMap = Eigen::Map<const Vector>;
  explicit Operator(Index n) : n_(n) {}
  [[nodiscard]] Index rows() const { return n_; }
  [[nodiscard]] Index cols() const { return n_; }

 private:
  Index n_;
};

class Lifted : public Operator {
 public:
  explicit Lifted(const SparseRows& W) : Operator(W.rows()), W_(W), kernel_(lifted_kernel(W)) {}

  void perform_op(const double* in, double* out) const {
    const ConstMap x(in, rows());
    Map y(out, rows());
    y.noalias() = W_ * x;
    y.array() += kernel_ * x.mean();
  }

 private:
  const SparseRows& W_;
  double kernel_;
};

/// W^+ from the factor of W + g e e^T, e the first unit vector: for b orthogonal to 1 the solution x of (W +
/// g e e^T) x = b has g x_1 = 1^T b = 0, so that W x = b; the mean is all that is left to remove.
class PseudoInverse : public Operator {
 public:
  explicit PseudoInverse(const SparseFactor& factor) : Operator(factor.size()), factor_(factor) {}

  void perform_op(const double* in, double* out) const {
    Vector x = ConstMap(in, rows());
    x.array() -= x.mean();
    factor_.solve_in_place(x);
    Map(out, rows()) = x.array() - x.mean();
  }

 private:
  const SparseFactor& factor_;
};

class Inverse : public Operator {
 public:
  explicit Inverse(const SparseFactor& factor) : Operator(factor.size()), factor_(factor) {}

  void perform_op(const double* in, double* out) const {
    Vector x = ConstMap(in, rows());
    factor_.solve_in_place(x);
    Map(out, rows()) = x;
  }

 private:
  const SparseFactor& factor_;
};

// ---- Lanczos ----------------------------------------------------------------------------------------------

struct Effort {
  Index basis;      // vectors kept
  Index restarts;   // each costs half a basis of products
  double residual;  // relative
};

struct End {
  double value = 0;  // a bound from inside while it has not converged
  bool converged = false;
  Vector vector;  // empty while it has not converged
};

template <class Op>
class Lanczos : public Spectra::SymEigsSolver<Op> {
 public:
  Lanczos(Op& op, Index basis) : Spectra::SymEigsSolver<Op>(op, 1, std::min(basis, op.rows())) {}
  [[nodiscard]] double ritz_value() const { return this->m_ritz_val[0]; }
};

template <class Op>
End extreme(Op op, SortRule which, const Effort& effort) {
  Lanczos<Op> solver(op, effort.basis);
  solver.init();
  const bool converged = solver.compute(which, effort.restarts, effort.residual) == 1;
  return {solver.ritz_value(), converged, converged ? Vector(solver.eigenvectors(1).col(0)) : Vector()};
}

// v'Wv / v'v for v = +1, -1 by the parity of the hops from agent 0.
double colouring_quotient(const SparseRows& W) {
  std::vector<int> colour(W.rows(), 0);
  std::vector<Index> queue{0};
  colour[0] = 1;
  double across = 0;
  for (std::size_t head = 0; head < queue.size(); ++head)
    for (SparseRows::InnerIterator entry(W, queue[head]); entry; ++entry) {
      if (colour[entry.col()] == 0) {
        colour[entry.col()] = -colour[queue[head]];
        queue.push_back(entry.col());
      }
      if (colour[entry.col()] != colour[queue[head]]) across -= entry.value();
    }
  return 2 * across / static_cast<double>(W.rows());
}

// ---- the two ends of the spectrum
// --------------------------------------------------------------------------

class LargeSpectrum {
 public:
  LargeSpectrum(const SparseRows& W, const Progress& progress) : W_(W), progress_(progress) {}

  Spectrum compute() {
    End top = two_coloured();
    if (!top.converged) top = lanczos("λmax", SortRule::LargestAlge, quick);
    End bottom = lanczos("λmin⁺", SortRule::SmallestAlge, quick);
    // A Ritz value below zero by more than rounding is a proof: an eigenvalue lies lower still.
    const bool may_be_positive = bottom.value >= -zero * top.value;
    if (may_be_positive && !(top.converged && bottom.converged)) finish(top, bottom);
    return {top.value, bottom.value};
  }

  /// λmin⁺ to full relative accuracy; empty if W is not positive semi-definite with kernel span(1).
  std::optional<double> smallest_by_factor() {
    SparseFactor factor(W_);
    return smallest(factor);
  }

 private:
  static constexpr Effort quick{40, 2, accuracy};
  static constexpr Effort inverse{20, 100, 1e-8};
  static constexpr Index most_basis_entries = 125'000'000;  // 1 GB

  void finish(End& top, End& bottom) {
    say("ordering {} agents for a factorisation", W_.rows());
    SparseFactor factor(W_);
    const Effort effort = worth_before(factor);
    if (!bottom.converged && effort.restarts > quick.restarts)
      bottom = lanczos("λmin⁺", SortRule::SmallestAlge, effort);
    if (!top.converged && effort.restarts > quick.restarts)
      top = lanczos("λmax", SortRule::LargestAlge, effort);
    if (!factor.fits()) {
      require(top, "λmax");
      require(bottom, "λmin⁺");
      return;
    }
    if (!bottom.converged) bottom.value = smallest(factor).value_or(std::min(bottom.value, 0.0));
    if (!top.converged) top.value = largest(factor, top.value);
  }

  // Lanczos for about a tenth of what the factorisation would take (its scattered products run ten times
  // slower); for as long as it needs where the factor does not fit. Expanders have the largest factors, and
  // on them Lanczos converges well.
  [[nodiscard]] Effort worth_before(const SparseFactor& factor) const {
    const auto n = static_cast<double>(W_.rows());
    const Index basis = std::clamp<Index>(most_basis_entries / W_.rows(), quick.basis, 100);
    const double restart = 3 * n * static_cast<double>(basis * basis);
    const Index restarts = factor.fits() ? static_cast<Index>(factor.work() / restart) : 1000;
    return {basis, restarts, accuracy};
  }

  End lanczos(std::string_view name, SortRule which, const Effort& effort) const {
    say("{}: Lanczos on {} agents, {} vectors", name, W_.rows(), effort.basis);
    return extreme(Lifted(W_), which, effort);
  }

  // The vector of ones and minus ones that a breadth-first colouring gives is the answer on regular bipartite
  // graphs, which is proven when its Rayleigh quotient reaches the upper bound.
  [[nodiscard]] End two_coloured() const {
    const double bound = upper_bound();
    const double quotient = colouring_quotient(W_);
    return {quotient, quotient >= bound * (1 - 1e-13), {}};
  }

  std::optional<double> smallest(SparseFactor& factor) {
    say("λmin⁺: factorising {} agents, {:.1f} M non-zeros", W_.rows(), millions(factor.nonzeros()));
    if (!factor.factorize_grounded()) return std::nullopt;
    const PseudoInverse pseudo_inverse(factor);
    const End end = require(extreme(pseudo_inverse, SortRule::LargestAlge, inverse), "λmin⁺");
    // What the residual tolerance left of the other eigenvectors weighs λ / λmin⁺ in the quotient, and one
    // more product takes it down by as much.
    Vector v(W_.rows());
    pseudo_inverse.perform_op(end.vector.data(), v.data());
    return rayleigh_quotient(factor.matrix(), v);
  }

  // Shift and invert just above λmax: the factor of sigma I - W exists only if sigma > λmax. An error of r in
  // 1 / (sigma - λmax) is one of r (sigma - λmax) in λmax, so that the nearer the shift, the rougher the
  // eigenvector may be. The first shift beyond the upper bound leaves a diagonally dominant matrix.
  double largest(SparseFactor& factor, double estimate) {
    const double bound = upper_bound();
    for (double margin = 0.01; margin < 1e9; margin *= 2) {
      const double shift = std::min(estimate * (1 + margin), bound + 1e-6 * estimate);
      say("λmax: factorising {} agents, {:.1f} M non-zeros", W_.rows(), millions(factor.nonzeros()));
      if (!factor.factorize_below(shift)) continue;
      Effort effort = inverse;
      effort.residual = std::clamp(accuracy * estimate / (shift - estimate), inverse.residual, 1e-3);
      const End end = extreme(Inverse(factor), SortRule::LargestAlge, effort);
      return rayleigh_quotient(factor.matrix(), require(end, "λmax").vector);
    }
    throw RunError(fmt::format("λmax of {} agents: no factorisation above {:.6g}", W_.rows(), estimate));
  }

  const End& require(const End& end, std::string_view name) const {
    if (!end.converged)
      throw RunError(
          fmt::format("{} of {} agents did not converge (last estimate {:.6g})", name, W_.rows(), end.value));
    return end;
  }

  // Anderson & Morley (1985), weighted: W_ii + W_jj over the edges; where W has positive entries off the
  // diagonal, Gershgorin.
  [[nodiscard]] double upper_bound() const {
    const Vector diagonal = W_.diagonal();
    double edges = 0, rows = 0;
    bool laplacian = true;
    for (Index i = 0; i < W_.rows(); ++i) {
      double row = 0;
      for (SparseRows::InnerIterator entry(W_, i); entry; ++entry) {
        row += std::abs(entry.value());
        if (entry.col() == i) continue;
        laplacian = laplacian && entry.value() <= 0;
        edges = std::max(edges, diagonal[i] + diagonal[entry.col()]);
      }
      rows = std::max(rows, row);
    }
    return laplacian ? edges : rows;
  }

  static double millions(Index count) { return static_cast<double>(count) / 1e6; }

  template <class... Args>
  void say(fmt::format_string<Args...> line, Args&&... args) const {
    if (progress_) progress_(fmt::format(line, std::forward<Args>(args)...));
  }

  const SparseRows& W_;
  const Progress& progress_;
};

Spectrum dense_spectrum(const SparseRows& W) {
  Eigen::MatrixXd lifted = W.toDense();
  lifted.array() += lifted_kernel(W) / static_cast<double>(W.rows());
  const Vector values = symmetric_eigenvalues(lifted);
  return {values.maxCoeff(), values.minCoeff()};
}

// ---- checks -----------------------------------------------------------------------------------------------

struct Weights {
  double smallest = std::numeric_limits<double>::infinity();
  double largest = -std::numeric_limits<double>::infinity();
  bool finite = true;
};

// Of the edges: -W_ij.
Weights edge_weights(const SparseRows& W) {
  Weights weights;
  for (Index i = 0; i < W.rows(); ++i)
    for (SparseRows::InnerIterator entry(W, i); entry; ++entry) {
      weights.finite = weights.finite && std::isfinite(entry.value());
      if (entry.col() == i) continue;
      weights.smallest = std::min(weights.smallest, -entry.value());
      weights.largest = std::max(weights.largest, -entry.value());
    }
  return weights;
}

std::string shown(const Weights& weights) {
  return fmt::format("edge weights {:.6g} ... {:.6g}", weights.smallest, weights.largest);
}

double largest_degree(const SparseRows& W) { return W.diagonal().cwiseAbs().maxCoeff(); }

// Within these bounds neither a product of two eigenvalues nor a division by one overflows or vanishes.
void require_moderate(const SparseRows& W, const Weights& weights, std::string_view place) {
  const double degree = largest_degree(W);
  if (weights.finite && degree >= 1e-100 && degree <= 1e100) return;
  throw InputError(place, shown(weights), "the largest weighted degree must lie in 1e-100 ... 1e100",
                   "Scale all weights by one factor.");
}

// What positive entries off the diagonal can do to W. Without them it is the Laplacian of a graph, which is
// connected: below zero there is only rounding.
void require_signs(const Spectrum& spectrum, const Weights& weights, std::string_view place) {
  if (weights.smallest >= 0) return;
  const double rounding = zero * spectrum.lambda_max;
  if (spectrum.lambda_min < -rounding || spectrum.lambda_max <= 0)
    throw InputError(place, fmt::format("eigenvalue {:.6g}", spectrum.lambda_min),
                     "W must be positive semi-definite",
                     "Check the signs: W_ij < 0 on edges, as in a Laplacian.");
  if (spectrum.lambda_min <= rounding)
    throw InputError(place, "a second eigenvalue 0",
                     "ker W must be span(1), all agents equal and nothing else",
                     "Check the entries: positive W_ij off the diagonal cancel others.");
}

void require_positive(const Spectrum& spectrum, const Weights& weights, std::string_view place) {
  constexpr double worst_kappa = 1e15;  // beyond, W X itself is rounding
  if (std::isfinite(spectrum.lambda_max) && spectrum.lambda_min * worst_kappa > spectrum.lambda_max) return;
  throw InputError(place, shown(weights),
                   fmt::format("λmin⁺ = {:.3g} is lost in rounding", spectrum.lambda_min),
                   "Bring the weights within a factor of 1e12 of each other.");
}

// The dense solver knows λmin⁺ to rounding of λmax; the factor knows it to its own digits, or that it is
// lost.
double with_more_digits(double lambda_min, double lambda_max, const SparseRows& W, const Progress& progress) {
  const auto refined = LargeSpectrum(W, progress).smallest_by_factor();
  if (refined) return *refined;
  return lambda_min > zero * lambda_max ? lambda_min : std::min(lambda_min, 0.0);
}

}  // namespace

Spectrum checked_spectrum(const SparseRows& W, std::string_view place, const Progress& progress) {
  if (W.rows() < 2) throw InputError(place, "1 agent", "a network has at least 2", "Add agents.");
  const Weights weights = edge_weights(W);
  require_moderate(W, weights, place);
  // The tolerances of the eigenvalue solvers are absolute where values are small: give them a matrix of size
  // one. A power of two changes no digit of it.
  const double size = std::exp2(std::round(std::log2(largest_degree(W))));
  const SparseRows unit = W / size;
  const bool dense = W.rows() <= dense_limit;
  Spectrum spectrum = dense ? dense_spectrum(unit) : LargeSpectrum(unit, progress).compute();
  require_signs({spectrum.lambda_max * size, spectrum.lambda_min * size}, weights, place);
  auto& [lambda_max, lambda_min] = spectrum;
  const bool few_digits_left = dense && lambda_min < 1e-6 * lambda_max;
  if (few_digits_left) lambda_min = with_more_digits(lambda_min, lambda_max, unit, progress);
  lambda_max *= size;
  lambda_min *= size;
  require_positive(spectrum, weights, place);
  return spectrum;
}

Spectrum spectrum_of(const SparseRows& W, const Progress& progress) {
  return checked_spectrum(W, "W", progress);
}

}  // namespace ideal
