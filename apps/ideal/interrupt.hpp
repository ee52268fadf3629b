// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <csignal>
#include <stop_token>
#include <thread>

namespace ideal::cli {

/// SIGINT and SIGTERM of the program, from construction on. Construct it before any other thread, which then
/// inherits the blocked signals. Until token() is taken there is nothing to save, and a signal ends the
/// program at once; afterwards the first one asks to stop and the second ends it.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  std::stop_token token();

 private:
  void wait();

  sigset_t signals_{}, before_{};
  std::atomic<bool> worth_saving_ = false;
  std::atomic<bool> over_ = false;
  std::stop_source source_;
  std::thread waiter_;
};

}  // namespace ideal::cli
