// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/ideal.hpp>

#include <memory>
#include <span>

namespace bench {

using ideal::Index;

/// What the values of a data set are: any doubles, or doubles that are floats, which a library may store as
/// such without changing a result.
enum class Values { doubles, floats };

/// Dense rows, uniform in [-1, 1), with labels -1/+1 or 0 ... classes-1.
std::shared_ptr<const ideal::Dataset> random_rows(Index rows, Index columns, Values values = Values::doubles,
                                                  int classes = 2);

std::span<const double> values_of(const ideal::Dataset& dense);

/// Equal shares of a data set and bounds of their curvature that cost no time to find; l2 = 1e-3.
ideal::Problem shared_by(Index agents, const std::shared_ptr<const ideal::Dataset>& data,
                         ideal::LossKind kind = ideal::LossKind::logistic, int classes = 2);

/// The computation oracle over all agents of a problem, with its own threads.
class Gradients {
 public:
  Gradients(const ideal::Problem& problem, int threads);
  void operator()() { F_.gradient(X_); }
  ideal::Threads& team() { return team_; }

 private:
  ideal::Meter meter_;
  ideal::Threads team_;
  ideal::Objective F_;
  ideal::Block X_;
};

}  // namespace bench
