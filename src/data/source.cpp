// SPDX-License-Identifier: Apache-2.0
#include "data/source.hpp"

#include "data/gzip.hpp"

#include <ideal/error.hpp>

#include <algorithm>
#include <limits>
#include <utility>

namespace ideal::data {
namespace {

void require_bytes(bool any, std::string_view place) {
  if (!any)
    throw InputError(place, "an empty file", "a data set has at least one row",
                     "Check that the file was written to its end.");
}

Source unpacked(std::string bytes, const std::string& place) {
  Source source{std::move(bytes), false};
  if (is_gzip(source.bytes)) source = {gunzip(source.bytes, place), true};
  require_bytes(!source.bytes.empty(), place);
  return source;
}

bool starts_as_gzip(const File& file) {
  char start[2];
  return is_gzip({start, file.read_at(0, start, sizeof start)});
}

}  // namespace

Source load(const std::filesystem::path& file) { return unpacked(File(file).read_all(), file.string()); }

Content::Content(std::string_view bytes, std::string_view place) : place_(place), bytes_(bytes) {}

Content::Content(const std::filesystem::path& file, Gzip gzip)
    : place_(file.string()), file_(std::make_shared<const File>(file)) {
  repeatable_ = file_->regular();
  gzipped_ = repeatable_ && starts_as_gzip(*file_);
  if (repeatable_ && !gzipped_) return;
  if (repeatable_ && gzip == Gzip::streamed) {
    char first = 0;
    require_bytes(stream()->read(&first, 1) == 1, place_);
    return;
  }
  Source source = unpacked(file_->read_all(), place_);
  file_ = nullptr;
  gzipped_ = source.gzipped;
  owned_ = std::make_shared<const std::string>(std::move(source.bytes));
  bytes_ = *owned_;
}

std::optional<std::uint64_t> Content::size() const {
  if (!file_) return bytes_.size();
  if (gzipped_) return std::nullopt;
  return file_->size();
}

std::unique_ptr<ByteStream> Content::stream(std::uint64_t from) const {
  return stream(from, std::numeric_limits<std::uint64_t>::max());
}

std::unique_ptr<ByteStream> Content::stream(std::uint64_t from, std::uint64_t size) const {
  if (file_ && gzipped_) {
    auto packed = std::make_unique<FileStream>(file_, 0, file_->size());
    auto result = std::make_unique<GunzipStream>(std::move(packed), place_);
    result->skip(from);
    return result;
  }
  from = std::min(from, *this->size());
  size = std::min(size, *this->size() - from);
  if (file_) return std::make_unique<FileStream>(file_, from, size);
  return std::make_unique<MemoryStream>(
      bytes_.substr(static_cast<std::size_t>(from), static_cast<std::size_t>(size)));
}

}  // namespace ideal::data
