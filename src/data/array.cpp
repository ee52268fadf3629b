// SPDX-License-Identifier: Apache-2.0
#include "data/array.hpp"

#include <ideal/error.hpp>

#include <cmath>
#include <limits>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ideal::data {
namespace {

// Zero counts as one: a claim of 0 x 2^63 elements holds no byte and is absurd all the same.
std::optional<std::uint64_t> bounded_product(const std::vector<std::uint64_t>& factors,
                                             std::uint64_t product) {
  constexpr auto limit = static_cast<std::uint64_t>(std::numeric_limits<Index>::max());
  for (const std::uint64_t factor : factors) {
    if (factor > limit / product) return std::nullopt;
    product *= std::max<std::uint64_t>(factor, 1);
  }
  return product;
}

std::size_t elements(const std::vector<std::uint64_t>& shape) {
  std::size_t count = 1;
  for (const std::uint64_t extent : shape) count *= extent;
  return count;
}

void check_finite(const double* values, Index count, Index row, std::string_view place) {
  for (Index column = 0; column < count; ++column)
    if (!std::isfinite(values[column]))
      throw InputError(place, fmt::format("{} in row {}, column {}", values[column], row, column),
                       "values must be finite; rows and columns count from 0",
                       "Fill or drop missing values.");
}

struct Extent {
  Index rows, columns;
};

Extent flattened(const ArrayView& array, Index fewest_columns, std::string_view place) {
  const auto rows = static_cast<Index>(array.shape.empty() ? 0 : array.shape[0]);
  const Index columns = rows == 0 ? 0 : static_cast<Index>(array.size()) / rows;
  if (array.shape.size() < 2 || rows == 0 || columns < fewest_columns)
    throw InputError(place, fmt::format("an array of shape {}", to_string(array.shape)),
                     fmt::format("data are rows x columns with at least one row and {} column{}",
                                 fewest_columns, fewest_columns == 1 ? "" : "s"),
                     "Reshape the array to two dimensions.");
  return {rows, columns};
}

}  // namespace

std::size_t size_of(Scalar scalar) {
  return with_type(scalar, []<class T>(std::type_identity<T>) { return sizeof(T); });
}

std::string to_string(const std::vector<std::uint64_t>& shape) {
  return fmt::format("{}", fmt::join(shape, " x "));
}

void check_length(const ArrayView& array, std::string_view place) {
  const std::size_t item = size_of(array.scalar);
  const auto bounded = bounded_product(array.shape, item);
  if (bounded && elements(array.shape) * item == array.bytes.size()) return;
  throw InputError(place,
                   fmt::format("{} bytes of values for a shape of {} with {}-byte values", array.bytes.size(),
                               to_string(array.shape), item),
                   "the header tells exactly how many values follow",
                   "The file is damaged: fetch or write it again.");
}

DenseRows to_rows(const ArrayView& array, std::string_view place) {
  const auto [rows, columns] = flattened(array, 1, place);
  DenseRows result(rows, columns);
  for (Index row = 0; row < rows; ++row) {
    double* const out = result.data() + row * columns;
    array.copy(static_cast<std::size_t>(row * columns), static_cast<std::size_t>(columns), out);
    check_finite(out, columns, row, place);
  }
  return result;
}

Vector to_vector(const ArrayView& array, std::string_view place) {
  const bool one_dimensional =
      std::ranges::count_if(array.shape, [](auto extent) { return extent != 1; }) <= 1;
  if (!one_dimensional || array.shape.empty())
    throw InputError(place, fmt::format("an array of shape {}", to_string(array.shape)),
                     "labels are one-dimensional: one number a row",
                     "Use y.ravel() or class numbers instead of one-hot rows.");
  Vector result(static_cast<Index>(array.size()));
  array.copy(0, array.size(), result.data());
  for (Index row = 0; row < result.size(); ++row) check_finite(&result[row], 1, row, place);
  return result;
}

Dataset split_last_column(const ArrayView& array, std::string_view place) {
  const auto [rows, columns] = flattened(array, 2, place);
  DenseRows features(rows, columns - 1);
  Vector labels(rows);
  Vector buffer(columns);
  for (Index row = 0; row < rows; ++row) {
    array.copy(static_cast<std::size_t>(row * columns), static_cast<std::size_t>(columns), buffer.data());
    check_finite(buffer.data(), columns, row, place);
    features.row(row) = buffer.head(columns - 1);
    labels[row] = buffer[columns - 1];
  }
  return {"", std::move(features), std::move(labels)};
}

}  // namespace ideal::data
