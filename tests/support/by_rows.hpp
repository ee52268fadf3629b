// SPDX-License-Identifier: Apache-2.0
// A file read the way processes of a cluster read it: looked through in parts, then some rows of it.
#pragma once

#include <ideal/outline.hpp>

#include <cstring>
#include <span>
#include <vector>

namespace ideal::test {

/// Each part travels between processes once.
inline Outline outline_in_parts(const std::filesystem::path& file, const ReadOptions& options, Index parts) {
  std::vector<Outline> all;
  for (Index part = 0; part < parts; ++part)
    all.push_back(outline_from_bytes(to_bytes(outline(file, options, part, parts))));
  return outline_from_bytes(to_bytes(join(all)));
}

inline bool same_bits(const double* a, const double* b, Index count) {
  return count == 0 || std::memcmp(a, b, static_cast<std::size_t>(count) * sizeof(double)) == 0;
}

inline bool same_bits(const Vector& a, const Vector& b) {
  return a.size() == b.size() && same_bits(a.data(), b.data(), a.size());
}

/// Whether `row` of `some` is, bit for bit and entry for entry, row `other` of `whole`.
inline bool same_row(const Dataset& some, Index row, const Dataset& whole, Index other) {
  if (!same_bits(&some.labels[row], &whole.labels[other], 1)) return false;
  if (const auto* a = std::get_if<DenseRows>(&some.features)) {
    const auto& b = std::get<DenseRows>(whole.features);
    return same_bits(a->data() + row * a->cols(), b.data() + other * b.cols(), b.cols());
  }
  const auto& a = std::get<SparseRows>(some.features);
  const auto& b = std::get<SparseRows>(whole.features);
  SparseRows::InnerIterator left(a, row), right(b, other);
  for (; left && right; ++left, ++right)
    if (left.col() != right.col() || !same_bits(&left.valueRef(), &right.valueRef(), 1)) return false;
  return !left && !right;
}

inline bool same_rows(const Dataset& some, std::span<const Index> rows, const Dataset& whole) {
  if (some.rows() != std::ssize(rows) || some.columns() != whole.columns() || some.sparse() != whole.sparse())
    return false;
  for (Index row = 0; row < some.rows(); ++row)
    if (!same_row(some, row, whole, rows[static_cast<std::size_t>(row)])) return false;
  return true;
}

}  // namespace ideal::test
