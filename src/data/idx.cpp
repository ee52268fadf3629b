// SPDX-License-Identifier: Apache-2.0
// IDX, the format of MNIST: 0 0 type dimensions, then the extents and the values, all big endian.
#include "data/readers.hpp"

#include <ideal/error.hpp>

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

}  // namespace

ArrayView parse_idx(std::string_view bytes, std::string_view place) {
  const auto refuse = [&](std::string_view found) {
    throw InputError(place, found,
                     "an IDX file starts with 0, 0, a type, the number of dimensions and the extents",
                     "The file is damaged: fetch or write it again.");
  };
  if (bytes.size() < magic_size || !bytes.starts_with(std::string_view("\0\0", 2))) refuse("no IDX header");
  const Scalar scalar = scalar_of(static_cast<unsigned char>(bytes[2]), place);
  const std::size_t dimensions = static_cast<unsigned char>(bytes[3]);
  const std::size_t values_at = magic_size + dimensions * extent_size;
  if (bytes.size() < values_at) refuse(fmt::format("a header of {} dimensions cut short", dimensions));

  ArrayView array{scalar, std::endian::big, {}, bytes.substr(values_at)};
  for (std::size_t at = magic_size; at < values_at; at += extent_size)
    array.shape.push_back(big_endian(bytes.substr(at, extent_size)));
  check_length(array, place);
  return array;
}

}  // namespace ideal::data
