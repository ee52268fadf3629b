// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/topology.hpp>

#include <string_view>

namespace ideal {

/// spectrum_of, for a W that `place` names in messages. W must have zero row sums; an eigenvalue below zero,
/// a second one at zero, and weights too large, too small or too far apart for double precision throw
/// InputError.
Spectrum checked_spectrum(const SparseRows& W, std::string_view place, const Progress& progress);

}  // namespace ideal
