// SPDX-License-Identifier: Apache-2.0
#include "text_file.hpp"

#include <ideal/error.hpp>

#include <cerrno>
#include <fstream>
#include <iterator>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

namespace ideal::cli {

namespace fs = std::filesystem;

void require_place_for(std::string_view option, const std::filesystem::path& file) {
  const std::string place = fmt::format("{} {}", option, file.string());
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
  if (std::filesystem::is_directory(file))
    throw InputError(place, "a directory", "takes a file", "Name a file in it.");
  if (!std::filesystem::is_directory(folder))
    throw InputError(place, fmt::format("no directory {}", folder.string()), "a file needs a directory",
                     "Create it first.");
  if (::access(folder.c_str(), W_OK) != 0)
    throw InputError(place, fmt::format("{} is not writable", folder.string()),
                     "a file is written into its directory", "Name a directory you can write to.");
}

fs::path hidden_beside(const fs::path& path, std::string_view role) {
  return path.parent_path() / fmt::format(".{}.{}.{}", path.filename().string(), ::getpid(), role);
}

/// Trying is the only test that also knows read-only and full file systems.
void require_creatable(std::string_view option, const fs::path& directory) {
  const fs::path path = fs::absolute(directory);
  fs::path parent = path.parent_path();
  while (!fs::exists(parent) && parent.has_relative_path()) parent = parent.parent_path();
  const fs::path probe = hidden_beside(parent / path.filename(), "probe");
  std::error_code error;
  if (fs::create_directory(probe, error)) fs::remove(probe, error);
  if (error)
    throw InputError(fmt::format("{} {}", option, path.string()),
                     fmt::format("{}: {}", parent.string(), error.message()),
                     "a run is written into a directory it can create", "Name a directory you can write to.");
}

void write_text(const std::filesystem::path& file, std::string_view text) {
  std::filesystem::path beside = file;
  beside += fmt::format(".{}.tmp", ::getpid());
  errno = 0;
  std::ofstream out(beside, std::ios::binary);
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  out.close();
  if (out && ::rename(beside.c_str(), file.c_str()) == 0) return;
  const std::string reason = std::generic_category().message(errno);
  ::unlink(beside.c_str());
  throw RunError(fmt::format("cannot write {}: {}", file.string(), reason));
}

std::string read_text(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace ideal::cli
