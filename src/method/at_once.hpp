// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/mixing.hpp>
#include <ideal/objective.hpp>

namespace ideal {

struct Both {
  const Block& gradient;  ///< of F at Y
  const Block& mixed;     ///< M X
};

/// Both oracles at once, for methods whose gradient need not wait for the neighbours: X travels while the
/// gradient is computed. Each counts as if called alone, but for a common X, of which M X = 0 is known.
template <class Gradient>
Both at_once(Mixing& M, const Block& X, bool common, Gradient gradient) {
  if (common) return {gradient(), M.common(X)};
  M.start(X);
  const Block& G = gradient();
  return {G, M.finish()};
}

}  // namespace ideal
