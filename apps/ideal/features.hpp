// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "command.hpp"

namespace ideal::cli {

/// `ideal data features`, a page of `data`.
Command add_features(CLI::App& data);

}  // namespace ideal::cli
