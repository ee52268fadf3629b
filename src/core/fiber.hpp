// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <functional>
#include <memory>

namespace ideal {

/// A function that can stop in the middle and go on later, on a stack of its own: thousands of them take
/// turns on one thread, at the price of a call.
class Fiber {
 public:
  explicit Fiber(std::function<void()> body);
  Fiber(Fiber&&) noexcept;
  Fiber& operator=(Fiber&&) noexcept;

  /// One that has not ended leaves all its functions, as if by an exception.
  ~Fiber();

  /// Runs it until it pauses or ends; what it throws is thrown here. Any thread may do so, one at a time.
  void resume();

  [[nodiscard]] bool ended() const;

  /// Called within a fiber: back to who resumed it.
  static void pause();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

}  // namespace ideal
