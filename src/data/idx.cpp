// SPDX-License-Identifier: Apache-2.0
// IDX, the format of MNIST: 0 0 type dimensions, then the extents and the values, all big endian.
#include "data/readers.hpp"

#include <ideal/error.hpp>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace ideal::data {
namespace {

constexpr std::size_t magic_size = 4;
constexpr std::size_t extent_size = 4;

Scalar scalar_of(unsigned char code, std::string_view place) {
  switch (code) {
    case 0x08:
      return Scalar::u1;
    case 0x09:
      return Scalar::i1;
    case 0x0B:
      return Scalar::i2;
    case 0x0C:
      return Scalar::i4;
    case 0x0D:
      return Scalar::f4;
    case 0x0E:
      return Scalar::f8;
    default:
      break;
  }
  throw InputError(place, fmt::format("IDX type {:#04x}", code),
                   "IDX types are 0x08, 0x09, 0x0b, 0x0c, 0x0d and 0x0e",
                   "The file is damaged: fetch or write it again.");
}

std::uint64_t big_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (const char c : bytes) value = value << 8 | static_cast<unsigned char>(c);
  return value;
}

/// `bytes` may end with the header or go on.
ArrayHead idx_head(std::string_view bytes, std::string_view place) {
  const auto refuse = [&](std::string_view found) {
    throw InputError(place, found,
                     "an IDX file starts with 0, 0, a type, the number of dimensions and the extents",
                     "The file is damaged: fetch or write it again.");
  };
  if (bytes.size() < magic_size || !bytes.starts_with(std::string_view("\0\0", 2))) refuse("no IDX header");
  ArrayHead head{scalar_of(static_cast<unsigned char>(bytes[2]), place), std::endian::big, {}};
  const std::size_t dimensions = static_cast<unsigned char>(bytes[3]);
  const std::size_t values_at = magic_size + dimensions * extent_size;
  if (bytes.size() < values_at) refuse(fmt::format("a header of {} dimensions cut short", dimensions));
  for (std::size_t at = magic_size; at < values_at; at += extent_size)
    head.shape.push_back(big_endian(bytes.substr(at, extent_size)));
  return head;
}

}  // namespace

ArrayView parse_idx(std::string_view bytes, std::string_view place) {
  ArrayHead head = idx_head(bytes, place);
  const std::size_t values_at = magic_size + head.shape.size() * extent_size;
  ArrayView array{std::move(head), bytes.substr(values_at)};
  check_length(array, array.bytes.size(), place);
  return array;
}

Elements open_idx(std::unique_ptr<ByteStream> bytes, std::optional<std::uint64_t> size, std::string place) {
  std::string header = take(*bytes, magic_size);
  if (header.size() == magic_size)
    header += take(*bytes, static_cast<unsigned char>(header[3]) * extent_size);
  ArrayHead head = idx_head(header, place);
  if (size)
    check_length(head, *size - std::min<std::uint64_t>(*size, header.size()), place);
  else
    check_shape(head, place);
  return {std::move(head), std::move(bytes), std::move(place), header.size()};
}

}  // namespace ideal::data
