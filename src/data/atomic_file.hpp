// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace ideal::data {

/// A file that appears under its name only when it is whole: written beside its target, flushed to disk and
/// renamed. Until commit() the old file stands; without it the new one vanishes. Throws RunError with the
/// system's reason.
class AtomicFile {
 public:
  /// Whether the bytes are on disk before the name is, or the system writes them when it likes: after a crash
  /// of the machine the file may then hold anything.
  enum class Flush { now, later };

  explicit AtomicFile(const std::filesystem::path& target);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view bytes);
  void commit(Flush when = Flush::now);

 private:
  void flush();
  void write_through(std::string_view bytes);
  [[noreturn]] void fail() const;

  std::filesystem::path target_;
  std::filesystem::path temporary_;
  int descriptor_ = -1;
  std::string buffer_;
};

}  // namespace ideal::data
