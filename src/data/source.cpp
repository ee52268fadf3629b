// SPDX-License-Identifier: Apache-2.0
#include "data/source.hpp"

#include "data/gzip.hpp"

#include <ideal/error.hpp>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ideal::data {
namespace {

class OpenFile {
 public:
  explicit OpenFile(const std::filesystem::path& file)
      : place_(file.string()), descriptor_(::open(file.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (descriptor_ < 0) refuse();
  }
  ~OpenFile() { ::close(descriptor_); }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  /// Reads to the end and not only as far as the size tells, so that pipes work too.
  [[nodiscard]] std::string read_all() const {
    std::string bytes(expected_size() + 1, '\0');  // one more, to meet the end without growing
    std::size_t size = 0;
    while (const std::size_t count = read_some(bytes.data() + size, bytes.size() - size)) {
      size += count;
      if (size == bytes.size()) bytes.resize(2 * size);
    }
    bytes.resize(size);
    return bytes;
  }

 private:
  [[nodiscard]] std::size_t expected_size() const {
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0) refuse();
    constexpr std::size_t pipe_chunk = 1 << 16;
    return S_ISREG(status.st_mode) ? static_cast<std::size_t>(status.st_size) : pipe_chunk;
  }

  std::size_t read_some(char* out, std::size_t room) const {
    for (;;) {
      const ssize_t count = ::read(descriptor_, out, room);
      if (count >= 0) return static_cast<std::size_t>(count);
      if (errno != EINTR) refuse();
    }
  }

  [[noreturn]] void refuse() const {
    throw InputError(place_, std::generic_category().message(errno), "data come from a readable file",
                     "Check the path and its permissions.");
  }

  std::string place_;
  int descriptor_;
};

}  // namespace

Source load(const std::filesystem::path& file) {
  Source source{OpenFile(file).read_all(), false};
  if (is_gzip(source.bytes)) source = {gunzip(source.bytes, file.string()), true};
  if (source.bytes.empty())
    throw InputError(file.string(), "an empty file", "a data set has at least one row",
                     "Check that the file was written to its end.");
  return source;
}

}  // namespace ideal::data
