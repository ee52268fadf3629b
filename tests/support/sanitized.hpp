// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iterator>
#include <span>

namespace ideal::test {

// Long computations are not repeated on many problems at a tenth of the speed: one runs all of the code.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitized = true;
#elif defined(__has_feature)
inline constexpr bool sanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
inline constexpr bool sanitized = false;
#endif

/// All of some cases, or only the first of them under a sanitizer.
template <class Cases>
auto all_or_first(const Cases& cases) {
  return std::span(cases).first(sanitized ? 1 : std::size(cases));
}
template <class Cases>
auto all_or_first(const Cases&& gone) = delete;

}  // namespace ideal::test
