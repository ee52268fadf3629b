// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/method.hpp>

#include <optional>
#include <string_view>

namespace ideal::cli {

inline constexpr Range seed_range{0, 0x1p53, false, false, "a whole number, 0 ... 2^53"};
inline constexpr Range thread_range{0, 1024, false, false, "a whole number, 0 ... 1024"};

/// The number `text` is from its first to its last character; empty if it is none, or not finite.
std::optional<double> parse_number(std::string_view text);

/// The same; empty also outside the range, or not whole where it must be.
std::optional<double> parse_number(std::string_view text, const Range& range, bool whole);

}  // namespace ideal::cli
