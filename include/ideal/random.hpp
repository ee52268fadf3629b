// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <ranges>
#include <utility>

namespace ideal {

/// Random numbers with the same bits on every platform, which the distributions of <random> do not promise.
/// xoshiro256** (Blackman & Vigna, 2018); different (seed, stream) pairs give independent sequences, so an
/// agent, an iteration or a class can own a stream and no draw depends on the order of the others.
class Random {
 public:
  using result_type = std::uint64_t;  // with min, max and operator(): a UniformRandomBitGenerator

  explicit Random(std::uint64_t seed, std::uint64_t stream = 0) {
    std::uint64_t key = scramble(scramble(seed + golden) + stream);
    for (auto& word : state_) word = scramble(key += golden);
  }

  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return ~result_type{0}; }
  result_type operator()() { return next(); }

  std::uint64_t next() {
    const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  /// Uniform in [0, 1), on the grid of 2^-53.
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

  /// Uniform in 0 ... n-1, without bias; n > 0.
  std::uint64_t below(std::uint64_t n) {
    const std::uint64_t mask = max() >> std::countl_zero((n - 1) | 1);
    for (;;)
      if (const std::uint64_t draw = next() & mask; draw < n) return draw;
  }

  /// Standard normal.
  double normal();

  /// The logarithm of a Gamma(shape, 1) variable, shape > 0; for a small shape the variable itself
  /// underflows.
  double log_gamma_draw(double shape);

  /// Fisher-Yates.
  template <std::ranges::random_access_range Range>
  void shuffle(Range&& range) {
    const auto first = std::ranges::begin(range);
    for (auto left = std::ranges::distance(range); left > 1; --left) {
      const auto chosen = static_cast<decltype(left)>(below(static_cast<std::uint64_t>(left)));
      std::ranges::swap(first[left - 1], first[chosen]);
    }
  }

 private:
  static constexpr std::uint64_t golden = 0x9e3779b97f4a7c15;

  // The finaliser of splitmix64: a bijection in which every input bit reaches every output bit.
  static constexpr std::uint64_t scramble(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  std::array<std::uint64_t, 4> state_;
};

}  // namespace ideal
