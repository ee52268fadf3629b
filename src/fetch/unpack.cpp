// SPDX-License-Identifier: Apache-2.0
#include "fetch/unpack.hpp"

#include <ideal/error.hpp>

#include <algorithm>
#include <functional>
#include <memory>

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

namespace ideal::fetch {
namespace {

constexpr std::string_view damaged_package = "The package is damaged: delete it and fetch it again.";

class Archive {
 public:
  explicit Archive(std::string place) : place_(std::move(place)) {
    archive_read_support_filter_gzip(archive_.get());
    archive_read_support_filter_xz(archive_.get());
    archive_read_support_filter_zstd(archive_.get());
    archive_read_support_format_tar(archive_.get());
    archive_read_support_format_ar(archive_.get());
  }

  void open_file(const std::filesystem::path& file) {
    constexpr std::size_t block = 1 << 16;
    check(archive_read_open_filename(archive_.get(), file.c_str(), block));
  }
  /// `bytes` must outlive the archive.
  void open_bytes(std::string_view bytes) {
    check(archive_read_open_memory(archive_.get(), bytes.data(), bytes.size()));
  }

  /// Steps to the next regular file and returns its path; empty at the end.
  std::string next() {
    for (archive_entry* entry = nullptr;;) {
      const int result = archive_read_next_header(archive_.get(), &entry);
      if (result == ARCHIVE_EOF) return "";
      check(result);
      const char* const path = archive_entry_pathname(entry);
      if (path && archive_entry_filetype(entry) == AE_IFREG) return path;
    }
  }

  std::string content() {
    constexpr std::size_t most = std::size_t{1} << 29;  // far above every file of the catalogue
    std::string bytes;
    for (;;) {
      constexpr std::size_t step = 1 << 20;
      const std::size_t size = bytes.size();
      if (size > most) refuse("a file of more than 512 MB");
      bytes.resize(size + step);
      const la_ssize_t count = archive_read_data(archive_.get(), bytes.data() + size, step);
      if (count < 0) refuse(archive_error_string(archive_.get()));
      bytes.resize(size + static_cast<std::size_t>(count));
      if (count == 0) return bytes;
    }
  }

 private:
  void check(int result) {
    if (result != ARCHIVE_OK && result != ARCHIVE_WARN) refuse(archive_error_string(archive_.get()));
  }

  [[noreturn]] void refuse(const char* found) const {
    throw InputError(place_, found ? found : "damaged data", "a package is a sound .tgz or .deb file",
                     damaged_package);
  }

  struct Free {
    void operator()(archive* handle) const { archive_read_free(handle); }
  };
  std::string place_;
  std::unique_ptr<archive, Free> archive_{archive_read_new()};
};

bool ends_with_path(std::string_view path, std::string_view end) {
  return path == end ||
         (path.size() > end.size() && path.ends_with(end) && path[path.size() - end.size() - 1] == '/');
}

void take(Archive& archive, std::span<const std::string_view> wanted, Members& members) {
  for (std::string path = archive.next(); members.size() < wanted.size() && !path.empty();
       path = archive.next()) {
    const auto match = std::ranges::find_if(wanted, std::bind_front(ends_with_path, path));
    if (match != wanted.end()) members.emplace(*match, archive.content());
  }
}

}  // namespace

Members unpack(const std::filesystem::path& package, std::span<const std::string_view> wanted) {
  Members members;
  Archive outer(package.string());
  outer.open_file(package);
  if (package.extension() == ".deb") {
    std::string path = outer.next();
    while (!path.empty() && !path.starts_with("data.tar")) path = outer.next();
    const std::string data = path.empty() ? "" : outer.content();
    Archive inner(fmt::format("{}[{}]", package.string(), path));
    inner.open_bytes(data);
    take(inner, wanted, members);
  } else {
    take(outer, wanted, members);
  }
  for (const std::string_view name : wanted)
    if (!members.contains(name))
      throw InputError(package.string(), fmt::format("no {} in it", name),
                       "the package holds the files of the data set", damaged_package);
  return members;
}

}  // namespace ideal::fetch
