// SPDX-License-Identifier: Apache-2.0
#include "data/ckn_arithmetic.hpp"

#include <ideal/clones.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
#include <numbers>

namespace ideal::ckn {
namespace {

// One source for every CPU.
#define IDEAL_ALL_CPUS IDEAL_CLONES("default", "avx2", "avx512f")

constexpr Index lanes = 8, tile_rows = 4, tile_columns = 2 * lanes;
using Lanes = float __attribute__((vector_size(lanes * sizeof(float))));

[[gnu::always_inline]] inline void load(Lanes& to, const float* from) { std::memcpy(&to, from, sizeof to); }

/// Four rows times one panel: eight registers of sums, so that additions need not wait for each other.
[[gnu::always_inline]] inline void multiply_tile(const float* const* rows, const float* panel, Index depth,
                                                 float* sums) {
  Lanes sum[tile_rows][2] = {};
  for (Index k = 0; k < depth; ++k, panel += tile_columns) {
    Lanes left, right;
    load(left, panel);
    load(right, panel + lanes);
    for (Index r = 0; r < tile_rows; ++r) {
      sum[r][0] += rows[r][k] * left;
      sum[r][1] += rows[r][k] * right;
    }
  }
  std::memcpy(sums, sum, sizeof sum);
}

/// e^x for -87 <= x and x near 0 at most: x = n ln 2 + r, and the Taylor polynomial of e^r.
[[gnu::always_inline]] inline float exponential(float x) {
  constexpr float shift = 12582912;         // 1.5 * 2^23: adding it rounds to a whole number
  constexpr float ln2_head = 0.693359375F,  // NOLINT(modernize-use-std-numbers): nine bits of it,
      ln2_tail = -2.12194440e-4F;           // so that n * head is exact
  const float n = (x * std::numbers::log2e_v<float> + shift) - shift;
  const float r = (x - n * ln2_head) - n * ln2_tail;
  float p = 1.F / 5040;
  p = p * r + 1.F / 720;
  p = p * r + 1.F / 120;
  p = p * r + 1.F / 24;
  p = p * r + 1.F / 6;
  p = p * r + 0.5F;
  p = p * r + 1;
  p = p * r + 1;
  return p * std::bit_cast<float>((static_cast<int>(n) + 127) << 23);
}

}  // namespace

Packed::Packed(const FloatRows& matrix)
    : depth_(matrix.rows()),
      columns_(matrix.cols()),
      panels_(static_cast<std::size_t>((matrix.cols() + tile_columns - 1) / tile_columns * tile_columns *
                                       matrix.rows())) {
  for (Index j = 0; j < columns_; ++j) {
    float* const panel = panels_.data() + j / tile_columns * tile_columns * depth_;
    for (Index k = 0; k < depth_; ++k) panel[k * tile_columns + j % tile_columns] = matrix(k, j);
  }
}

IDEAL_ALL_CPUS void multiply_into(const float* left, Index rows, const Packed& right, float* out) {
  const Index depth = right.depth(), columns = right.columns();
  float sums[tile_rows * tile_columns];
  for (Index i = 0; i < rows; i += tile_rows) {
    const float* row[tile_rows];
    for (Index r = 0; r < tile_rows; ++r) row[r] = left + std::min(i + r, rows - 1) * depth;
    for (Index j = 0; j < columns; j += tile_columns) {
      multiply_tile(row, right.data() + j * depth, depth, sums);
      const auto width = static_cast<std::size_t>(std::min(tile_columns, columns - j));
      for (Index r = 0; r < std::min(tile_rows, rows - i); ++r)
        std::memcpy(out + (i + r) * columns + j, sums + r * tile_columns, width * sizeof(float));
    }
  }
}

FloatRows multiply(const FloatRows& left, const Packed& right) {
  FloatRows product(left.rows(), right.columns());
  multiply_into(left.data(), left.rows(), right, product.data());
  return product;
}

IDEAL_ALL_CPUS void exponentials(float* values, Index count, float factor, float beta, float scale) {
  for (Index i = 0; i < count; ++i) {
    const float x = beta * (values[i] * factor - 1);
    values[i] = scale * exponential(x > -87.F ? x : -87.F);
  }
}

}  // namespace ideal::ckn
