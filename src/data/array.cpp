// SPDX-License-Identifier: Apache-2.0
#include "data/array.hpp"

#include <ideal/error.hpp>

#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <utility>

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

void check_finite(std::span<const double> values, Index row, Index first_column, std::string_view place) {
  for (std::size_t k = 0; k < values.size(); ++k)
    if (!std::isfinite(values[k]))
      throw InputError(
          place, fmt::format("{} in row {}, column {}", values[k], row, first_column + static_cast<Index>(k)),
          "values must be finite; rows and columns count from 0", "Fill or drop missing values.");
}

std::span<const double> as_span(const double* values, Index count) {
  return {values, static_cast<std::size_t>(count)};
}

}  // namespace

std::size_t size_of(Scalar scalar) {
  return with_type(scalar, []<class T>(std::type_identity<T>) { return sizeof(T); });
}

std::string to_string(const std::vector<std::uint64_t>& shape) {
  return fmt::format("{}", fmt::join(shape, " x "));
}

void check_shape(const ArrayHead& head, std::string_view place) {
  if (bounded_product(head.shape, size_of(head.scalar))) return;
  throw InputError(place, fmt::format("a shape of {}", to_string(head.shape)),
                   "the header tells exactly how many values follow",
                   "The file is damaged: fetch or write it again.");
}

void check_length(const ArrayHead& head, std::uint64_t bytes, std::string_view place) {
  const std::size_t item = size_of(head.scalar);
  const auto bounded = bounded_product(head.shape, item);
  if (bounded && elements(head.shape) * item == bytes) return;
  throw InputError(place,
                   fmt::format("{} bytes of values for a shape of {} with {}-byte values", bytes,
                               to_string(head.shape), item),
                   "the header tells exactly how many values follow",
                   "The file is damaged: fetch or write it again.");
}

Extents extents_of(const ArrayHead& head, Index fewest_columns, std::string_view place) {
  const auto rows = static_cast<Index>(head.shape.empty() ? 0 : head.shape[0]);
  const Index columns = rows == 0 ? 0 : static_cast<Index>(elements(head.shape)) / rows;
  if (head.shape.size() < 2 || rows == 0 || columns < fewest_columns)
    throw InputError(place, fmt::format("an array of shape {}", to_string(head.shape)),
                     fmt::format("data are rows x columns with at least one row and {} column{}",
                                 fewest_columns, fewest_columns == 1 ? "" : "s"),
                     "Reshape the array to two dimensions.");
  return {rows, columns};
}

// ---- elements on their way -----------------------------------------------------------------------------

Elements::Elements(ArrayHead head, std::unique_ptr<ByteStream> values, std::string place)
    : head_(std::move(head)), values_(std::move(values)), place_(std::move(place)) {}

std::uint64_t Elements::size() const { return elements(head_.shape); }

void Elements::go_to(std::uint64_t element) {
  const std::uint64_t target = element * size_of(head_.scalar);
  if (target > at_) at_ += values_->skip(target - at_);
}

std::size_t Elements::fetch(std::size_t count) {
  constexpr std::size_t most = 1 << 12;
  count = std::min(count, most);
  const std::size_t bytes = count * size_of(head_.scalar);
  buffer_.resize(most * size_of(head_.scalar));
  const std::size_t got = read_fully(*values_, buffer_.data(), bytes);
  at_ += got;
  if (got < bytes) {
    check_length(head_, at_, place_);
    refuse_changed_file(place_);
  }
  return count;
}

void Elements::finish() {
  buffer_.resize(1 << 12);
  while (const std::size_t got = values_->read(buffer_.data(), buffer_.size())) at_ += got;
  check_length(head_, at_, place_);
}

// ---- data sets -----------------------------------------------------------------------------------------

Dataset take_rows(Elements& elements, const Selection& selection, bool labelled) {
  const Extents extents = extents_of(elements.head(), labelled ? 2 : 1, elements.place());
  const Index columns = extents.columns - (labelled ? 1 : 0);
  selection.check_extents(extents.rows, columns);
  DenseRows features(selection.count(extents.rows), columns);
  Vector labels(labelled ? features.rows() : 0);
  Index last_row = -1, last_position = 0;
  selection.each(extents.rows, [&](Index row, Index position) {
    if (row == last_row) {  // wanted twice, and passed
      features.row(position) = features.row(last_position);
      if (labelled) labels[position] = labels[last_position];
      return;
    }
    double* const out = features.data() + position * columns;
    elements.read(static_cast<std::uint64_t>(row * extents.columns), static_cast<std::size_t>(columns), out);
    check_finite(as_span(out, columns), row, 0, elements.place());
    if (labelled) {
      elements.read(static_cast<std::uint64_t>(row * extents.columns + columns), 1, &labels[position]);
      check_finite(as_span(&labels[position], 1), row, columns, elements.place());
    }
    last_row = row;
    last_position = position;
  });
  if (selection.all()) elements.finish();
  return {"", std::move(features), std::move(labels)};
}

Vector last_column(Elements& elements, Index first, Index last) {
  const Index columns = extents_of(elements.head(), 2, elements.place()).columns;
  std::vector<double> labels;  // grows with what is there: the shape may claim more
  for (Index row = first; row < last; ++row) {
    double label = 0;
    elements.read(static_cast<std::uint64_t>((row + 1) * columns - 1), 1, &label);
    check_finite(as_span(&label, 1), row, columns - 1, elements.place());
    labels.push_back(label);
  }
  return Eigen::Map<const Vector>(labels.data(), static_cast<Index>(labels.size()));
}

namespace {

Elements elements_of(const ArrayView& array, std::string_view place) {
  return {ArrayHead{array.scalar, array.order, array.shape}, std::make_unique<MemoryStream>(array.bytes),
          std::string(place)};
}

}  // namespace

DenseRows to_rows(const ArrayView& array, std::string_view place) {
  Elements elements = elements_of(array, place);
  return std::get<DenseRows>(take_rows(elements, {}, false).features);
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
  for (Index row = 0; row < result.size(); ++row) check_finite(as_span(&result[row], 1), row, 0, place);
  return result;
}

Dataset split_last_column(const ArrayView& array, std::string_view place) {
  Elements elements = elements_of(array, place);
  return take_rows(elements, {}, true);
}

}  // namespace ideal::data
