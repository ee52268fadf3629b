// SPDX-License-Identifier: Apache-2.0
#include "data/gzip.hpp"

#include <ideal/error.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

#include <fmt/format.h>
#include <zlib.h>

namespace ideal::data {
namespace {

constexpr int gzip_window = 15 + 16;         // 32 KiB window, gzip wrapper
constexpr std::size_t densest_gzip = 1032;   // deflate cannot shrink further than 1032:1
constexpr std::size_t smallest_member = 18;  // header and trailer of an empty one

Bytef* as_bytes(const char* text) { return reinterpret_cast<Bytef*>(const_cast<char*>(text)); }

// The last four bytes tell the unpacked size (of the last member, modulo 4 GiB): right for nearly every file,
// so nearly every file is unpacked into one allocation. A lie is harmless, as it cannot pass the densest
// packing.
std::size_t likely_size(std::string_view packed) {
  if (packed.size() < smallest_member) return 0;
  std::uint32_t told = 0;
  for (int i = 1; i <= 4; ++i) told = told << 8 | static_cast<unsigned char>(packed[packed.size() - i]);
  return std::min<std::size_t>(told, densest_gzip * packed.size());
}

bool only_padding(std::string_view bytes) {
  return std::ranges::all_of(bytes, [](char c) { return c == '\0'; });
}

}  // namespace

bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

GunzipStream::GunzipStream(std::unique_ptr<ByteStream> packed, std::string_view place)
    : packed_(std::move(packed)), place_(place), buffer_(1 << 16) {}

std::size_t GunzipStream::read(char* out, std::size_t room) {
  while (!ended_) {
    if (inflater_.state() == Inflater::State::end && !start_next_member()) break;
    const bool any = offer(1);
    const std::size_t count = inflater_.unpack(offered_, out, room);
    check(!any && count == 0);
    if (count > 0) return count;
  }
  return 0;
}

/// Makes at least so many packed bytes ready to be used; false if the file ends before.
bool GunzipStream::offer(std::size_t least) {
  if (offered_.size() >= least) return true;
  std::ranges::copy(offered_, buffer_.begin());
  std::size_t size = offered_.size();
  while (size < least) {
    const std::size_t got = packed_->read(buffer_.data() + size, buffer_.size() - size);
    if (got == 0) break;
    size += got;
  }
  offered_ = {buffer_.data(), size};
  return size >= least;
}

bool GunzipStream::start_next_member() {
  offer(2);
  if (is_gzip(offered_)) {
    inflater_.restart();
    return true;
  }
  refuse_what_follows();
  ended_ = true;
  return false;
}

// Tapes pad files with zeros; anything else was not meant to be here.
void GunzipStream::refuse_what_follows() {
  std::size_t size = 0;
  bool padding = true;
  for (; offer(1); offered_ = {}) {
    size += offered_.size();
    padding = padding && only_padding(offered_);
  }
  if (!padding)
    throw InputError(place_, fmt::format("{} bytes that are not gzip after the packed data", size),
                     "only further gzip members may follow", "Fetch or pack the file again.");
}

void GunzipStream::check(bool starved) const {
  if (inflater_.state() == Inflater::State::end) return;
  if (inflater_.state() == Inflater::State::damaged)
    throw InputError(place_, fmt::format("damaged gzip data: {}", inflater_.fault()),
                     "every gzip member must unpack and match its CRC", "Fetch or pack the file again.");
  if (starved)
    throw InputError(place_, "gzip data end too early", "a gzip file ends with the CRC of its content",
                     "The file is cut short: fetch or pack it again.");
}

std::string gunzip(std::string_view bytes, std::string_view place) {
  GunzipStream stream(std::make_unique<MemoryStream>(bytes), place);
  std::string out(likely_size(bytes) + 1, '\0');  // one more, to meet the end without growing
  std::size_t size = 0;
  while (const std::size_t count = stream.read(out.data() + size, out.size() - size)) {
    size += count;
    if (size == out.size()) out.resize(std::max<std::size_t>(2 * size, 4096));
  }
  out.resize(size);
  return out;
}

GzipPacker::GzipPacker() : stream_(std::make_unique<z_stream>()) {
  constexpr int memory_level = 8;
  if (deflateInit2(stream_.get(), Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip_window, memory_level,
                   Z_DEFAULT_STRATEGY) != Z_OK)
    throw RunError("zlib could not start: out of memory");
}

GzipPacker::~GzipPacker() { deflateEnd(stream_.get()); }

std::string GzipPacker::pack(std::string_view bytes) { return run(bytes, Z_NO_FLUSH); }

std::string GzipPacker::finish() { return run({}, Z_FINISH); }

std::string GzipPacker::run(std::string_view bytes, int flush) {
  std::string packed;
  char chunk[1 << 16];
  stream_->next_in = as_bytes(bytes.data());
  stream_->avail_in = static_cast<uInt>(bytes.size());
  do {
    stream_->next_out = as_bytes(chunk);
    stream_->avail_out = sizeof chunk;
    deflate(stream_.get(), flush);
    packed.append(chunk, sizeof chunk - stream_->avail_out);
  } while (stream_->avail_out == 0);
  return packed;
}

}  // namespace ideal::data
