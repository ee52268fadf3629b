// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

/// What the front end in web/ was built into; part of the program.
namespace ideal::report::assets {

std::string_view page();     ///< page.html, with places for title and data
std::string_view figures();  ///< figures.js, plain ECMAScript 5

}  // namespace ideal::report::assets
