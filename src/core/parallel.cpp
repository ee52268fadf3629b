// SPDX-License-Identifier: Apache-2.0
#include "core/cache.hpp"

#include <ideal/error.hpp>
#include <ideal/parallel.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#ifdef __linux__
#include <sched.h>
#endif

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

/// Regions follow each other within microseconds: look for a few microseconds, then let others on this core
/// go first, and sleep in the kernel at last. Tells whether it slept.
bool wait_for_change(const std::atomic<unsigned>& value, unsigned old) {
  constexpr int looks = 400, turns = 100;
  for (int spin = 0; spin < looks + turns; ++spin) {
    if (value.load(std::memory_order_acquire) != old) return false;
    if (spin < looks)
      relax();
    else
      std::this_thread::yield();
  }
  value.wait(old, std::memory_order_acquire);
  return true;
}

/// The cores that this process may use, the one this thread is on first.
std::vector<int> cores_from_here() {
  std::vector<int> cores;
#ifdef __linux__
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return cores;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &allowed)) cores.push_back(core);
  if (const auto here = std::ranges::find(cores, sched_getcpu()); here != cores.end())
    std::ranges::rotate(cores, here);
#endif
  return cores;
}

/// Goes to a core, and may leave it again. A new thread begins beside the one that made it; as both sleep and
/// wake every few microseconds, the kernel does not see for a long time that they share a core.
void move_to([[maybe_unused]] int core) {
#ifdef __linux__
  cpu_set_t allowed, one;
  CPU_ZERO(&one);
  CPU_SET(core, &one);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  if (sched_setaffinity(0, sizeof one, &one) == 0) sched_setaffinity(0, sizeof allowed, &allowed);
#endif
}

/// The core this thread is on; -1: unknown.
int this_core() {
#ifdef __linux__
  return sched_getcpu();
#else
  return -1;
#endif
}

}  // namespace

/// A region's items are cut into equally many ranges for each thread. Each takes its own ranges first, for
/// what its caches still hold, and then any that nobody has begun: on a busy machine the caller does not wait
/// for a thread that has not been given a core, or a slow one.
// What several threads write lies on cache lines of its own.
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding)
struct Threads::Team {
  /// What is left of a thread's ranges in a region, to be taken by whoever comes: a number that is changed as
  /// a whole, so that who comes late, for a region that has ended, takes nothing of the next.
  class alignas(cache_line) Left {
   public:
    void refill(unsigned region, unsigned ranges) {
      word_.store(std::uint64_t{region} << 32 | ranges, std::memory_order_release);
    }

    /// The number of one more range, counted down, or none.
    [[nodiscard]] std::optional<unsigned> take(unsigned region) {
      std::uint64_t word = word_.load(std::memory_order_acquire);
      for (;;) {
        const auto ranges = static_cast<unsigned>(word);
        if (word >> 32 != region || ranges == 0) return {};
        if (word_.compare_exchange_weak(word, word - 1, std::memory_order_acq_rel)) return ranges - 1;
      }
    }

   private:
    std::atomic<std::uint64_t> word_{0};
  };

  explicit Team(int count) : size(count), left(static_cast<std::size_t>(count)) {
    const std::vector<int> cores = cores_from_here();
    try {
      for (int rank = 1; rank < count; ++rank)
        workers.emplace_back([this, rank, home = rank < std::ssize(cores) ? cores[rank] : -1,
                              begin = cores.empty() ? -1 : cores[0]] {
          if (home >= 0) move_to(home);
          serve(rank, {home, begin});
        });
    } catch (const std::system_error& error) {
      dismiss();
      throw RunError(
          fmt::format("{} threads could not be started ({}); use fewer with --threads", count, error.what()));
    }
  }

  ~Team() { dismiss(); }

  void dismiss() {
    dismissed.store(true, std::memory_order_relaxed);
    announce();
    workers.clear();
  }

  unsigned announce() {
    callers_core.store(this_core(), std::memory_order_relaxed);
    const unsigned now = region.fetch_add(1, std::memory_order_release) + 1;
    region.notify_all();
    return now;
  }

  /// A thread's own core, and the one that the caller was on at first.
  struct Cores {
    int home, begin;
  };

  /// A virtual machine takes an idle core for one that is away, and wakes a thread beside the one that calls
  /// it: then it goes to its own core again, or where the caller has come there, to where that was at first.
  void leave_callers_core(const Cores& cores) const {
    const int callers = callers_core.load(std::memory_order_relaxed);
    if (cores.home >= 0 && this_core() == callers) move_to(cores.home == callers ? cores.begin : cores.home);
  }

  void serve(int rank, const Cores& cores) {
    for (unsigned seen = 0;;) {
      const bool slept = wait_for_change(region, seen);
      seen = region.load(std::memory_order_acquire);
      if (dismissed.load(std::memory_order_relaxed)) return;
      if (slept) leave_callers_core(cores);
      work_on(seen, rank);
    }
  }

  /// Does what is left of a region, if it is still the present one.
  void work_on(unsigned now, int rank) {
    for (int k = 0; k < size; ++k) {
      const int owner = (rank + k) % size;
      while (const auto number = left[static_cast<std::size_t>(owner)].take(now)) {
        do_range(owner, *number);
        if (unfinished.fetch_sub(1, std::memory_order_acq_rel) == 1) unfinished.notify_one();
      }
    }
  }

  /// Numbers are counted down, so ranges go up on the way there.
  void do_range(int owner, unsigned number) {
    const Index behind = way == Way::there ? cuts - 1 - static_cast<Index>(number) : Index{number};
    const Index ranges = size * cuts, range = owner * cuts + behind;
    const Index first = range * items / ranges, end = (range + 1) * items / ranges;
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
  Index items = 0, cuts = 1;
  Way way = Way::there;
  std::vector<Left> left;  // by the thread whose ranges they are
  std::atomic<bool> dismissed{false};
  std::atomic<int> callers_core{-1};
  alignas(cache_line) std::atomic<unsigned> region{0};
  alignas(cache_line) std::atomic<unsigned> unfinished{0};
  alignas(cache_line) std::mutex failure_mutex;
  std::exception_ptr failure;
  std::vector<std::jthread> workers;  // last: joined before anything above goes away
};

Threads::Threads(int count) : count_(std::max(1, count)) {
  if (count_ > 1) team_ = std::make_unique<Team>(count_);
}
Threads::~Threads() = default;

void Threads::share(Index items, int for_each_thread, Way way, Call call, const void* work) {
  Team& team = *team_;
  team.call = call;
  team.work = work;
  team.items = items;
  team.way = way;
  team.cuts = std::clamp<Index>((items + team.size - 1) / team.size, 1, for_each_thread);
  const auto cuts = static_cast<unsigned>(team.cuts);
  team.unfinished.store(static_cast<unsigned>(team.size) * cuts, std::memory_order_relaxed);
  const unsigned next = team.region.load(std::memory_order_relaxed) + 1;
  for (Team::Left& ranges : team.left) ranges.refill(next, cuts);
  team.work_on(team.announce(), 0);
  for (unsigned left = team.unfinished.load(std::memory_order_acquire); left != 0;
       left = team.unfinished.load(std::memory_order_acquire))
    wait_for_change(team.unfinished, left);
  if (team.failure) std::rethrow_exception(std::exchange(team.failure, nullptr));
}

}  // namespace ideal
