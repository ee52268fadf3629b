// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/loss.hpp>
#include <ideal/parallel.hpp>
#include <ideal/regulariser.hpp>
#include <ideal/transport.hpp>

#include <filesystem>
#include <memory>
#include <span>

namespace ideal {

/// The minimiser of f = sum_i f_i + r, found centrally, against which runs are measured.
struct Reference {
  Vector x;
  double value = 0;          ///< f* = f(x)
  double gradient_norm = 0;  ///< of the smallest subgradient at x
  /// f(x) - min f <= gradient_norm^2 / (2 n mu) + rounded_off: f less the smooth function below it that the
  /// norm is of, at x.
  double rounded_off = 0;
};

/// No minimiser is farther from x than this, where that is known of losses that are nowhere negative: so that
/// f(x) - min f <= gradient_norm distance + rounded_off also without strong convexity. Else infinite.
double farthest_minimiser(const Reference& reference, const Regulariser& regulariser, Index agents);

/// Newton's method to rounding, from `start` (zero if empty), on the entries that r leaves free where there
/// is an r; losses that are not smooth are rounded off, ever less. `hosted` are the losses of the transport's
/// agents; every host takes part and gets the same bits, whatever the hosts.
Reference solve_reference(std::span<const std::shared_ptr<const Loss>> hosted, Transport& transport,
                          Threads& threads, Vector start = {}, const Regulariser& regulariser = {});

/// All agents in this process.
Reference solve_reference(std::span<const std::shared_ptr<const Loss>> losses, Threads& threads,
                          Vector start = {}, const Regulariser& regulariser = {});

/// Optima on disk: a known x* is where Newton's method starts. The certificate is always computed anew, so a
/// damaged or foreign entry can cost time but never a wrong number.
class ReferenceCache {
 public:
  /// `key` stands for the problem's content.
  ReferenceCache(const std::filesystem::path& folder, std::string_view key);
  [[nodiscard]] Vector find() const;  ///< empty if there is none
  void store(const Vector& x) const;  ///< a cache that cannot be written is no error

 private:
  std::filesystem::path file_;
};

/// A key of everything one agent's loss depends on: its rows, the loss and its regulariser.
std::string loss_key(const Dataset& data, Index first, Index end, LossKind kind, double l2);

}  // namespace ideal
