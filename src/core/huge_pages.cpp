// SPDX-License-Identifier: Apache-2.0
#include "core/huge_pages.hpp"

#include <memory>

#include <sys/mman.h>

namespace ideal {

void prefer_huge_pages(void* memory, std::size_t bytes) {
#ifdef MADV_HUGEPAGE
  if (!std::align(huge_page, huge_page, memory, bytes)) return;
  ::madvise(memory, bytes / huge_page * huge_page, MADV_HUGEPAGE);
#else
  (void)memory;
  (void)bytes;
#endif
}

}  // namespace ideal
