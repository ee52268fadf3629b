// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "data/inflate.hpp"
#include "data/stream.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct z_stream_s;

namespace ideal::data {

bool is_gzip(std::string_view bytes);

/// All members of a gzip file, unpacked and checked against their CRC. `place` names the file in messages.
std::string gunzip(std::string_view bytes, std::string_view place);

/// The same as a stream: what all members of a gzip file hold, unpacked as it is read. The CRC of a member is
/// checked at its end, so who stops before has not checked it.
class GunzipStream final : public ByteStream {
 public:
  GunzipStream(std::unique_ptr<ByteStream> packed, std::string_view place);
  std::size_t read(char* out, std::size_t room) override;

 private:
  bool offer(std::size_t least);
  bool start_next_member();
  void refuse_what_follows();
  void check(bool starved) const;

  std::unique_ptr<ByteStream> packed_;
  std::string place_;
  Inflater inflater_{Inflater::Wrapper::gzip};
  std::vector<char> buffer_;
  std::string_view offered_;  // of the buffer: packed bytes not used yet
  bool ended_ = false;
};

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
