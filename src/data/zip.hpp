// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "data/atomic_file.hpp"

#include <cstdint>
#include <initializer_list>
#include <list>
#include <map>
#include <string>
#include <string_view>

namespace ideal::data {

/// The members of a zip archive in memory, found through its central directory: stored or deflated, zip64
/// too.
class ZipReader {
 public:
  ZipReader(std::string_view bytes, std::string_view place);

  [[nodiscard]] bool contains(const std::string& name) const { return members_.contains(name); }

  /// The content of a member, checked against its CRC; it lives as long as the reader and the archive.
  std::string_view read(const std::string& name);

 private:
  struct Member {
    unsigned method = 0;
    bool encrypted = false;
    std::uint32_t crc = 0;
    std::uint64_t packed_size = 0;
    std::uint64_t size = 0;
    std::uint64_t header_at = 0;
  };

  [[nodiscard]] std::size_t find_directory_end() const;
  void read_directory();
  std::size_t read_entry(std::size_t at);
  std::string_view packed_bytes(const Member& member) const;
  std::string_view unpack(const Member& member, std::string_view packed);
  [[noreturn]] void refuse(std::string_view found) const;

  std::string_view bytes_;
  std::string_view place_;
  std::map<std::string, Member> members_;
  std::list<std::string> unpacked_;
};

/// Writes stored members; finish() writes the directory that makes the file a zip archive.
class ZipWriter {
 public:
  explicit ZipWriter(AtomicFile& out) : out_(out) {}

  /// The member is the pieces one after the other.
  void add(std::string_view name, std::initializer_list<std::string_view> pieces);
  void finish();

 private:
  AtomicFile& out_;
  std::uint64_t written_ = 0;
  std::string directory_;
  unsigned members_ = 0;
};

}  // namespace ideal::data
