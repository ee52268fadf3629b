// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fetch/digest.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>

namespace ideal::fetch {

using Seconds = std::chrono::duration<double>;

struct DownloadOptions {
  Seconds stall{30};        ///< give up on a connection that brings no byte for so long
  int retries = 4;          ///< how often to try again
  Seconds first_wait{0.2};  ///< before the first of them; each further one waits four times as long
  std::stop_token stop;
  std::function<void(std::int64_t done, std::int64_t total)> progress;  ///< bytes; total 0: not known
};

/// Downloads `url` to `file`, which appears when its checksum holds and not before. Until then the bytes are
/// in `file`.part; a later call goes on from there if the server can, and starts again if not. Throws
/// RunError with the reason of the last attempt, or Interrupted.
void download(const std::string& url, const Digest& digest, const std::filesystem::path& file,
              const DownloadOptions& options);

}  // namespace ideal::fetch
