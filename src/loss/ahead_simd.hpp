// SPDX-License-Identifier: Apache-2.0
// In which steps loops over dense rows go over columns, and what they ask for on their way.
// Included once for each instruction set, behind <hwy/foreach_target.h>: the guard is set the first time and
// taken back the next.
#if defined(IDEAL_LOSS_AHEAD_SIMD_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef IDEAL_LOSS_AHEAD_SIMD_HPP
#undef IDEAL_LOSS_AHEAD_SIMD_HPP
#else
#define IDEAL_LOSS_AHEAD_SIMD_HPP
#endif

#include "loss/kernels.hpp"
#include "loss/loops_simd.hpp"

#include <bit>
#include <cstdint>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace ideal::kernel::HWY_NAMESPACE {
namespace {

constexpr Index sums = least_columns;  // partial sums of a dot product
constexpr Index group = 4;             // rows whose sums fit the registers together

/// From memory, long rows are read in so many parts side by side, a row of each at a time: rows share each
/// number of x, and the CPU sees what comes next of every stream.
constexpr Index streams = group;

/// CPUs see streams that are far enough apart to have pages of their own. While these are not read, slopes
/// and additions ask for the next ones: for so many lines of each at once, then, with so many numbers that
/// are added, for what one request brings of each.
///
/// This asks for a quarter of them, which is what memory brings meanwhile; the CPU fetches the rest unasked.
struct LineByLine {
  static constexpr Index far_apart = 6 << 10, lines_first = 2, numbers = 128, lines_brought = 1;
};
/// And this for all, of CPUs that want to be asked: these bring both lines of a pair.
struct PairByPair {
  static constexpr Index far_apart = 24 << 10, lines_first = 8, numbers = 64, lines_brought = 2;
};

enum class Cache { nearest, second };

/// Numbers in a line of a cache.
template <class Number>
constexpr Index line = 64 / sizeof(Number);

/// Asks for `count` numbers, one line behind the other.
template <Cache cache, class Number>
HWY_INLINE void ask_for(const Number* first, Index count) {
  for (Index at = 0; at < count; at += line<Number>)
    __builtin_prefetch(first + at, 0, cache == Cache::nearest ? 3 : 2);
}

/// Asks for the first of the lines in which a number lies, of which one request brings `together`.
template <Index together>
HWY_INLINE void ask_for_lines_with(const void* number) {
  constexpr std::uintptr_t bytes = together * 64;
  const auto behind = reinterpret_cast<std::uintptr_t>(number) % bytes;
  __builtin_prefetch(static_cast<const char*>(number) - behind, 0, 2);
}

// What loops over columns ask for on their way: Nothing, what comes Later, or the next Streams. A
// loop gets its share for so many rows from row `row` on, and tells it with every step at which column it is.

struct Nothing {
  template <Index rows>
  [[nodiscard]] HWY_INLINE Nothing share(Index /*row*/, Index /*d*/) const {
    return {};
  }
  HWY_INLINE void ask(Index /*column*/, Index /*columns*/) const {}
  [[nodiscard]] HWY_INLINE Nothing behind(Index /*rows*/) const { return {}; }
};

/// Rows that come later, one line behind the other: half a row with each row that is used, as each is used
/// twice.
template <class Number, Cache cache>
struct Later {
  template <Index rows>
  struct Share {
    HWY_INLINE void ask(Index /*column*/, Index columns) {
      const Index count =
          columns == sums ? sums * rows / 2 : end - next;  // the last columns, and what follows
      ask_for<cache>(next, count);
      next += count;
    }
    const Number *next, *end;
  };
  template <Index rows>
  [[nodiscard]] HWY_INLINE Share<rows> share(Index row, Index /*d*/) const {
    return {behind(row).first, behind(row + rows).first};
  }
  /// What is left to ask for when so many rows have been used once.
  [[nodiscard]] HWY_INLINE Later behind(Index rows) const { return {first + rows * apart / 2, apart}; }
  const Number* first;
  Index apart;
};

/// The streams that are read next, or their beginnings, in the order in which they will be: what one request
/// brings of each, then the next of each.
template <class Number, class Brought>
struct Streams {
  static constexpr Index numbers = Brought::numbers, brought = Brought::lines_brought * line<Number>,
                         at_once = Brought::lines_first * line<Number>;
  static_assert(numbers % (2 * group * sums) == 0, "of eight rows, too, a whole number of steps");
  static_assert(at_once % brought == 0);
  template <Index rows>
  struct Share {
    HWY_INLINE void ask(Index column, Index /*columns*/) const {
      constexpr Index period = numbers / rows;
      if (column % period == 0) streams_from.ask_from(column / period * brought);
    }
    Streams streams_from;
  };
  /// What loops over columns ask for lies behind what has been asked for at once.
  template <Index rows>
  [[nodiscard]] HWY_INLINE Share<rows> share(Index row, Index d) const {
    return {{first + at_once + row * d / numbers * brought, apart}};
  }
  HWY_INLINE void ask_at_once() const {
    for (Index at = 0; at < at_once; at += brought) ask_from(at);
  }
  HWY_INLINE void ask_from(Index at) const {
    for (Index s = 0; s < streams; ++s) ask_for_lines_with<Brought::lines_brought>(first + s * apart + at);
  }
  const Number* first;
  Index apart;
};

// How loops go over columns: step(k) for every eighth.

struct Even {
  template <class Step>
  HWY_INLINE void operator()(Index whole, const Step& step) {
    for (Index k = 0; k < whole; k += sums) step(k);
  }
};

/// AMD's CPUs see how far each load instruction goes from one time to the next, and fetch ahead by that.
/// Beside rows that are read from the second cache side by side this takes half as long again as reading
/// them. Three steps, each with instructions of its own, and then two more or not, are nothing that can be
/// seen.
class Uneven {
 public:
  template <class Step>
  HWY_INLINE void operator()(Index whole, const Step& step) {
    Index k = 0;
    while (k + 5 * sums <= whole) {
      several<3>(k, step);
      if (two_more_ & 1) several<2>(k, step);
      two_more_ = std::rotr(two_more_, 1);
    }
    for (; k < whole; k += sums) step(k);
  }

 private:
  template <Index steps, class Step>
  static HWY_INLINE void several(Index& k, const Step& step) {
    step(k);
    k += sums;
    if constexpr (steps > 1) several<steps - 1>(k, step);
  }

  std::uint64_t two_more_ = 0x6996966996696996;  // the sequence of Thue and Morse: nothing comes thrice
};

}  // namespace
}  // namespace ideal::kernel::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
