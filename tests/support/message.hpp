// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/error.hpp>

#include <string>

namespace ideal::test {

/// What an InputError says, or "no error".
template <class Action>
std::string message(Action&& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace ideal::test
