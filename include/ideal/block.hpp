// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

namespace ideal {

using Index = Eigen::Index;
using Vector = Eigen::VectorXd;

/// The paper's X: one column per hosted agent, column c is the vector of the c-th hosted agent.
using Block = Eigen::MatrixXd;

using VectorRef = Eigen::Ref<const Vector>;
using VectorOut = Eigen::Ref<Vector>;

}  // namespace ideal
