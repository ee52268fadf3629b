// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "data/atomic_file.hpp"
#include "data/source.hpp"

#include <cstdint>
#include <initializer_list>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace ideal::data {

/// The members of a zip archive, found through its central directory: stored or deflated, zip64 too.
class ZipReader {
 public:
  ZipReader(std::string_view bytes, std::string_view place) : ZipReader(Content(bytes, place)) {}

  /// Not of a streamed gzip file: the directory is at the end.
  explicit ZipReader(Content archive);

  [[nodiscard]] bool contains(const std::string& name) const { return members_.contains(name); }

  /// The content of a member, checked against its CRC; it lives as long as the reader and the archive.
  std::string_view read(const std::string& name);

  /// The same as a stream. Size and CRC are compared at its end unless some of it was skipped.
  [[nodiscard]] std::unique_ptr<ByteStream> stream(const std::string& name) const;
  [[nodiscard]] std::uint64_t size(const std::string& name) const { return members_.at(name).size; }

 private:
  struct Member {
    unsigned method = 0;
    bool encrypted = false;
    std::uint32_t crc = 0;
    std::uint64_t packed_size = 0;
    std::uint64_t size = 0;
    std::uint64_t header_at = 0;
  };

  struct Range {
    std::uint64_t at, size;
  };

  [[nodiscard]] std::string bytes(std::uint64_t at, std::uint64_t size) const;
  [[nodiscard]] std::string record(std::uint64_t at, std::size_t size, std::string_view signature) const;
  [[nodiscard]] std::uint64_t find_directory_end() const;
  void read_directory();
  std::uint64_t read_entry(std::uint64_t at);
  [[nodiscard]] Range packed_range(const std::string& name, const Member& member) const;
  [[noreturn]] void refuse(std::string_view found) const;
  [[noreturn]] void refuse_mismatch(const std::string& name) const;

  Content archive_;
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
