// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/loss.hpp>
#include <ideal/parallel.hpp>

#include <filesystem>
#include <memory>
#include <span>

namespace ideal {

/// The minimiser of f = sum_i f_i, found centrally, against which runs are measured.
struct Reference {
  Vector x;
  double value = 0;          ///< f* = f(x)
  double gradient_norm = 0;  ///< |grad f(x)|, which certifies f(x) - min f <= gradient_norm^2 / (2 n mu)
};

/// Newton's method to rounding, from `start` (zero if empty).
Reference solve_reference(std::span<const std::shared_ptr<const Loss>> losses, Threads& threads,
                          Vector start = {});

/// The same through a cache: x* is kept in `folder` under a key of the problem's content. The certificate is
/// always computed anew, so a damaged or foreign entry can cost time but never a wrong number.
Reference cached_reference(std::span<const std::shared_ptr<const Loss>> losses, Threads& threads,
                           const std::filesystem::path& folder, std::string_view key);

/// A key of everything f depends on: the data in agent order, the cuts between agents, the loss and its
/// regulariser.
std::string problem_key(const Dataset& data, std::span<const Index> offsets, LossKind kind, double l2);

}  // namespace ideal
