// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ideal {

/// CPUs with the same instructions differ in what helps them, which only their makers' names tell: AMD's from
/// family 26 on want to be asked far ahead for what comes from memory.
[[nodiscard]] bool wants_to_be_asked_early();

}  // namespace ideal
