// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ideal::data {

struct RawNpy {
  std::string_view header;  ///< the Python literal
  std::string_view values;
};

/// Takes an NPY file apart without looking into either part.
RawNpy split_npy(std::string_view bytes, std::string_view place);

/// The text of a zero-dimensional string array (dtype S or U), as scipy stores the name of a sparse format.
std::string read_npy_text(std::string_view bytes, std::string_view place);

/// Everything before the values: `type` as in "f8", `shape` as in "(3, 4)"; native byte order.
std::string npy_header(std::string_view type, std::string_view shape);

template <class T>
std::string_view bytes_of(const T* values, std::size_t count) {
  return {reinterpret_cast<const char*>(values), count * sizeof(T)};
}

}  // namespace ideal::data
