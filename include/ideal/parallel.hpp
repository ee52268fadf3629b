// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/block.hpp>

#include <functional>
#include <memory>

namespace ideal {

/// A fixed team of threads. Work item i always runs as a whole on one thread, so results never depend on the
/// team's size.
class Threads {
 public:
  explicit Threads(int count = 1);
  ~Threads();
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  [[nodiscard]] int count() const;

  /// Runs task(0) ... task(items-1), split into contiguous ranges; returns when all are done. The first
  /// exception is rethrown.
  void each(Index items, const std::function<void(Index)>& task);

 private:
  struct Team;
  std::unique_ptr<Team> team_;
};

}  // namespace ideal
