// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/method.hpp>

namespace ideal::make {

// Each file of this folder that is a method defines its maker; methods.def lists them.
#define IDEAL_METHOD(name) Method name();
#include "method/methods.def"
#undef IDEAL_METHOD

}  // namespace ideal::make
