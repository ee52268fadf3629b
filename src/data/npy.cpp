// SPDX-License-Identifier: Apache-2.0
// NPY, versions 1 to 3: magic, version, length of the header, header (a Python literal), values.
#include "data/atomic_file.hpp"
#include "data/npy_header.hpp"
#include "data/readers.hpp"
#include "data/source.hpp"
#include "data/text.hpp"

#include <ideal/error.hpp>

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>

namespace ideal {
namespace data {
namespace {

constexpr std::string_view magic = "\x93NUMPY";

struct Header {
  std::string descr;
  bool fortran_order = false;
  std::vector<std::uint64_t> shape;
};

/// Reads {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }.
class HeaderReader {
 public:
  HeaderReader(std::string_view text, std::string_view place) : rest_(text), whole_(text), place_(place) {}

  Header read() {
    Header header;
    bool descr = false, order = false, shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string key = read_string();
      expect(':');
      if (key == "descr" && !std::exchange(descr, true))
        header.descr = read_descr();
      else if (key == "fortran_order" && !std::exchange(order, true))
        header.fortran_order = read_bool();
      else if (key == "shape" && !std::exchange(shape, true))
        header.shape = read_tuple();
      else
        refuse();
      if (accept(',')) continue;
      expect('}');
      break;
    }
    if (!descr || !order || !shape) refuse();
    return header;
  }

 private:
  void skip_blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\n"), rest_.size())); }

