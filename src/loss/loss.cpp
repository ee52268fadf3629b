// SPDX-License-Identifier: Apache-2.0
#include "loss/proximal_newton.hpp"
#include "loss/tilted.hpp"

#include <ideal/error.hpp>
#include <ideal/loss.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ideal {

Vector Loss::values(const Block& X) const {
  Vector out(X.cols());
  for (Index j = 0; j < X.cols(); ++j) out[j] = value(X.col(j));
  return out;
}

double Loss::value_and_gradient(VectorRef x, VectorOut g) const {
  gradient(x, g);
  return value(x);
}

void Loss::piece_gradient(Index, VectorRef x, VectorOut g) const { gradient(x, g); }

void Loss::batch_gradient(VectorRef x, std::span<const Index>, VectorOut g) const { gradient(x, g); }

void Loss::hessian_vector(VectorRef x, VectorRef v, VectorOut Hv) const {
  const double length = v.norm();
  if (length == 0) {
    Hv.setZero();
    return;
  }
  const double h = 1e-5 * (1 + x.norm()) / length;  // balances truncation h^2 against rounding eps/h
  Vector ahead(x.size()), behind(x.size());
  gradient(x + h * v, ahead);
  gradient(x - h * v, behind);
  Hv = (ahead - behind) / (2 * h);
}

void Loss::add_hessian(VectorRef x, Block& H) const {
  Vector column(dimension());
  for (Index j = 0; j < dimension(); ++j) {
    hessian_vector(x, Vector::Unit(dimension(), j), column);
    H.col(j).tail(dimension() - j) += column.tail(dimension() - j);
  }
}

void Loss::tilted_minimiser(VectorRef a, double c, VectorOut x) const {
  Vector point = x;
  if (smooth()) {
    newton(Tilted(*this, a, c), point);
  } else {
    // Rounded off ever less: each is nearly solved by the one before.
    for (double width = 1e-2; width > least_rounding_width; width /= 100) {
      const auto near = smoothed(width);
      if (!near)
        throw RunError("a loss that is neither smooth nor knows a smooth one near it has no dual oracle");
      rounded_newton(Tilted(*near, a, c), point);
    }
  }
  x = point;
}

namespace {

const std::array<std::string, 6> loss_names{"logistic", "ridge", "softmax", "hinge", "huber", "quantile"};

std::string first_few(const std::set<double>& labels) {
  std::vector<double> shown(labels.begin(),
                            std::next(labels.begin(), std::min<std::ptrdiff_t>(5, std::ssize(labels))));
  return fmt::format("{}{}", fmt::join(shown, ", "), labels.size() > shown.size() ? ", ..." : "");
}

}  // namespace

LossKind parse_loss(std::string_view name) {
  const auto found = std::ranges::find(loss_names, name);
  if (found == loss_names.end())
    throw InputError("--loss", fmt::format("'{}'", name), "a known loss", did_you_mean(name, loss_names));
  return static_cast<LossKind>(found - loss_names.begin());
}

std::string_view to_string(LossKind kind) { return loss_names[static_cast<std::size_t>(kind)]; }

bool is_regression(LossKind kind) {
  return kind == LossKind::ridge || kind == LossKind::huber || kind == LossKind::quantile;
}

bool is_binary(LossKind kind) { return kind == LossKind::logistic || kind == LossKind::hinge; }

int prepare_labels(Vector& labels, std::string_view name, LossKind kind, Dataset* held_out) {
  if (is_regression(kind)) return 1;
  const std::set<double> classes(labels.begin(), labels.end());
  if (is_binary(kind) && classes.size() != 2)
    throw InputError(name, fmt::format("{} distinct labels ({})", classes.size(), first_few(classes)),
                     fmt::format("{} loss needs exactly two classes", to_string(kind)),
                     classes.size() > 2 ? "Pick two with --classes A,B, or use --loss softmax or ridge."
                                        : "Check the label column.");
  if (classes.size() < 2 || classes.size() > 1000)
    throw InputError(name, fmt::format("{} distinct labels ({})", classes.size(), first_few(classes)),
                     "softmax needs 2 to 1000 classes",
                     "Check the label column, or use --loss ridge for real-valued targets.");
  const auto code = [&](double label) {
    const auto position = static_cast<double>(std::distance(classes.begin(), classes.find(label)));
    return is_binary(kind) ? 2 * position - 1 : position;
  };
  if (held_out) {
    for (const double label : held_out->labels)
      if (!classes.contains(label))
        throw InputError(held_out->name, fmt::format("label {}", label),
                         fmt::format("the training data have the labels {}", first_few(classes)),
                         "Test on data of the same classes.");
    std::ranges::transform(held_out->labels, held_out->labels.begin(), code);
  }
  std::ranges::transform(labels, labels.begin(), code);
  return static_cast<int>(classes.size());
}

int prepare_labels(Dataset& data, LossKind kind, Dataset* held_out) {
  return prepare_labels(data.labels, data.name, kind, held_out);
}

}  // namespace ideal
