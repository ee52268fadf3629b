// SPDX-License-Identifier: Apache-2.0
#include "data/gzip.hpp"

#include <ideal/error.hpp>

#include <algorithm>
#include <climits>
#include <cstdint>

#include <fmt/format.h>
#include <zlib.h>

namespace ideal::data {
namespace {

constexpr int gzip_window = 15 + 16;           // 32 KiB window, gzip wrapper
constexpr std::size_t densest_packing = 1032;  // deflate cannot shrink further than 1032:1
constexpr std::size_t smallest_member = 18;    // header and trailer of an empty one

Bytef* as_bytes(const char* text) { return reinterpret_cast<Bytef*>(const_cast<char*>(text)); }

uInt at_most_uint(std::size_t size) { return static_cast<uInt>(std::min<std::size_t>(size, UINT_MAX)); }

class Inflater {
 public:
  explicit Inflater(std::string_view place) : place_(place) {
    if (inflateInit2(&stream_, gzip_window) != Z_OK) throw RunError("zlib could not start: out of memory");
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  /// Unpacks the member at the start of `packed` onto `out` from `size` on; returns what follows it.
  std::string_view unpack_member(std::string_view packed, std::string& out, std::size_t& size) {
    inflateReset(&stream_);
    for (int status = Z_OK; status != Z_STREAM_END;) {
      if (size == out.size()) out.resize(std::max<std::size_t>(2 * out.size(), 4096));
      const uInt offered = at_most_uint(packed.size());
      const uInt room = at_most_uint(out.size() - size);
      stream_.next_in = as_bytes(packed.data());
      stream_.avail_in = offered;
      stream_.next_out = as_bytes(out.data() + size);
      stream_.avail_out = room;
      status = inflate(&stream_, Z_NO_FLUSH);
      packed.remove_prefix(offered - stream_.avail_in);
      size += room - stream_.avail_out;
      check(status, packed.empty() && stream_.avail_out > 0);
    }
    return packed;
  }

 private:
  void check(int status, bool starved) const {
    if (status == Z_STREAM_END) return;
    if (status == Z_MEM_ERROR) throw RunError(fmt::format("{}: out of memory while unpacking", place_));
    if (status != Z_OK && status != Z_BUF_ERROR)
      throw InputError(place_,
                       fmt::format("damaged gzip data: {}", stream_.msg ? stream_.msg : "unknown fault"),
                       "every gzip member must unpack and match its CRC", "Fetch or pack the file again.");
    if (starved)
      throw InputError(place_, "gzip data end too early", "a gzip file ends with the CRC of its content",
                       "The file is cut short: fetch or pack it again.");
  }

  std::string_view place_;
  z_stream stream_{};
};

// The last four bytes tell the unpacked size (of the last member, modulo 4 GiB): right for nearly every file,
// so nearly every file is unpacked into one allocation. A lie is harmless, as it cannot pass the densest
// packing.
std::size_t likely_size(std::string_view packed) {
  if (packed.size() < smallest_member) return 0;
  std::uint32_t told = 0;
  for (int i = 1; i <= 4; ++i) told = told << 8 | static_cast<unsigned char>(packed[packed.size() - i]);
  return std::min<std::size_t>(told, densest_packing * packed.size());
}

bool only_padding(std::string_view bytes) {
  return std::ranges::all_of(bytes, [](char c) { return c == '\0'; });
}

}  // namespace

bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

std::string gunzip(std::string_view bytes, std::string_view place) {
  Inflater inflater(place);
  std::string out(likely_size(bytes), '\0');
  std::size_t size = 0;
  do {
    bytes = inflater.unpack_member(bytes, out, size);
  } while (is_gzip(bytes));
  if (!only_padding(bytes))
    throw InputError(place, fmt::format("{} bytes that are not gzip after the packed data", bytes.size()),
                     "only further gzip members may follow", "Fetch or pack the file again.");
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
