// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

namespace ideal {

/// CPUs with the same instructions differ in what helps them, which only their makers' names tell.
[[nodiscard]] bool made_by_amd();

/// Tests go every way on any CPU; none: as it is.
void pretend_made_by_amd(std::optional<bool> answer);

}  // namespace ideal