  bool accept(char c) {
    skip_blanks();
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  void expect(char c) {
    if (!accept(c)) refuse();
  }

  std::string read_string() {
    skip_blanks();
    if (rest_.empty() || (rest_[0] != '\'' && rest_[0] != '"')) refuse();
    const std::size_t end = rest_.find(rest_[0], 1);
    if (end == std::string_view::npos) refuse();
    std::string content(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return content;
  }

  std::string read_descr() {
    skip_blanks();
    if (rest_.starts_with('['))
      throw InputError(place_, "a structured array", "an array of one numeric type is needed",
                       "Write numpy.lib.recfunctions.structured_to_unstructured(a).astype(float).");
    return read_string();
  }

  bool read_bool() {
    skip_blanks();
    for (const bool value : {true, false}) {
      const std::string_view word = value ? "True" : "False";
      if (!rest_.starts_with(word)) continue;
      rest_.remove_prefix(word.size());
      return value;
    }
    refuse();
  }

  std::vector<std::uint64_t> read_tuple() {
    std::vector<std::uint64_t> extents;
    expect('(');
    while (!accept(')')) {
      extents.push_back(read_integer());
      if (accept(',')) continue;
      expect(')');
      break;
    }
    return extents;
  }

  std::uint64_t read_integer() {
    skip_blanks();
    std::uint64_t value = 0;
    const auto [stop, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc{}) refuse();
    rest_.remove_prefix(static_cast<std::size_t>(stop - rest_.data()));
    if (rest_.starts_with('L')) rest_.remove_prefix(1);  // Python 2 wrote long integers so
    return value;
  }

  [[noreturn]] void refuse() const {
    throw InputError(
        place_, fmt::format("NPY header {}", shown(trimmed(whole_.substr(0, whole_.find('\n'))))),
        "a header gives descr, fortran_order and shape", "Write the file again with numpy.save.");
  }

  std::string_view rest_;
  std::string_view whole_;
  std::string_view place_;
};

Scalar scalar_of(std::string_view descr, std::string_view place) {
  constexpr std::pair<std::string_view, Scalar> known[] = {
      {"b1", Scalar::boolean}, {"i1", Scalar::i1}, {"i2", Scalar::i2}, {"i4", Scalar::i4},
      {"i8", Scalar::i8},      {"u1", Scalar::u1}, {"u2", Scalar::u2}, {"u4", Scalar::u4},
      {"u8", Scalar::u8},      {"f4", Scalar::f4}, {"f8", Scalar::f8}};
  for (const auto& [name, scalar] : known)
    if (descr.size() == 3 && descr.substr(1) == name) return scalar;
  throw InputError(place, fmt::format("dtype {}", shown(descr)),
                   descr.ends_with('O') ? "Python objects cannot be read as numbers"
                                        : "accepted are float64, float32, integers of 8 to 64 bits and bool",
                   "Write a.astype(float).");
}

std::endian order_of(std::string_view descr, std::string_view place) {
  switch (descr.front()) {
    case '<':
      return std::endian::little;
    case '>':
      return std::endian::big;
    case '|':
    case '=':
      return std::endian::native;
    default:
      break;
  }
  throw InputError(place, fmt::format("dtype {}", shown(descr)),
                   "a dtype starts with its byte order: <, > or |", "Write the file again with numpy.save.");
}

std::uint32_t little_endian(std::string_view bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

void check_order(const Header& header, std::string_view place) {
  if (header.fortran_order && header.shape.size() > 1)
    throw InputError(place, "an array in Fortran order", "rows must be contiguous (C order)",
                     "Write numpy.ascontiguousarray(a).");
}

}  // namespace

RawNpy split_npy(std::string_view bytes, std::string_view place) {
  constexpr std::size_t length_at = magic.size() + 2;
  const auto refuse = [&](std::string_view found) {
    throw InputError(place, found, "an NPY file holds its whole header",
                     "Write the file again with numpy.save.");
  };
  if (bytes.size() < length_at || !bytes.starts_with(magic)) refuse("no NPY header");
  const int version = bytes[magic.size()];
  if (version < 1 || version > 3) refuse(fmt::format("NPY version {}", version));
  const std::size_t length_size = version == 1 ? 2 : 4;
  const std::size_t header_at = length_at + length_size;
  if (bytes.size() < header_at) refuse("NPY header cut short");
  const std::size_t length = little_endian(bytes.substr(length_at, length_size));
  if (bytes.size() - header_at < length) refuse(fmt::format("NPY header of {} bytes cut short", length));
  return {bytes.substr(header_at, length), bytes.substr(header_at + length)};
}

// Wide characters (dtype U) are padded with zero bytes on one side or the other, narrow ones (S) at the end.
std::string read_npy_text(std::string_view bytes, std::string_view place) {
  std::string text(split_npy(bytes, place).values);
  std::erase(text, '\0');
  return text;
}

namespace {

ArrayHead head_of(std::string_view literal, std::string_view place) {
  Header header = HeaderReader(literal, place).read();
  check_order(header, place);
  const Scalar scalar = scalar_of(header.descr, place);
  return {scalar, order_of(header.descr, place), std::move(header.shape)};
}

/// Everything before the values, or what there is of it.
std::string take_header(ByteStream& stream) {
  constexpr std::size_t length_at = magic.size() + 2;
  std::string header = take(stream, length_at);
  if (header.size() < length_at) return header;
  const std::string length = take(stream, header[magic.size()] == 1 ? 2 : 4);
  header += length;
  return header + take(stream, little_endian(length));
}

}  // namespace

ArrayView parse_npy(std::string_view bytes, std::string_view place) {
  const RawNpy raw = split_npy(bytes, place);
  const ArrayView array{head_of(raw.header, place), raw.values};
  check_length(array, array.bytes.size(), place);
  return array;
}

Elements open_npy(std::unique_ptr<ByteStream> bytes, std::optional<std::uint64_t> size, std::string place) {
  const std::string header = take_header(*bytes);
  ArrayHead head = head_of(split_npy(header, place).header, place);
  if (size)
    check_length(head, *size - std::min<std::uint64_t>(*size, header.size()), place);
  else
    check_shape(head, place);
  return {std::move(head), std::move(bytes), std::move(place), header.size()};
}

std::string npy_header(std::string_view type, std::string_view shape) {
  constexpr std::size_t fixed = magic.size() + 4, alignment = 64;
  const char order = type.starts_with('S') ? '|' : std::endian::native == std::endian::little ? '<' : '>';
  std::string literal =
      fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': {}, }}", order, type, shape);
  const std::size_t end = fixed + literal.size() + 1;
  literal.append((alignment - end % alignment) % alignment, ' ');
  literal += '\n';
  std::string header(magic);
  header += {'\1', '\0', static_cast<char>(literal.size() & 0xff), static_cast<char>(literal.size() >> 8)};
  return header + literal;
}

}  // namespace data

DenseRows read_npy(const std::filesystem::path& file) {
  const data::Content content(file);
  data::Elements array = data::open_npy(content.stream(), content.size(), content.place());
  const auto& shape = array.head().shape;
  if (shape.empty() || shape.size() > 2)
    throw InputError(file.string(), fmt::format("an array of {} dimensions", shape.size()),
                     "a matrix has two", "Write a.reshape(rows, columns).");
  DenseRows matrix(static_cast<Index>(shape[0]), shape.size() == 2 ? static_cast<Index>(shape[1]) : 1);
  array.read(0, static_cast<std::size_t>(matrix.size()), matrix.data());
  return matrix;
}

void write_npy(const Eigen::Ref<const DenseRows>& matrix, const std::filesystem::path& file) {
  data::AtomicFile out(file);
  out.write(data::npy_header("f8", fmt::format("({}, {})", matrix.rows(), matrix.cols())));
  for (Index row = 0; row < matrix.rows(); ++row)
    out.write(data::bytes_of(matrix.row(row).data(), static_cast<std::size_t>(matrix.cols())));
  out.commit();
}

}  // namespace ideal
