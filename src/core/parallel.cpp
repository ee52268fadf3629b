// SPDX-License-Identifier: Apache-2.0
#include <ideal/error.hpp>
#include <ideal/parallel.hpp>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace ideal {

namespace {

/// Tells the core that this thread only waits.
void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Regions follow each other within microseconds: look for about two of them, then let others on this core go
/// first, and sleep in the kernel at last.
void wait_for_change(const std::atomic<unsigned>& value, unsigned old) {
  constexpr int looks = 100, turns = 100;
  for (int spin = 0; spin < looks + turns; ++spin) {
    if (value.load(std::memory_order_acquire) != old) return;
    if (spin < looks)
      relax();
    else
      std::this_thread::yield();
  }
  value.wait(old, std::memory_order_acquire);
}

// What one thread writes while another looks at something else stays on a line of its own.
constexpr std::size_t cache_line = 64;

}  // namespace

struct Threads::Team {
  explicit Team(int count) : size(count) {
    try {
      for (int rank = 1; rank < count; ++rank) workers.emplace_back([this, rank] { serve(rank); });
    } catch (const std::system_error& error) {
      dismiss();
      throw RunError(
          fmt::format("{} threads could not be started ({}); use fewer with --threads", count, error.what()));
    }
  }

  ~Team() { dismiss(); }

  /// The workers that are there wait for an announcement; one without work sends them home.
  void dismiss() {
    call = nullptr;
    announce();
    workers.clear();
  }

  void announce() {
    generation.fetch_add(1, std::memory_order_release);
    generation.notify_all();
  }

  void serve(int rank) {
    for (unsigned seen = 0;; ++seen) {
      wait_for_change(generation, seen);
      if (!call) return;
      do_range(rank);
      if (busy.fetch_sub(1, std::memory_order_acq_rel) == 1) busy.notify_one();
    }
  }

  void do_range(int rank) {
    const Index first = rank * items / size, end = (rank + 1) * items / size;
    if (first == end) return;
    try {
      call(work, first, end);
    } catch (...) {
      const std::lock_guard lock(failure_mutex);
      if (!failure) failure = std::current_exception();
    }
  }

  int size;
  Call call = nullptr;
  const void* work = nullptr;
  Index items = 0;
  alignas(cache_line) std::atomic<unsigned> generation{0};
  alignas(cache_line) std::atomic<unsigned> busy{0};
  alignas(cache_line) std::mutex failure_mutex;
  std::exception_ptr failure;
  std::vector<std::jthread> workers;  // last: joined before anything above goes away
};

Threads::Threads(int count) : count_(std::max(1, count)) {
  if (count_ > 1) team_ = std::make_unique<Team>(count_);
}
Threads::~Threads() = default;

void Threads::share(Index items, Call call, const void* work) {
  Team& team = *team_;
  team.call = call;
  team.work = work;
  team.items = items;
  team.busy.store(static_cast<unsigned>(team.size - 1), std::memory_order_relaxed);
  team.announce();
  team.do_range(0);
  for (unsigned left = team.busy.load(std::memory_order_acquire); left != 0;
       left = team.busy.load(std::memory_order_acquire))
    wait_for_change(team.busy, left);
  if (team.failure) std::rethrow_exception(std::exchange(team.failure, nullptr));
}

}  // namespace ideal
