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

/// Rounds follow each other within microseconds: look a few times before sleeping in the kernel.
void wait_for_change(const std::atomic<unsigned>& value, unsigned old) {
  for (int spin = 0; spin < 200; ++spin) {
    if (value.load(std::memory_order_acquire) != old) return;
    std::this_thread::yield();
  }
  value.wait(old, std::memory_order_acquire);
}

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

  /// The workers that are there wait for an announcement; one without a task sends them home.
  void dismiss() {
    task = nullptr;
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
      if (!task) return;
      work(rank);
      if (busy.fetch_sub(1, std::memory_order_acq_rel) == 1) busy.notify_one();
    }
  }

  void work(int rank) {
    try {
      for (Index i = rank * items / size; i < (rank + 1) * items / size; ++i) (*task)(i);
    } catch (...) {
      const std::lock_guard lock(failure_mutex);
      if (!failure) failure = std::current_exception();
    }
  }

  int size;
  const std::function<void(Index)>* task = nullptr;
  Index items = 0;
  std::atomic<unsigned> generation{0};
  std::atomic<unsigned> busy{0};
  std::mutex failure_mutex;
  std::exception_ptr failure;
  std::vector<std::jthread> workers;  // last: joined before anything above goes away
};

Threads::Threads(int count) : team_(std::make_unique<Team>(std::max(1, count))) {}
Threads::~Threads() = default;

int Threads::count() const { return team_->size; }

void Threads::each(Index items, const std::function<void(Index)>& task) {
  Team& team = *team_;
  if (team.size == 1 || items == 1) {
    for (Index i = 0; i < items; ++i) task(i);
    return;
  }
  team.task = &task;
  team.items = items;
  team.busy.store(static_cast<unsigned>(team.size - 1), std::memory_order_relaxed);
  team.announce();
  team.work(0);
  for (unsigned left = team.busy.load(std::memory_order_acquire); left != 0;
       left = team.busy.load(std::memory_order_acquire))
    wait_for_change(team.busy, left);
  if (team.failure) std::rethrow_exception(std::exchange(team.failure, nullptr));
}

}  // namespace ideal
