// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/ideal.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace bench {

/// A problem on a network.
struct Case {
  std::string data;  ///< mnist, fashion-mnist or synthetic
  ideal::LossKind loss;
  double kappa;
  std::string graph, partition;

  [[nodiscard]] std::string name() const;
};

enum class Extent { whole, small };

/// Every combination of losses, data, graphs and partitions, or a few of them.
std::vector<Case> cases(Extent extent);

/// Empty where its data set has not been fetched.
std::optional<ideal::Problem> problem_of(const Case& c, ideal::Index agents,
                                         const std::filesystem::path& cache);

}  // namespace bench
