// SPDX-License-Identifier: Apache-2.0
// An array of numbers in some binary format, seen where it lies: what NPY and IDX have in common.
#pragma once

#include "data/pieces.hpp"
#include "data/selection.hpp"
#include "data/source.hpp"
#include "data/stream.hpp"

#include <ideal/data.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace ideal::data {

enum class Scalar { boolean, i1, i2, i4, i8, u1, u2, u4, u8, f4, f8 };

/// Calls `use(std::type_identity<T>{})` with the C++ type of `scalar`.
template <class Use>
decltype(auto) with_type(Scalar scalar, Use&& use) {
  switch (scalar) {
    case Scalar::i1:
      return use(std::type_identity<std::int8_t>{});
    case Scalar::i2:
      return use(std::type_identity<std::int16_t>{});
    case Scalar::i4:
      return use(std::type_identity<std::int32_t>{});
    case Scalar::i8:
      return use(std::type_identity<std::int64_t>{});
    case Scalar::u2:
      return use(std::type_identity<std::uint16_t>{});
    case Scalar::u4:
      return use(std::type_identity<std::uint32_t>{});
    case Scalar::u8:
      return use(std::type_identity<std::uint64_t>{});
    case Scalar::f4:
      return use(std::type_identity<float>{});
    case Scalar::f8:
      return use(std::type_identity<double>{});
    case Scalar::boolean:
    case Scalar::u1:
      break;
  }
  return use(std::type_identity<std::uint8_t>{});
}

std::size_t size_of(Scalar scalar);

/// What the header of an array tells.
struct ArrayHead {
  Scalar scalar = Scalar::f8;
  std::endian order = std::endian::native;
  std::vector<std::uint64_t> shape;  ///< C order: the last dimension is contiguous

  [[nodiscard]] bool integral() const { return scalar != Scalar::f4 && scalar != Scalar::f8; }

  /// Whether elements lie in the file as T lies in memory.
  template <class T>
  [[nodiscard]] bool holds() const {
    return order == std::endian::native &&
           with_type(scalar, []<class From>(std::type_identity<From>) { return std::is_same_v<From, T>; });
  }

  /// Converts the `count` elements that lie at `at`.
  template <class To>
  void convert(const char* at, std::size_t count, To* out) const {
    with_type(scalar, [&]<class From>(std::type_identity<From>) {
      if (order == std::endian::native || sizeof(From) == 1)
        convert<From, false>(at, count, out);
      else
        convert<From, true>(at, count, out);
    });
  }

 private:
  template <class From, bool reversed, class To>
  static void convert(const char* at, std::size_t count, To* out) {
    for (std::size_t i = 0; i < count; ++i) {
      std::array<char, sizeof(From)> raw;
      std::memcpy(raw.data(), at + i * sizeof(From), sizeof(From));
      if constexpr (reversed) std::ranges::reverse(raw);
      out[i] = static_cast<To>(std::bit_cast<From>(raw));
    }
  }
};

struct ArrayView : ArrayHead {
  std::string_view bytes;  ///< exactly the elements

  [[nodiscard]] std::size_t size() const { return bytes.size() / size_of(scalar); }

  /// Converts elements first ... first+count-1.
  template <class To>
  void copy(std::size_t first, std::size_t count, To* out) const {
    convert(bytes.data() + first * size_of(scalar), count, out);
  }
};

/// The elements of an array on their way from a file, read from front to back.
class Elements {
 public:
  /// `values` is where the elements start, behind `header` bytes of the file.
  Elements(ArrayHead head, std::unique_ptr<ByteStream> values, std::string place, std::uint64_t header = 0);

  /// The same array of a file of known size, from this element on.
  [[nodiscard]] Elements from(std::uint64_t element, const Content& content) const;

  [[nodiscard]] const ArrayHead& head() const { return head_; }
  [[nodiscard]] const std::string& place() const { return place_; }

  /// How many there are.
  [[nodiscard]] std::uint64_t size() const;

  /// Converts elements first ... first+count-1, none of which has been passed.
  template <class To>
  void read(std::uint64_t first, std::size_t count, To* out) {
    go_to(first);
    if (head_.holds<To>()) return fetch(reinterpret_cast<char*>(out), count);
    for (std::size_t got = 0; count > 0; count -= got, out += got) {
      got = fetch(count);
      head_.convert(buffer_.data(), got, out);
    }
  }

  /// Reads to the end, so that a checksum there is compared; throws InputError if there is more than the
  /// header tells.
  void finish();

 private:
  void go_to(std::uint64_t element);
  std::size_t fetch(std::size_t count);
  void fetch(char* out, std::size_t count);

  ArrayHead head_;
  std::unique_ptr<ByteStream> values_;
  std::string place_;
  std::uint64_t header_;
  std::uint64_t at_ = 0;  // in bytes
  std::vector<char> buffer_;
};

/// "60000 x 28 x 28".
std::string to_string(const std::vector<std::uint64_t>& shape);

/// Throws InputError unless the shape fills exactly `bytes`; safe for any shape a file may claim.
void check_length(const ArrayHead& head, std::uint64_t bytes, std::string_view place);

/// Throws InputError for a shape that no file can fill; for files whose length is not known yet.
void check_shape(const ArrayHead& head, std::string_view place);

struct Extents {
  Index rows, columns;
};

/// Rows are the elements of the first dimension, the others flattened. Throws InputError if there are none.
Extents extents_of(const ArrayHead& head, Index fewest_columns, std::string_view place);

/// The selected rows; with the last column as labels if `labelled`, otherwise without labels. Every value is
/// finite.
Dataset take_rows(Elements& elements, const Selection& selection, bool labelled);

/// The same where `elements` are the array of a file.
Dataset take_rows(Elements& elements, const Content& content, const Selection& selection, bool labelled,
                  const Workers& workers);

/// The last column of rows first ... last-1; every value is finite.
Vector last_column(Elements& elements, Index first, Index last);

/// One row of features per element of the first dimension, the others flattened; every value finite.
DenseRows to_rows(const ArrayView& array, std::string_view place);

/// A one-dimensional array (n, n x 1 or 1 x n) of finite values.
Vector to_vector(const ArrayView& array, std::string_view place);

/// The last column as labels, the others as features; every value finite.
Dataset split_last_column(const ArrayView& array, std::string_view place);

}  // namespace ideal::data
