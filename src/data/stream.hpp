// SPDX-License-Identifier: Apache-2.0
// Bytes on their way from a file, of which only a window is in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ideal::data {

/// Bytes that are read from front to back.
class ByteStream {
 public:
  virtual ~ByteStream() = default;

  /// Up to `room` > 0 bytes. Fewer are no sign of the end; none is.
  virtual std::size_t read(char* out, std::size_t room) = 0;

  /// Passes over `count` bytes, or over what is left; returns how many. Default: reads and forgets them.
  virtual std::uint64_t skip(std::uint64_t count);
};

/// Reads until `size` bytes are there or the stream ends; returns how many there are.
std::size_t read_fully(ByteStream& stream, char* out, std::size_t size);

/// The next `size` bytes, or what is left. Takes memory only for what is there, whatever `size` claims.
std::string take(ByteStream& stream, std::uint64_t size);

class MemoryStream final : public ByteStream {
 public:
  explicit MemoryStream(std::string_view bytes) : rest_(bytes) {}
  std::size_t read(char* out, std::size_t room) override;
  std::uint64_t skip(std::uint64_t count) override;

 private:
  std::string_view rest_;
};

/// An open file. Throws InputError with the system's reason.
class File {
 public:
  explicit File(const std::filesystem::path& file);
  ~File();
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  /// Whether it can be read again and at any place: no pipe, no terminal, nothing that claims to be empty.
  [[nodiscard]] bool regular() const { return size_ > 0; }
  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] const std::string& place() const { return place_; }  ///< in messages

  /// Up to `room` bytes from `at` on; none at the end.
  std::size_t read_at(std::uint64_t at, char* out, std::size_t room) const;

  /// Exactly `size` bytes; throws InputError if the file ends before.
  void read_exactly(std::uint64_t at, char* out, std::size_t size) const;

  /// Reads to the end and not only as far as the size tells, so that pipes work too.
  [[nodiscard]] std::string read_all() const;

 private:
  std::size_t read_some(char* out, std::size_t room) const;
  [[noreturn]] void refuse() const;

  std::string place_;
  int descriptor_;
  std::uint64_t size_ = 0;
};

/// A range of a regular file. Whoever jumps about reads little more than asked for; whoever reads on reads in
/// large pieces.
class FileStream final : public ByteStream {
 public:
  FileStream(std::shared_ptr<const File> file, std::uint64_t at, std::uint64_t size)
      : file_(std::move(file)), at_(at), left_(size) {}
  std::size_t read(char* out, std::size_t room) override;
  std::uint64_t skip(std::uint64_t count) override;

 private:
  static constexpr std::size_t smallest_window = 1 << 12, largest_window = 1 << 18;
  std::size_t fetch(char* out, std::size_t room);

  std::shared_ptr<const File> file_;
  std::uint64_t at_;
  std::uint64_t left_;  // of the range from at_ on
  std::size_t window_ = smallest_window;
  std::vector<char> buffer_;
  std::string_view rest_;  // of the buffer: what lies before at_
};

}  // namespace ideal::data
