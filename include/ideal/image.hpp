// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/block.hpp>

#include <string>

namespace ideal {

/// Rows that are pictures: pixel (y, x) of channel c is column (y * width + x) * channels + c.
struct ImageShape {
  Index height = 0, width = 0, channels = 0;

  [[nodiscard]] Index values() const { return height * width * channels; }
  bool operator==(const ImageShape&) const = default;
};

/// "32x32x3".
std::string to_string(const ImageShape& image);

}  // namespace ideal
