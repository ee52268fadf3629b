// SPDX-License-Identifier: Apache-2.0
#include "support/losses.hpp"

#include <ideal/random.hpp>

namespace ideal::test {

std::vector<std::shared_ptr<const Loss>> losses_of(const LossOptions& options, Index agents, Index rows,
                                                   double density) {
  std::vector<Index> offsets;
  const auto data = make_data({.loss = options.kind, .rows = rows, .density = density}, agents, offsets);
  std::vector<std::shared_ptr<const Loss>> losses;
  for (const auto& own : store_rows(data, offsets)) losses.push_back(make_loss(own, options));
  return losses;
}

Problem problem_of(const LossOptions& options, Index agents, const Regulariser& r) {
  Problem problem{.losses = losses_of(options, agents), .constants = {}, .regulariser = r};
  Threads threads;
  problem.constants = constants_of(problem.losses, {}, {}, threads);
  problem.reference = solve_reference(problem.losses, threads, {}, r);
  return problem;
}

Vector some_point(std::uint64_t stream) {
  Random random(3, stream);
  return Vector::NullaryExpr(Shape{}.columns, [&] { return random.normal(); });
}

}  // namespace ideal::test
