// SPDX-License-Identifier: Apache-2.0
#include <ideal/transport.hpp>

namespace ideal {

void Transport::start_laden(const Block& X, const Block& riders) {
  laden_.resize(X.rows() + riders.rows(), X.cols());
  laden_ << X, riders;
  laden_at_ = X.rows();
  start(laden_);
}

}  // namespace ideal
