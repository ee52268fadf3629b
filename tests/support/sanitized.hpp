// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ideal::test {

// Long computations whose code other tests run, too, are not repeated at a tenth of the speed.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitized = true;
#elif defined(__has_feature)
inline constexpr bool sanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
inline constexpr bool sanitized = false;
#endif

}  // namespace ideal::test
