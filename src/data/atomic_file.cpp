// SPDX-License-Identifier: Apache-2.0
#include "data/atomic_file.hpp"

#include <ideal/error.hpp>

#include <atomic>
#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace ideal::data {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t buffer_size = 1 << 20;

// A link is followed, so that the file it names is replaced and not the link.
fs::path resolved(const fs::path& target) {
  std::error_code ignored;
  return fs::is_symlink(target, ignored) ? fs::weakly_canonical(target, ignored) : target;
}

// Renaming over a device or a directory would either fail late or destroy it.
void check_replaceable(const fs::path& target) {
  std::error_code ignored;
  const fs::file_status status = fs::status(target, ignored);
  if (fs::exists(status) && !fs::is_regular_file(status))
    throw RunError(fmt::format("cannot write {}: it is not a regular file", target.string()));
}

fs::path fresh_name_beside(const fs::path& target) {
  static std::atomic<unsigned> count = 0;
  fs::path name = target;
  name += fmt::format(".{}-{}.tmp", ::getpid(), count++);
  return name;
}

// Without it a crash right after the rename may bring the old directory entry back. Best effort: not every
// file system can flush a directory.
void flush_directory(const fs::path& directory) {
  const int descriptor =
      ::open(directory.empty() ? "." : directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

}  // namespace

AtomicFile::AtomicFile(const fs::path& target) : target_(resolved(target)) {
  check_replaceable(target_);
  do {
    temporary_ = fresh_name_beside(target_);
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  } while (descriptor_ < 0 && errno == EEXIST);
  if (descriptor_ < 0) fail();
  buffer_.reserve(buffer_size);
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::write(std::string_view bytes) {
  if (buffer_.size() + bytes.size() > buffer_size) flush();
  if (bytes.size() > buffer_size) return write_through(bytes);
  buffer_ += bytes;
}

void AtomicFile::commit(Flush when) {
  flush();
  if (when == Flush::now && ::fsync(descriptor_) != 0 && errno != EINVAL) fail();
  if (::close(std::exchange(descriptor_, -1)) != 0) fail();
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail();
  temporary_.clear();
  if (when == Flush::now) flush_directory(target_.parent_path());
}

void AtomicFile::flush() {
  write_through(buffer_);
  buffer_.clear();
}

void AtomicFile::write_through(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) fail();
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void AtomicFile::fail() const {
  throw RunError(
      fmt::format("cannot write {}: {}", target_.string(), std::generic_category().message(errno)));
}

}  // namespace ideal::data
