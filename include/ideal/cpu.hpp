// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ideal {

/// Instruction sets that this CPU has and the kernels are compiled for, the best one first, such as AVX3,
/// AVX2, SSE4. Those with fused multiply-add give the same bits as each other, and so do those without.
std::vector<std::string> cpu_targets();

/// The one in use.
std::string cpu_target();

/// Whether it multiplies and adds in one rounding: the kind of its bits.
bool cpu_fuses();

/// Uses this one from now on, for results that another machine can repeat to the last bit; "auto" is the
/// best one. Not while a run is under way.
void use_cpu_target(std::string_view name);

}  // namespace ideal
