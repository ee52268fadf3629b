// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/block.hpp>

#include <cassert>

namespace ideal {

// One source, two instruction sets: the loader picks the one the CPU has. Neither fuses multiplications and
// additions, so the bits are the same. Sanitizers and other compilers get the base.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define IDEAL_WIDE_REGISTERS __attribute__((target_clones("default", "avx2"), noinline))
#define IDEAL_ENTRIES_APART _Pragma("GCC ivdep")
#else
#define IDEAL_WIDE_REGISTERS
#define IDEAL_ENTRIES_APART
#endif

/// Part of a block as it is written to: what it is assigned is computed entry by entry, in registers as wide
/// as the CPU's. Eigen's own loops have those of the oldest CPU that the program is compiled for.
class WrittenPart : public Eigen::Map<Vector, Eigen::AlignedMax> {
 public:
  using Entries = Eigen::Map<Vector, Eigen::AlignedMax>;
  using Entries::Entries;
  WrittenPart(const WrittenPart&) = default;

  // NOLINTNEXTLINE(bugprone-unhandled-self-assignment): entry by entry, which does no harm
  WrittenPart& operator=(const WrittenPart& other) { return take(entries(other)); }
  template <class Value>
  WrittenPart& operator=(const Eigen::MatrixBase<Value>& value) {
    return take(value.derived());
  }
  template <class Value>
  WrittenPart& operator+=(const Eigen::MatrixBase<Value>& value) {
    return take(entries(*this) + value.derived());
  }
  template <class Value>
  WrittenPart& operator-=(const Eigen::MatrixBase<Value>& value) {
    return take(entries(*this) - value.derived());
  }
  WrittenPart& operator*=(double factor) { return take(factor * entries(*this)); }

 private:
  static const Entries& entries(const WrittenPart& part) { return part; }

  template <class Value>
  WrittenPart& take(const Value& value) {
    assert(value.size() == size());
    write(data(), size(), value);
    return *this;
  }

  template <class Value>
  IDEAL_WIDE_REGISTERS static void write(double* out, Index count, const Value& value) {
    const Eigen::internal::evaluator<Value> in(value);
    IDEAL_ENTRIES_APART
    for (Index k = 0; k < count; ++k) out[k] = in.coeff(k);
  }
};

#undef IDEAL_WIDE_REGISTERS
#undef IDEAL_ENTRIES_APART

/// A stretch of entries, the same in every block of one shape: own(B) is that part of B. A dozen of them fit
/// into a core's first cache, so that several statements on one part cost one way to memory and back.
class Own {
 public:
  static constexpr Index most = 256;  ///< entries; a multiple of what Block is aligned to

  /// Part number `index` of blocks with `size` entries.
  Own(Index index, Index size)
      : first_(index * most), count_(size - first_ < most ? size - first_ : most), size_(size) {}
  static Index parts(Index size) { return (size + most - 1) / most; }
  [[nodiscard]] Index first() const { return first_; }
  [[nodiscard]] Index count() const { return count_; }

  auto operator()(Block& B) const {
    assert(B.size() == size_);
    return WrittenPart(B.data() + first_, count_);
  }
  auto operator()(const Block& B) const {
    assert(B.size() == size_);
    return Eigen::Map<const Vector, Eigen::AlignedMax>(B.data() + first_, count_);
  }

 private:
  Index first_, count_, size_;
};

/// A value of one part that nobody needs afterwards: it lives in the cache, not in a block.
using Part = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, Own::most, 1>;

}  // namespace ideal
