// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/ideal.hpp>

#include <cstdint>
#include <deque>
#include <memory>
#include <span>

namespace bench {

using ideal::Index;

/// What the values of a data set are: any doubles, or doubles that are floats, which a library may store as
/// such without changing a result.
enum class Values { doubles, floats };

/// Dense rows, uniform in [-1, 1), with labels -1/+1 or 0 ... classes-1.
std::shared_ptr<const ideal::Dataset> random_rows(Index rows, Index columns, Values values = Values::doubles,
                                                  int classes = 2, std::uint64_t seed = 1);

std::span<const double> values_of(const ideal::Dataset& dense);

constexpr double l2 = 1e-3;

/// Equal shares of a data set and bounds of their curvature that cost no time to find.
ideal::Problem shared_by(Index agents, const std::shared_ptr<const ideal::Dataset>& data,
                         ideal::LossKind kind = ideal::LossKind::logistic, int classes = 2);

/// Peers must do the same: throws unless their result is ours up to rounding.
void require_same(const ideal::Block& ours, const ideal::Block& theirs);

/// The computation oracle over all agents of a problem, at `start` for each number, with its own threads.
/// Of several problems of one shape: the one asked for.
class Gradients {
 public:
  static constexpr double start = 1e-3;

  Gradients(std::span<const ideal::Problem> problems, int threads);
  Gradients(const ideal::Problem& problem, int threads) : Gradients(std::span(&problem, 1), threads) {}
  const ideal::Block& operator()(std::size_t which = 0) { return F_[which].gradient(X_); }
  ideal::Threads& team() { return team_; }

 private:
  ideal::Meter meter_;
  ideal::Threads team_;
  std::deque<ideal::Objective> F_;
  ideal::Block X_;
};

}  // namespace bench
