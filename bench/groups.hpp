// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "report.hpp"

namespace bench {

void measure_framework(Report& report);
void measure_gradients(Report& report);
void measure_mixing(Report& report);
void measure_rounds(Report& report);

}  // namespace bench
