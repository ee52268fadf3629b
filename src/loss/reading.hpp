// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "loss/rows.hpp"

#include <memory>
#include <span>

namespace ideal {

/// Chooses how passes go through the dense rows of agents: tries every way on the rows themselves, some
/// thousandths of a second, and takes the fastest. Nothing of that shows in a result.
void choose_reading(std::span<const std::shared_ptr<Rows>> agents);

}  // namespace ideal
