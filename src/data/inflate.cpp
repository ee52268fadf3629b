// SPDX-License-Identifier: Apache-2.0
#include "data/inflate.hpp"

#include <ideal/error.hpp>

#include <algorithm>

#include <zlib.h>

namespace ideal::data {
namespace {

uInt in_one_call(std::size_t size) {
  constexpr std::size_t most = 1u << 30;
  return static_cast<uInt>(std::min(size, most));
}

}  // namespace

Inflater::Inflater(Wrapper wrapper) : stream_(std::make_unique<z_stream>()) {
  const int window = wrapper == Wrapper::gzip ? MAX_WBITS + 16 : -MAX_WBITS;
  if (inflateInit2(stream_.get(), window) != Z_OK) throw RunError("zlib could not start: out of memory");
}

Inflater::~Inflater() { inflateEnd(stream_.get()); }

std::size_t Inflater::unpack(std::string_view& packed, char* out, std::size_t room) {
  const uInt offered = in_one_call(packed.size());
  const uInt space = in_one_call(room);
  stream_->next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream_->avail_in = offered;
  stream_->next_out = reinterpret_cast<Bytef*>(out);
  stream_->avail_out = space;
  const int status = inflate(stream_.get(), Z_NO_FLUSH);
  if (status == Z_MEM_ERROR) throw RunError("out of memory while unpacking");
  if (status == Z_STREAM_END)
    state_ = State::end;
  else if (status != Z_OK && status != Z_BUF_ERROR)
    state_ = State::damaged;
  packed.remove_prefix(offered - stream_->avail_in);
  return space - stream_->avail_out;
}

std::string_view Inflater::fault() const { return stream_->msg ? stream_->msg : "unknown fault"; }

void Inflater::restart() {
  inflateReset(stream_.get());
  state_ = State::more;
}

}  // namespace ideal::data
