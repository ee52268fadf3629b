// SPDX-License-Identifier: Apache-2.0
// Single precision arithmetic whose bits depend neither on the CPU nor on how the work is cut.
#pragma once

#include <ideal/data.hpp>

#include <vector>

namespace ideal::ckn {

/// The right-hand side of many products, packed as the kernel reads it.
class Packed {
 public:
  explicit Packed(const FloatRows& matrix);

  [[nodiscard]] Index depth() const { return depth_; }
  [[nodiscard]] Index columns() const { return columns_; }
  [[nodiscard]] const float* data() const { return panels_.data(); }

 private:
  Index depth_, columns_;
  std::vector<float> panels_;  // groups of columns, each depth x width; the last filled up with zeros
};

/// left * right. Every entry is summed in the order of the depth.
FloatRows multiply(const FloatRows& left, const Packed& right);

/// values[i] = scale * exp(beta * (values[i] * factor - 1)), to a few units in the last place; arguments of
/// exp below -87 count as -87.
void exponentials(float* values, Index count, float factor, float beta, float scale);

}  // namespace ideal::ckn
