// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/error.hpp>

#include <stop_token>

namespace ideal::fetch {

/// Somebody asked to stop. What was downloaded is kept and the next fetch goes on from there.
class Interrupted : public Error {
 public:
  Interrupted() : Error("interrupted") {}
};

inline void stop_if_asked(const std::stop_token& stop) {
  if (stop.stop_requested()) throw Interrupted();
}

}  // namespace ideal::fetch
