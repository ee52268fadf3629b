// SPDX-License-Identifier: Apache-2.0
#include "text_file.hpp"

#include <ideal/error.hpp>

#include <cerrno>
#include <fstream>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

namespace ideal::cli {

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

}  // namespace ideal::cli
