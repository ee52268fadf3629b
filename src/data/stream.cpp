// SPDX-License-Identifier: Apache-2.0
#include "data/stream.hpp"

#include <ideal/error.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ideal::data {

std::uint64_t ByteStream::skip(std::uint64_t count) {
  std::array<char, 1 << 14> forgotten;
  std::uint64_t done = 0;
  while (done < count) {
    const auto room = static_cast<std::size_t>(std::min<std::uint64_t>(count - done, forgotten.size()));
    const std::size_t got = read(forgotten.data(), room);
    if (got == 0) break;
    done += got;
  }
  return done;
}

std::size_t read_fully(ByteStream& stream, char* out, std::size_t size) {
  std::size_t done = 0;
  while (done < size) {
    const std::size_t got = stream.read(out + done, size - done);
    if (got == 0) break;
    done += got;
  }
  return done;
}

std::string take(ByteStream& stream, std::uint64_t size) {
  constexpr std::uint64_t piece = 1 << 16;
  std::string bytes;
  while (bytes.size() < size) {
    const std::size_t before = bytes.size();
    const auto room =
        static_cast<std::size_t>(std::min(size - before, std::max<std::uint64_t>(before, piece)));
    bytes.resize(before + room);
    const std::size_t got = read_fully(stream, bytes.data() + before, room);
    bytes.resize(before + got);
    if (got < room) break;
  }
  return bytes;
}

std::size_t MemoryStream::read(char* out, std::size_t room) {
  const std::size_t count = std::min(room, rest_.size());
  std::copy_n(rest_.data(), count, out);
  rest_.remove_prefix(count);
  return count;
}

std::uint64_t MemoryStream::skip(std::uint64_t count) {
  count = std::min<std::uint64_t>(count, rest_.size());
  rest_.remove_prefix(static_cast<std::size_t>(count));
  return count;
}

File::File(const std::filesystem::path& file)
    : place_(file.string()), descriptor_(::open(file.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (descriptor_ < 0) refuse();
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) {
    const int reason = errno;
    ::close(descriptor_);
    errno = reason;
    refuse();
  }
  if (S_ISREG(status.st_mode)) size_ = static_cast<std::uint64_t>(status.st_size);
}

File::~File() { ::close(descriptor_); }

std::size_t File::read_at(std::uint64_t at, char* out, std::size_t room) const {
  for (;;) {
    const ssize_t count = ::pread(descriptor_, out, room, static_cast<off_t>(at));
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR) refuse();
  }
}

void File::read_exactly(std::uint64_t at, char* out, std::size_t size) const {
  for (std::size_t got = 0; size > 0; at += got, out += got, size -= got)
    if (got = read_at(at, out, size); got == 0)
      throw InputError(place_, fmt::format("an end at byte {}", at),
                       fmt::format("{} bytes more were expected", size),
                       "The file is cut short: fetch or write it again.");
}

std::string File::read_all() const {
  constexpr std::size_t pipe_chunk = 1 << 16;
  std::string bytes(regular() ? size_ + 1 : pipe_chunk, '\0');  // one more, to meet the end without growing
  std::size_t size = 0;
  while (const std::size_t count = read_some(bytes.data() + size, bytes.size() - size)) {
    size += count;
    if (size == bytes.size()) bytes.resize(2 * size);
  }
  bytes.resize(size);
  return bytes;
}

std::size_t File::read_some(char* out, std::size_t room) const {
  for (;;) {
    const ssize_t count = ::read(descriptor_, out, room);
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR) refuse();
  }
}

void File::refuse() const {
  throw InputError(place_, std::generic_category().message(errno), "data come from a readable file",
                   "Check the path and its permissions.");
}

std::size_t FileStream::read(char* out, std::size_t room) {
  if (rest_.empty() && room >= window_)
    return fetch(out, std::exchange(window_, std::min(2 * window_, largest_window)));
  if (rest_.empty()) {
    buffer_.resize(window_);
    rest_ = {buffer_.data(), fetch(buffer_.data(), window_)};
    window_ = std::min(2 * window_, largest_window);
  }
  const std::size_t count = std::min(room, rest_.size());
  std::copy_n(rest_.data(), count, out);
  rest_.remove_prefix(count);
  return count;
}

std::size_t FileStream::fetch(char* out, std::size_t room) {
  const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(room, left_));
  const std::size_t count = wanted == 0 ? 0 : file_->read_at(at_, out, wanted);
  at_ += count;
  left_ -= count;
  return count;
}

std::uint64_t FileStream::skip(std::uint64_t count) {
  const std::uint64_t buffered = std::min<std::uint64_t>(count, rest_.size());
  const std::uint64_t beyond = std::min(count - buffered, left_);
  rest_.remove_prefix(static_cast<std::size_t>(buffered));
  if (beyond > window_) window_ = smallest_window;
  at_ += beyond;
  left_ -= beyond;
  return buffered + beyond;
}

}  // namespace ideal::data
