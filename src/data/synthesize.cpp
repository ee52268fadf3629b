// SPDX-License-Identifier: Apache-2.0
// Gaussian rows with a geometric spectrum and labels of a planted model. Only operations that IEEE 754 fixes
// to the bit are used (no pow, no exp, sums in a fixed order), so a seed names the same data on every
// machine.
#include <ideal/data.hpp>
#include <ideal/error.hpp>
#include <ideal/random.hpp>

#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace ideal {
namespace {

constexpr std::uint64_t planted_stream = 0, first_row_stream = 1;

void check(bool holds, std::string_view field, std::string_view found, std::string_view rule) {
  if (!holds) throw InputError(fmt::format("synthetic {}", field), found, rule, "Change the field.");
}

void check(const Synthetic& o) {
  const double most_noise = o.classes == 0 ? std::numeric_limits<double>::max() : 1;
  check(o.rows >= 1, "rows", fmt::to_string(o.rows), "at least 1");
  check(o.columns >= 1 && o.columns < std::numeric_limits<int>::max(), "columns", fmt::to_string(o.columns),
        "1 to 2147483646");
  check(o.classes == 0 || o.classes >= 2, "classes", fmt::to_string(o.classes),
        "0 for regression, or at least 2");
  check(std::isfinite(o.decay) && o.decay >= 1, "decay", fmt::to_string(o.decay), "finite and at least 1");
  check(o.noise >= 0 && o.noise <= most_noise, "noise", fmt::to_string(o.noise),
        o.classes == 0 ? "a standard deviation, at least 0" : "a probability, 0 to 1");
  check(o.density > 0 && o.density <= 1, "density", fmt::to_string(o.density), "above 0 and at most 1");
}

double power(double base, Index exponent) {
  double result = 1;
  for (; exponent > 0; exponent /= 2, base *= base)
    if (exponent % 2 == 1) result *= base;
  return result;
}

/// The r in (0, 1] with r^n = x in (0, 1], by bisection.
double root(double x, Index n) {
  double low = 0, high = 1;
  for (int step = 0; step < 64; ++step) {
    const double middle = (low + high) / 2;
    (power(middle, n) < x ? low : high) = middle;
  }
  return high;
}

/// Falls geometrically from 1 to 1/decay, then scaled so that a row has an expected squared norm of 1.
Vector column_scales(const Synthetic& o) {
  Vector scales(o.columns);
  const double ratio = o.columns == 1 ? 1 : root(1 / o.decay, o.columns - 1);
  double scale = 1, squares = 0;
  for (Index column = 0; column < o.columns; ++column, scale *= ratio) {
    scales[column] = scale;
    squares += scale * scale;
  }
  return scales / std::sqrt(squares * o.density);
}

/// One planted direction a class; two classes and regression need one only.
std::vector<Vector> planted_model(const Synthetic& o) {
  Random random(o.seed, planted_stream);
  std::vector<Vector> directions(o.classes > 2 ? static_cast<std::size_t>(o.classes) : 1, Vector(o.columns));
  for (Vector& direction : directions)
    for (double& entry : direction) entry = random.normal();
  return directions;
}

double label_of(const std::vector<double>& scores, const Synthetic& o, Random& random) {
  if (o.classes == 0) return scores[0] + o.noise * random.normal();
  const bool wrong = random.uniform() < o.noise;
  if (o.classes == 2) return (scores[0] < 0) != wrong ? -1 : 1;
  const auto best = static_cast<std::uint64_t>(std::ranges::max_element(scores) - scores.begin());
  const auto classes = static_cast<std::uint64_t>(o.classes);
  return static_cast<double>(wrong ? (best + 1 + random.below(classes - 1)) % classes : best);
}

/// Draws row by row; each has its own stream, so a larger data set starts with the rows of a smaller one.
class RowSource {
 public:
  explicit RowSource(const Synthetic& options)
      : options_(options),
        scales_(column_scales(options)),
        model_(planted_model(options)),
        scores_(model_.size()) {}

  /// Calls put(column, value) for each non-zero of the row and returns the label.
  template <class Put>
  double draw(Index row, Put&& put) {
    Random random(options_.seed, first_row_stream + static_cast<std::uint64_t>(row));
    std::ranges::fill(scores_, 0);
    for (Index column = 0; column < options_.columns; ++column) {
      if (options_.density < 1 && random.uniform() >= options_.density) continue;
      const double value = scales_[column] * random.normal();
      put(column, value);
      for (std::size_t k = 0; k < model_.size(); ++k) scores_[k] += model_[k][column] * value;
    }
    return label_of(scores_, options_, random);
  }

 private:
  Synthetic options_;
  Vector scales_;
  std::vector<Vector> model_;
  std::vector<double> scores_;
};

void draw_features(DenseRows& matrix, Vector& labels, RowSource& source, std::span<const Index> rows) {
  for (Index k = 0; k < matrix.rows(); ++k)
    labels[k] = source.draw(rows[k], [&](Index column, double value) { matrix(k, column) = value; });
}

void draw_features(SparseRows& matrix, Vector& labels, RowSource& source, std::span<const Index> rows) {
  for (Index k = 0; k < matrix.rows(); ++k) {
    matrix.startVec(k);
    labels[k] =
        source.draw(rows[k], [&](Index column, double value) { matrix.insertBack(k, column) = value; });
  }
  matrix.finalize();
}

template <class Rows>
Dataset draw(const Synthetic& options, std::span<const Index> rows) {
  RowSource source(options);
  Rows features(std::ssize(rows), options.columns);
  Vector labels(std::ssize(rows));
  draw_features(features, labels, source, rows);
  return {"synthetic", std::move(features), std::move(labels)};
}

}  // namespace

Dataset synthesize(const Synthetic& options) {
  check(options);
  std::vector<Index> all(static_cast<std::size_t>(options.rows));
  std::iota(all.begin(), all.end(), Index{0});
  return synthesize(options, all);
}

Dataset synthesize(const Synthetic& options, std::span<const Index> rows) {
  check(options);
  return options.density < 1 ? draw<SparseRows>(options, rows) : draw<DenseRows>(options, rows);
}

Vector synthetic_labels(const Synthetic& options, Index first, Index end) {
  check(options);
  RowSource source(options);
  Vector labels(end - first);
  for (Index row = first; row < end; ++row) labels[row - first] = source.draw(row, [](Index, double) {});
  return labels;
}

}  // namespace ideal
