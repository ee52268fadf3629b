// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/block.hpp>
#include <ideal/clones.hpp>

#include <cassert>
#include <type_traits>

namespace ideal {

/// Part of a block as it is written to. What it is assigned is computed entry by entry in registers of four
/// numbers on CPUs that have them; Eigen's own loops have those of the oldest CPU that the program is
/// compiled for. (Compiled with -O3, that is, and where clones.hpp has clones; elsewhere Eigen's loops do
/// it.) Additions and multiplications are not fused, so the bits are the same.
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
  WrittenPart& operator*=(double factor) { return take(entries(*this) * factor); }
  WrittenPart& operator/=(double divisor) { return take(entries(*this) / divisor); }

 private:
  static const Entries& entries(const WrittenPart& part) { return part; }

  template <class Value>
  WrittenPart& take(const Value& value) {
    static_assert(std::is_same_v<typename Value::Scalar, double>, "a part holds doubles");
    static_assert(Value::IsVectorAtCompileTime, "a part is one column, as are other parts");
    assert(value.size() == size());
#if IDEAL_HAS_CLONES
    write(data(), size(), value);
#else
    Entries::operator=(value);
#endif
    return *this;
  }

#if IDEAL_HAS_CLONES
  template <class Value>
  IDEAL_CLONES("default", "avx2")
  static void write(double* out, Index count, const Value& value) {
    const Eigen::internal::evaluator<Value> in(value);
#pragma GCC ivdep  // entry k is computed from entries k alone
    for (Index k = 0; k < count; ++k) out[k] = in.coeff(k);
  }
#endif
};

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
