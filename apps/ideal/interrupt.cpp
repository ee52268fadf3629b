// SPDX-License-Identifier: Apache-2.0
#include "interrupt.hpp"

#include "command.hpp"
#include "launch.hpp"

#include <chrono>

namespace ideal::cli {
namespace {

// One Ctrl-C may come twice: from the terminal, and from an mpirun that passes it on.
constexpr auto echo = std::chrono::milliseconds(500);
constexpr int farewell = SIGUSR1;  // wakes the waiting thread; it ends only if the destructor sent it

}  // namespace

Interrupt::Interrupt() {
  sigemptyset(&signals_);
  for (const int signal : {SIGINT, SIGTERM, farewell}) sigaddset(&signals_, signal);
  pthread_sigmask(SIG_BLOCK, &signals_, &before_);
  waiter_ = std::thread([this] { wait(); });
}

Interrupt::~Interrupt() {
  over_ = true;
  pthread_kill(waiter_.native_handle(), farewell);
  waiter_.join();
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

std::stop_token Interrupt::token() {
  worth_saving_ = true;
  return source_.get_token();
}

// A thread that waits may call what a signal handler must not.
void Interrupt::wait() {
  std::chrono::steady_clock::time_point first;
  for (int signal = 0; sigwait(&signals_, &signal) == 0 && !over_;) {
    if (signal == farewell) continue;
    if (!worth_saving_) end_at_once(interrupted);
    const auto now = std::chrono::steady_clock::now();
    if (source_.request_stop())
      first = now;
    else if (now - first > echo)
      end_at_once(interrupted);
  }
}

}  // namespace ideal::cli
