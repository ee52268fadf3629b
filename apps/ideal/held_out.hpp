// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/loss.hpp>

namespace ideal::cli {

/// How model x does on `data`, labelled as the loss wants it: the share of rows it labels right for logistic
/// and softmax, the root mean square error for ridge.
double held_out_score(const Dataset& data, LossKind loss, VectorRef x);

}  // namespace ideal::cli
