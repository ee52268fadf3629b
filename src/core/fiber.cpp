// SPDX-License-Identifier: Apache-2.0
#include "core/fiber.hpp"

#include <ideal/block.hpp>

#include <cstddef>
#include <utility>

#include <boost/context/detail/fcontext.hpp>
#include <boost/context/protected_fixedsize_stack.hpp>

// Sanitizers have to be told of stacks that they did not see the system make. GCC has a macro for each, clang
// a question.
#ifndef __has_feature
#define __has_feature(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#include <sanitizer/common_interface_defs.h>
#define IDEAL_ASAN 1
#endif
#if defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
#include <sanitizer/tsan_interface.h>
#define IDEAL_TSAN 1
#endif

namespace ideal {

namespace {

// A product of two matrices in a loss may take 256 KB of it (Eigen's EIGEN_STACK_ALLOCATION_LIMIT, for each
// of two panels), by steps larger than the guard page below. Of memory only what is used.
constexpr std::size_t stack_bytes = 1024 * 1024;
static_assert(stack_bytes >= 4 * EIGEN_STACK_ALLOCATION_LIMIT);

namespace context = boost::context::detail;

}  // namespace

/// Between telling a sanitizer of a jump and jumping there is no call that it would see on the wrong stack:
/// so the jumps are the library's plainest.
struct Fiber::Context {
  explicit Context(std::function<void()> function)
      : body(std::move(function)),
        stack(stacks.allocate()),
        inside(context::make_fcontext(stack.sp, stack.size, &Context::begin)) {
#ifdef IDEAL_TSAN
    here = __tsan_create_fiber(0);
#endif
  }
  ~Context() {
    if (!ended) {
      abandoned = true;
      enter();
    }
#ifdef IDEAL_TSAN
    __tsan_destroy_fiber(here);
#endif
    stacks.deallocate(stack);
  }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  /// What the destructor of one that is still under way makes it throw.
  struct Abandoned {};

  static void begin(context::transfer_t caller) { static_cast<Context*>(caller.data)->live(caller.fctx); }

  void live(context::fcontext_t caller) {
    arrived(nullptr);
    outside = caller;
    try {
      if (!abandoned) body();
    } catch (const Abandoned&) {  // NOLINT(bugprone-empty-catch): as it should
    } catch (...) {
      failure = std::current_exception();
    }
    ended = true;
    leave(true);
  }

  void enter() {
    Context* const resumer = std::exchange(of_thread(), this);
#ifdef IDEAL_ASAN
    void* kept = nullptr;
    __sanitizer_start_switch_fiber(&kept, static_cast<std::byte*>(stack.sp) - stack.size, stack.size);
#endif
#ifdef IDEAL_TSAN
    there = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(here, 0);
#endif
    inside = context::jump_fcontext(inside, this).fctx;
#ifdef IDEAL_ASAN
    __sanitizer_finish_switch_fiber(kept, nullptr, nullptr);
#endif
    of_thread() = resumer;
  }

  void leave([[maybe_unused]] bool for_good = false) {
    void* kept = nullptr;
#ifdef IDEAL_ASAN
    __sanitizer_start_switch_fiber(for_good ? nullptr : &kept, caller_bottom, caller_size);
#endif
#ifdef IDEAL_TSAN
    __tsan_switch_to_fiber(there, 0);
#endif
    outside = context::jump_fcontext(outside, nullptr).fctx;
    arrived(kept);
    if (abandoned) throw Abandoned();
  }

  void arrived([[maybe_unused]] void* kept) {
#ifdef IDEAL_ASAN
    __sanitizer_finish_switch_fiber(kept, &caller_bottom, &caller_size);
#endif
  }

  /// The fiber that runs on this thread. Asked for by a call: a fiber may go on on another thread than
  /// before, which a compiler that remembers the address does not know.
  [[gnu::noinline]] static Context*& of_thread() {
    static thread_local Context* running = nullptr;
    return running;
  }

  std::function<void()> body;
  boost::context::protected_fixedsize_stack stacks{stack_bytes};
  boost::context::stack_context stack;
  context::fcontext_t inside, outside = nullptr;
  bool ended = false, abandoned = false;
  std::exception_ptr failure;
#ifdef IDEAL_ASAN
  const void* caller_bottom = nullptr;
  std::size_t caller_size = 0;
#endif
#ifdef IDEAL_TSAN
  void *here = nullptr, *there = nullptr;
#endif
};

Fiber::Fiber(std::function<void()> body) : context_(std::make_unique<Context>(std::move(body))) {}
Fiber::Fiber(Fiber&&) noexcept = default;
Fiber& Fiber::operator=(Fiber&&) noexcept = default;
Fiber::~Fiber() = default;

void Fiber::resume() {
  context_->enter();
  if (context_->failure) std::rethrow_exception(std::exchange(context_->failure, nullptr));
}

bool Fiber::ended() const { return context_->ended; }

void Fiber::pause() { Context::of_thread()->leave(); }

}  // namespace ideal
