// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace ideal::data {

/// Asks for large pages behind memory that is about to be filled for the first time: it is handed out several
/// times as fast, and read faster in order, up to 1.5 times. Where the system has none, nothing changes.
void prefer_huge_pages(void* memory, std::size_t bytes);

}  // namespace ideal::data
