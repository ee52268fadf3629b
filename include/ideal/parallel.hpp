// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/block.hpp>

#include <memory>
#include <type_traits>

namespace ideal {

/// In which order a thread takes its items: who goes there and back in turn finds what the caches still hold.
enum class Way { there, back };

/// A fixed team of threads. Work item i always runs as a whole on one thread, so results never depend on the
/// team's size.
class Threads {
 public:
  explicit Threads(int count = 1);
  ~Threads();
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  [[nodiscard]] int count() const { return count_; }

  /// Runs task(0) ... task(items-1); returns when all are done. The first exception is rethrown.
  template <class Task>
  void each(Index items, Task&& task, Way way = Way::there) {
    const auto some = [&](Index first, Index end) {
      if (way == Way::there)
        for (Index i = first; i < end; ++i) task(i);
      else
        for (Index i = end; i-- > first;) task(i);
    };
    ranges(items, some, 2, several, way);
  }

  /// Simple operations on so many numbers take as long as it takes to have other threads help.
  static constexpr Index worth_waking_others = 4096;

  /// So many ranges a thread are worth their while where items take long: cores are not equally fast, least
  /// of all where other programs have a part of them, and who is through helps out.
  static constexpr int several = 4;

  /// The same with what items have in common done once: work(first, end) on contiguous ranges that cover
  /// 0 ... items-1, at most so many for each thread, or one in all if there are fewer than `least` items. A
  /// thread has the same ranges on the way there and on the way back.
  template <class Work>
  void ranges(Index items, Work&& work, Index least = 2, int for_each_thread = 1, Way way = Way::there) {
    if (count_ > 1 && items >= least)
      share(items, for_each_thread, way, &call<std::remove_reference_t<Work>>, &work);
    else if (items > 0)
      work(Index{0}, items);
  }

 private:
  // A plain pointer to the caller's lambda: nothing is copied or allocated for a region.
  using Call = void (*)(const void* work, Index first, Index end);
  template <class Work>
  static void call(const void* work, Index first, Index end) {
    (*const_cast<Work*>(static_cast<const Work*>(work)))(first, end);
  }
  void share(Index items, int for_each_thread, Way way, Call call, const void* work);

  struct Team;
  int count_;
  std::unique_ptr<Team> team_;
};

}  // namespace ideal
