// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/problems.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

/// Problems of which the loss is told in full: kinks, how far they are rounded off, a regulariser.
namespace ideal::test {

inline constexpr std::array kinds_with_kinks{LossKind::hinge, LossKind::quantile};

std::vector<std::shared_ptr<const Loss>> losses_of(const LossOptions& options, Index agents, Index rows = 240,
                                                   double density = 1);

Problem problem_of(const LossOptions& options, Index agents, const Regulariser& r = {});

/// Normal numbers in the dimension of these problems.
Vector some_point(std::uint64_t stream);

}  // namespace ideal::test
