// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/block.hpp>

namespace ideal {

enum class Stores {
  cached,    ///< the result is read soon
  streaming  ///< past the caches: a result larger than they are is not read into them first, only to be
             ///< written
};

/// result = ((w_0 x_0 + w_1 x_1) + w_2 x_2) + ... of `size` numbers each, in one pass over the result; the
/// same bits on every CPU. Streams go on from one result to the next where the next one follows it in memory;
/// end them with end_streams() before another thread reads.
void weighted_sum(const double* weights, const double* const* columns, Index terms, double* result,
                  Index size, Stores stores);

void end_streams();

}  // namespace ideal
