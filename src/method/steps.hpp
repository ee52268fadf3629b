// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/block.hpp>
#include <ideal/error.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include <fmt/format.h>

namespace ideal {

/// A formula's number of steps or rounds as a whole number, at least one; more than a billion means that a
/// constant is absurd.
inline Index whole_steps(double count, std::string_view name) {
  if (!(count <= 1e9))
    throw InputError(fmt::format("--set {}", name), fmt::format("its formula gives {:.3g}", count),
                     "at most 1e9", fmt::format("Check L, mu, rho and step, or set {}.", name));
  return static_cast<Index>(std::ceil(std::max(1.0, count)));
}

/// For methods that go astray with too large a step; says what it has done.
inline std::string half_the_step(std::optional<double>& step, double& step_scale) {
  if (step) return fmt::format("step = {:.4g}", *step /= 2);
  return fmt::format("step-scale = {:.4g}", step_scale /= 2);
}

}  // namespace ideal
