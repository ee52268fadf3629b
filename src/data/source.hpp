// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "data/stream.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace ideal::data {

/// The whole content of a file, unpacked if it was gzipped.
struct Source {
  std::string bytes;
  bool gzipped;
};

/// Throws InputError if the file is missing, unreadable, a directory, empty or a damaged gzip file.
Source load(const std::filesystem::path& file);

/// What is done with a gzip file: unpacked into memory at once, which is fast, or anew by every stream, which
/// takes next to no memory.
enum class Gzip { in_memory, streamed };

/// What a data file holds, unpacked: bytes in memory, or a file that is read piece by piece.
class Content {
 public:
  /// The bytes stay the caller's.
  Content(std::string_view bytes, std::string_view place);

  /// A pipe and its like are read into memory. Throws as load() does.
  explicit Content(const std::filesystem::path& file, Gzip gzip = Gzip::in_memory);

  [[nodiscard]] const std::string& place() const { return place_; }  ///< the file in messages
  [[nodiscard]] bool gzipped() const { return gzipped_; }

  /// False for a pipe: who opens it again finds something else.
  [[nodiscard]] bool repeatable() const { return repeatable_; }

  /// Unknown for a streamed gzip file, which can only be read from the front.
  [[nodiscard]] std::optional<std::uint64_t> size() const;

  /// The bytes from `from` on, at most `size` of them (ignored for streamed gzip files).
  [[nodiscard]] std::unique_ptr<ByteStream> stream(std::uint64_t from = 0) const;
  [[nodiscard]] std::unique_ptr<ByteStream> stream(std::uint64_t from, std::uint64_t size) const;

  /// All bytes, if they are in memory.
  [[nodiscard]] std::optional<std::string_view> in_memory() const {
    if (file_) return std::nullopt;
    return bytes_;
  }

 private:
  std::string place_;
  std::shared_ptr<const File> file_;
  std::shared_ptr<const std::string> owned_;
  std::string_view bytes_;
  bool gzipped_ = false;
  bool repeatable_ = true;
};

}  // namespace ideal::data
