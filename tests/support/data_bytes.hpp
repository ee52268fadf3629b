// SPDX-License-Identifier: Apache-2.0
// Files built byte by byte from the formats' specifications: a truth that owes nothing to the library's own
// writers.
#pragma once

#include "support/message.hpp"

#include <bit>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <zlib.h>

namespace ideal::test {

/// A folder of its own for a test, removed with everything in it.
class Folder {
 public:
  Folder()
      : path_(std::filesystem::temp_directory_path() /
              fmt::format("ideal-test-{:08x}", std::random_device{}())) {
    std::filesystem::create_directories(path_);
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  [[nodiscard]] std::filesystem::path path(std::string_view name) const { return path_ / name; }

  [[nodiscard]] std::filesystem::path write(std::string_view name, std::string_view bytes) const {
    std::ofstream out(path(name), std::ios::binary);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return path(name);
  }

  [[nodiscard]] std::string read(std::string_view name) const {
    std::ifstream in(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
  }

 private:
  std::filesystem::path path_;
};

inline std::string number(std::uint64_t value, std::size_t size, std::endian order = std::endian::little) {
  std::string bytes;
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t shift = 8 * (order == std::endian::little ? i : size - 1 - i);
    bytes += static_cast<char>(value >> shift & 0xff);
  }
  return bytes;
}

template <class T>
std::string values(const std::vector<T>& list, std::endian order = std::endian::little) {
  using Bits = std::conditional_t<
      sizeof(T) == 1, std::uint8_t,
      std::conditional_t<sizeof(T) == 2, std::uint16_t,
                         std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;
  std::string bytes;
  for (const T value : list) bytes += number(std::bit_cast<Bits>(value), sizeof(T), order);
  return bytes;
}

inline std::string npy(std::string_view literal, std::string_view payload, int version = 1) {
  const std::string header = std::string(literal) + "\n";
  return "\x93NUMPY" + number(static_cast<std::uint64_t>(version), 1) + number(0, 1) +
         number(header.size(), version == 1 ? 2 : 4) + header + std::string(payload);
}

inline std::string npy_of(std::string_view descr, std::string_view shape, std::string_view payload) {
  return npy(fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", descr, shape), payload);
}

inline std::string idx(int type, const std::vector<std::uint32_t>& extents, std::string_view payload) {
  std::string bytes = number(0, 2) + number(static_cast<std::uint64_t>(type), 1) + number(extents.size(), 1);
  for (const std::uint32_t extent : extents) bytes += number(extent, 4, std::endian::big);
  return bytes + std::string(payload);
}

/// Packs with zlib: window 31 gives a gzip file, -15 the raw deflate data of a zip member.
inline std::string packed(std::string_view bytes, int window) {
  z_stream stream{};
  if (deflateInit2(&stream, 9, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::runtime_error("zlib");
  std::string out(deflateBound(&stream, bytes.size()) + 32, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

inline std::string gzipped(std::string_view bytes) { return packed(bytes, 31); }

struct ZipStyle {
  bool deflate = false;
  bool zip64 = false;  ///< sizes and offsets in the zip64 records although they would fit
  unsigned flags = 0;
  std::uint32_t crc_error = 0;
};

inline std::string zip(const std::vector<std::pair<std::string, std::string>>& members, ZipStyle style = {}) {
  std::string bytes, directory;
  for (const auto& [name, content] : members) {
    const std::string body = style.deflate ? packed(content, -15) : content;
    const auto crc = static_cast<std::uint32_t>(
        crc32(0, reinterpret_cast<const Bytef*>(content.data()), static_cast<uInt>(content.size())));
    const std::uint64_t far = 0xffffffff;
    const std::string extra = number(1, 2) + number(24, 2) + number(content.size(), 8) +
                              number(body.size(), 8) + number(bytes.size(), 8);
    const std::string head = number(45, 2) + number(style.flags, 2) + number(style.deflate ? 8 : 0, 2) +
                             number(0, 4) + number(crc ^ style.crc_error, 4) +
                             number(style.zip64 ? far : body.size(), 4) +
                             number(style.zip64 ? far : content.size(), 4) + number(name.size(), 2);
    directory += "PK\x01\x02" + number(45, 2) + head + number(style.zip64 ? extra.size() : 0, 2) +
                 std::string(10, '\0') + number(style.zip64 ? far : bytes.size(), 4) + name +
                 (style.zip64 ? extra : "");
    bytes += "PK\x03\x04" + head + number(0, 2) + name + body;
  }
  const std::uint64_t at = bytes.size();
  bytes += directory;
  if (style.zip64) {
    const std::uint64_t end64 = bytes.size();
    bytes += "PK\x06\x06" + number(44, 8) + number(45, 2) + number(45, 2) + number(0, 8) +
             number(members.size(), 8) + number(members.size(), 8) + number(directory.size(), 8) +
             number(at, 8);
    bytes += "PK\x06\x07" + number(0, 4) + number(end64, 8) + number(1, 4);
  }
  bytes += "PK\x05\x06" + number(0, 4) + number(style.zip64 ? 0xffff : members.size(), 2) +
           number(style.zip64 ? 0xffff : members.size(), 2) + number(directory.size(), 4) +
           number(style.zip64 ? 0xffffffff : at, 4) + number(0, 2);
  return bytes;
}

}  // namespace ideal::test
