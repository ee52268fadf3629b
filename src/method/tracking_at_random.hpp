// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "method/tracking.hpp"

namespace ideal {

/// The proven limit of alpha L where edges of undirected networks wake at random, in mean square; those that
/// are always awake are of this kind, too. None where there is no proof, or it takes long to evaluate.
std::optional<double> limit_at_random(const LinkSequence& links, const Spectrum& spectrum, Tracking kind);

}  // namespace ideal
