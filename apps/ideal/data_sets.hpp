// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "command.hpp"

namespace ideal::cli {

/// The pages below `ideal data` about data sets that have a name.
Command add_data_list(CLI::App& data);
Command add_data_fetch(CLI::App& data);

}  // namespace ideal::cli
