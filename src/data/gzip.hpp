// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

struct z_stream_s;

namespace ideal::data {

bool is_gzip(std::string_view bytes);

/// All members of a gzip file, unpacked and checked against their CRC. `place` names the file in messages.
std::string gunzip(std::string_view bytes, std::string_view place);

/// Packs a stream piece by piece; the pieces it returns, in order, are one gzip file.
class GzipPacker {
 public:
  GzipPacker();
  ~GzipPacker();
  GzipPacker(const GzipPacker&) = delete;
  GzipPacker& operator=(const GzipPacker&) = delete;

  std::string pack(std::string_view bytes);
  std::string finish();

 private:
  std::string run(std::string_view bytes, int flush);

  std::unique_ptr<z_stream_s> stream_;
};

}  // namespace ideal::data
