// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/block.hpp>

#include <algorithm>

#include <unistd.h>

namespace ideal {

/// What a run may count on to find in the last cache again. Others share it, and some virtual machines tell
/// of a cache that spans many sockets: whatever the system knows, no more than a usual share.
inline Index cached_bytes() {
  constexpr long share = 8L << 20;
#ifdef _SC_LEVEL3_CACHE_SIZE
  static const long known = ::sysconf(_SC_LEVEL3_CACHE_SIZE);
#else
  constexpr long known = 0;
#endif
  return known > 0 ? std::min(known, share) : share;
}

}  // namespace ideal
