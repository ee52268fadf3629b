// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/block.hpp>

#include <algorithm>
#include <cstddef>

#include <unistd.h>

namespace ideal {

/// Bytes. What one thread writes while another looks at something else stays on a line of its own.
constexpr std::size_t cache_line = 64;

/// What the system knows of a cache, or else `usual`.
inline Index known_cache(int name, Index usual) {
  const long known = ::sysconf(name);
  return known > 0 ? known : usual;
}

/// What a core has of its own.
inline Index own_cache_bytes() {
#ifdef _SC_LEVEL2_CACHE_SIZE
  static const Index bytes = known_cache(_SC_LEVEL2_CACHE_SIZE, 256 << 10);
  return bytes;
#else
  return 256 << 10;
#endif
}

/// What a run may count on to find in the last cache again. Others share it, and some virtual machines tell
/// of a cache that spans many sockets: whatever the system knows, no more than a usual share.
inline Index cached_bytes() {
  constexpr Index share = 8 << 20;
#ifdef _SC_LEVEL3_CACHE_SIZE
  static const Index bytes = std::min(known_cache(_SC_LEVEL3_CACHE_SIZE, share), share);
  return bytes;
#else
  return share;
#endif
}

}  // namespace ideal
