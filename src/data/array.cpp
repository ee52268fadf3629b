// SPDX-License-Identifier: Apache-2.0
#include "data/array.hpp"

#include "core/huge_pages.hpp"

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

/// An exponent of ones, which infinity and NaN have, carries into the sign: a loop without branches.
bool all_finite(std::span<const double> values) {
  constexpr std::uint64_t exponent = 0x7ffull << 52, carry = 1ull << 52;
  std::uint64_t any = 0;
  for (const double value : values) any |= (std::bit_cast<std::uint64_t>(value) & exponent) + carry;
  return any >> 63 == 0;
}

void check_finite(std::span<const double> values, Index row, Index first_column, std::string_view place) {
  if (all_finite(values)) return;
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

Elements::Elements(ArrayHead head, std::unique_ptr<ByteStream> values, std::string place,
                   std::uint64_t header)
    : head_(std::move(head)), values_(std::move(values)), place_(std::move(place)), header_(header) {}

Elements Elements::from(std::uint64_t element, const Content& content) const {
  const std::uint64_t at = element * size_of(head_.scalar);
  Elements result(head_, content.stream(header_ + at), place_, header_);
  result.at_ = at;
  return result;
}

std::uint64_t Elements::size() const { return elements(head_.shape); }

void Elements::go_to(std::uint64_t element) {
  const std::uint64_t target = element * size_of(head_.scalar);
  if (target > at_) at_ += values_->skip(target - at_);
}

std::size_t Elements::fetch(std::size_t count) {
  constexpr std::size_t most_bytes = 1 << 16;
  count = std::min(count, most_bytes / size_of(head_.scalar));
  buffer_.resize(most_bytes);
  fetch(buffer_.data(), count);
  return count;
}

void Elements::fetch(char* out, std::size_t count) {
  const std::size_t bytes = count * size_of(head_.scalar);
  const std::size_t got = read_fully(*values_, out, bytes);
  at_ += got;
  if (got < bytes) {
    check_length(head_, at_, place_);
    refuse_changed_file(place_);
  }
}

void Elements::finish() {
  buffer_.resize(1 << 12);
  while (const std::size_t got = values_->read(buffer_.data(), buffer_.size())) at_ += got;
  check_length(head_, at_, place_);
}

// ---- data sets -----------------------------------------------------------------------------------------

namespace {

/// The data set that rows of an array become.
class ArrayRows {
 public:
  ArrayRows(const Elements& elements, const Selection& selection, bool labelled)
      : extents_(extents_of(elements.head(), labelled ? 2 : 1, elements.place())),
        columns_(extents_.columns - (labelled ? 1 : 0)) {
    selection.check_extents(extents_.rows, columns_);
    features_.resize(selection.count(extents_.rows), columns_);
    prefer_huge_pages(features_);
    labels_.resize(labelled ? features_.rows() : 0);
  }

  [[nodiscard]] const Extents& extents() const { return extents_; }

  /// Rows first ... end-1 of all, block by block, so that a block is checked while it is in the cache.
  void read(Elements& elements, Index first, Index end) {
    constexpr Index block_elements = 1 << 14;
    const Index block = std::max<Index>(1, block_elements / extents_.columns);
    std::vector<double> whole_rows;
    for (; first < end; first += block) {
      const Index count = std::min(block, end - first);
      if (labelled())
        read_labelled(elements, first, count, whole_rows);
      else
        read_block(elements, first, count, features_.data() + first * columns_);
    }
  }

  void read(Elements& elements, const Selection& selection) {
    std::vector<double> whole_row(static_cast<std::size_t>(extents_.columns));
    Index last_row = -1;
    selection.each(extents_.rows, [&](Index row, Index position) {
      if (row != last_row) read_block(elements, row, 1, whole_row.data());  // else wanted twice, and passed
      put(whole_row.data(), position);
      last_row = row;
    });
  }

  Dataset take() { return {"", std::move(features_), std::move(labels_)}; }

 private:
  [[nodiscard]] bool labelled() const { return columns_ < extents_.columns; }

  void read_labelled(Elements& elements, Index first, Index count, std::vector<double>& whole_rows) {
    whole_rows.resize(static_cast<std::size_t>(count * extents_.columns));
    read_block(elements, first, count, whole_rows.data());
    for (Index k = 0; k < count; ++k) put(whole_rows.data() + k * extents_.columns, first + k);
  }

  void put(const double* row, Index position) {
    std::copy_n(row, columns_, features_.data() + position * columns_);
    if (labelled()) labels_[position] = row[columns_];
  }

  void read_block(Elements& elements, Index first, Index count, double* out) const {
    elements.read(static_cast<std::uint64_t>(first * extents_.columns),
                  static_cast<std::size_t>(count * extents_.columns), out);
    if (elements.head().integral() || all_finite(as_span(out, count * extents_.columns))) return;
    for (Index k = 0; k < count; ++k)
      check_finite(as_span(out + k * extents_.columns, extents_.columns), first + k, 0, elements.place());
  }

  Extents extents_;
  Index columns_;
  DenseRows features_;
  Vector labels_;
};

}  // namespace

Dataset take_rows(Elements& elements, const Selection& selection, bool labelled) {
  ArrayRows rows(elements, selection, labelled);
  if (selection.all()) {
    rows.read(elements, 0, rows.extents().rows);
    elements.finish();
  } else {
    rows.read(elements, selection);
  }
  return rows.take();
}

Dataset take_rows(Elements& elements, const Content& content, const Selection& selection, bool labelled,
                  const Workers& workers) {
  if (!selection.all() || !content.size()) return take_rows(elements, selection, labelled);
  ArrayRows rows(elements, selection, labelled);
  const auto [count, columns] = rows.extents();
  const Index row_bytes = columns * static_cast<Index>(size_of(elements.head().scalar));
  const Index share = std::max<Index>(1, static_cast<Index>(workers.piece) / row_bytes);
  each_piece((count + share - 1) / share, workers, [&](Index piece) {
    const Index first = piece * share;
    Elements part = elements.from(static_cast<std::uint64_t>(first * columns), content);
    rows.read(part, first, std::min(first + share, count));
  });
  return rows.take();
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
