// SPDX-License-Identifier: Apache-2.0
// The parts of PKWARE's APPNOTE.TXT that NumPy archives use; section numbers refer to it.
#include "data/zip.hpp"

#include "data/inflate.hpp"
#include "data/text.hpp"

#include <ideal/error.hpp>

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <zlib.h>

namespace ideal::data {
namespace {

constexpr std::string_view local_header = "PK\x03\x04";         // 4.3.7
constexpr std::string_view directory_entry = "PK\x01\x02";      // 4.3.12
constexpr std::string_view directory64_end = "PK\x06\x06";      // 4.3.14
constexpr std::string_view directory64_locator = "PK\x06\x07";  // 4.3.15
constexpr std::string_view directory_end = "PK\x05\x06";        // 4.3.16
constexpr std::size_t local_header_size = 30, directory_entry_size = 46, directory64_end_size = 56,
                      directory64_locator_size = 20, directory_end_size = 22, longest_comment = 0xffff;
constexpr std::uint64_t in_zip64 = 0xffffffff;   // "look in the zip64 fields instead"
constexpr std::uint64_t densest_packing = 1032;  // deflate cannot shrink further than 1032:1
constexpr unsigned stored = 0, deflated = 8;

/// The little-endian number in bytes at ... at+size-1, which the caller knows to be there.
std::uint64_t number(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t i = size; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

uLong crc_of(std::string_view bytes, uLong start = 0) {
  if (bytes.empty()) return start;  // zlib takes a null pointer for a wish to start anew
  return crc32_z(start, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
}

/// The zip64 extra field (4.5.3), which holds, in order, those of the values that do not fit their 32 bits.
class Zip64Field {
 public:
  explicit Zip64Field(std::string_view extras) {
    constexpr std::size_t head = 4;
    while (extras.size() >= head) {
      const std::size_t size = std::min(number(extras, 2, 2), extras.size() - head);
      if (number(extras, 0, 2) == 1) rest_ = extras.substr(head, size);
      extras.remove_prefix(head + size);
    }
  }

  /// False if the field ends before the value it must hold.
  bool resolve(std::uint64_t& value) {
    if (value != in_zip64) return true;
    if (rest_.size() < 8) return false;
    value = number(rest_, 0, 8);
    rest_.remove_prefix(8);
    return true;
  }

 private:
  std::string_view rest_;
};

/// What a member must turn out to hold.
struct Promise {
  std::uint64_t size;
  std::uint32_t crc;
  std::function<void()> broken;  ///< throws
};

/// The content of a member as it is read; its end is the place to compare it with what the directory
/// promises.
class MemberStream : public ByteStream {
 public:
  explicit MemberStream(Promise promise) : promise_(std::move(promise)) {}

  std::size_t read(char* out, std::size_t room) final {
    const std::uint64_t left = promise_.size - done_;
    const std::size_t count =
        left == 0 ? 0 : fetch(out, static_cast<std::size_t>(std::min<std::uint64_t>(room, left)));
    crc_ = crc_of({out, count}, crc_);
    done_ += count;
    if (count == 0) check();
    return count;
  }

 protected:
  virtual std::size_t fetch(char* out, std::size_t room) = 0;
  virtual bool ended() = 0;  ///< whether nothing follows

  /// So many bytes went by unseen.
  std::uint64_t passed(std::uint64_t count) {
    done_ += count;
    whole_ = whole_ && count == 0;
    return count;
  }

 private:
  void check() {
    if (done_ != promise_.size || !ended() || (whole_ && crc_ != promise_.crc)) promise_.broken();
  }

  Promise promise_;
  std::uint64_t done_ = 0;
  uLong crc_ = 0;
  bool whole_ = true;
};

class StoredMember final : public MemberStream {
 public:
  StoredMember(std::unique_ptr<ByteStream> bytes, Promise promise)
      : MemberStream(std::move(promise)), bytes_(std::move(bytes)) {}

  std::uint64_t skip(std::uint64_t count) override { return passed(bytes_->skip(count)); }

 private:
  std::size_t fetch(char* out, std::size_t room) override { return bytes_->read(out, room); }
  bool ended() override { return true; }

  std::unique_ptr<ByteStream> bytes_;
};

class DeflatedMember final : public MemberStream {
 public:
  DeflatedMember(std::unique_ptr<ByteStream> packed, Promise promise)
      : MemberStream(std::move(promise)), packed_(std::move(packed)), buffer_(1 << 16) {}

 private:
  std::size_t fetch(char* out, std::size_t room) override {
    while (inflater_.state() == Inflater::State::more) {
      if (offered_.empty()) offer();
      const bool starved = offered_.empty();
      const std::size_t count = inflater_.unpack(offered_, out, room);
      if (count > 0) return count;
      if (starved) break;
    }
    return 0;
  }

  bool ended() override {
    char more = 0;
    if (fetch(&more, 1) > 0 || inflater_.state() != Inflater::State::end) return false;
    if (offered_.empty()) offer();
    return offered_.empty();
  }

  void offer() { offered_ = {buffer_.data(), packed_->read(buffer_.data(), buffer_.size())}; }

  std::unique_ptr<ByteStream> packed_;
  Inflater inflater_{Inflater::Wrapper::none};
  std::vector<char> buffer_;
  std::string_view offered_;
};

}  // namespace

ZipReader::ZipReader(Content archive) : archive_(std::move(archive)) { read_directory(); }

/// Exactly these bytes of the archive, or none if it does not have them all.
std::string ZipReader::bytes(std::uint64_t at, std::uint64_t size) const {
  const std::uint64_t whole = *archive_.size();
  if (at > whole || size > whole - at) return {};
  std::string result = take(*archive_.stream(at, size), size);
  return result.size() == size ? result : std::string{};
}

std::string ZipReader::record(std::uint64_t at, std::size_t size, std::string_view signature) const {
  std::string result = bytes(at, size);
  return result.starts_with(signature) ? result : std::string{};
}

// The end record is the last thing in the file but for a comment; its signature is searched backwards.
std::uint64_t ZipReader::find_directory_end() const {
  const std::uint64_t size = *archive_.size();
  const std::uint64_t searched = std::min<std::uint64_t>(size, directory_end_size + longest_comment);
  const std::string tail = bytes(size - searched, searched);
  const std::size_t found = tail.rfind(directory_end);
  if (found == std::string::npos || tail.size() - found < directory_end_size)
    refuse("no zip directory at the end");
  return size - searched + found;
}

void ZipReader::read_directory() {
  const std::uint64_t end_at = find_directory_end();
  const std::string end = bytes(end_at, directory_end_size);
  std::uint64_t count = number(end, 10, 2);
  std::uint64_t at = number(end, 16, 4);
  const std::string locator =
      end_at < directory64_locator_size
          ? std::string{}
          : record(end_at - directory64_locator_size, directory64_locator_size, directory64_locator);
  if (!locator.empty()) {
    const std::string end64 = record(number(locator, 8, 8), directory64_end_size, directory64_end);
    if (end64.empty()) refuse("a damaged zip64 directory");
    count = number(end64, 32, 8);
    at = number(end64, 48, 8);
  }
  for (; count > 0; --count) at = read_entry(at);
}

std::uint64_t ZipReader::read_entry(std::uint64_t at) {
  const std::string fixed = record(at, directory_entry_size, directory_entry);
  if (fixed.empty()) refuse("a damaged zip directory");
  const std::size_t name_size = number(fixed, 28, 2), extra_size = number(fixed, 30, 2);
  const std::size_t size = directory_entry_size + name_size + extra_size + number(fixed, 32, 2);
  const std::string entry = bytes(at, size);
  if (entry.empty()) refuse("a damaged zip directory");

  Member member;
  member.encrypted = (number(entry, 8, 2) & 1) != 0;
  member.method = static_cast<unsigned>(number(entry, 10, 2));
  member.crc = static_cast<std::uint32_t>(number(entry, 16, 4));
  member.packed_size = number(entry, 20, 4);
  member.size = number(entry, 24, 4);
  member.header_at = number(entry, 42, 4);
  Zip64Field zip64(std::string_view(entry).substr(directory_entry_size + name_size, extra_size));
  if (!zip64.resolve(member.size) || !zip64.resolve(member.packed_size) || !zip64.resolve(member.header_at))
    refuse("a damaged zip64 field");
  members_.insert_or_assign(entry.substr(directory_entry_size, name_size), member);
  return at + size;
}

std::string_view ZipReader::read(const std::string& name) {
  const Member& member = members_.at(name);
  const Range range = packed_range(name, member);
  if (const auto all = archive_.in_memory(); all && member.method == stored) {
    const std::string_view content = all->substr(range.at, range.size);
    if (crc_of(content) != member.crc) refuse_mismatch(name);
    return content;
  }
  const auto content = stream(name);
  std::string bytes(member.size, '\0');
  bytes.resize(read_fully(*content, bytes.data(), bytes.size()));
  char more = 0;
  content->read(&more, 1);  // meets the end, where content and directory are compared
  return unpacked_.emplace_back(std::move(bytes));
}

std::unique_ptr<ByteStream> ZipReader::stream(const std::string& name) const {
  const Member& member = members_.at(name);
  const Range range = packed_range(name, member);
  Promise promise{member.size, member.crc, [this, name] { refuse_mismatch(name); }};
  auto packed = archive_.stream(range.at, range.size);
  if (member.method == stored) return std::make_unique<StoredMember>(std::move(packed), std::move(promise));
  return std::make_unique<DeflatedMember>(std::move(packed), std::move(promise));
}

/// Where the packed bytes of a member are, of whose size nothing impossible is claimed: memory may be taken
/// for it.
ZipReader::Range ZipReader::packed_range(const std::string& name, const Member& member) const {
  if (member.encrypted) refuse(fmt::format("member {} is encrypted", shown(name)));
  if (member.method != stored && member.method != deflated)
    refuse(fmt::format("member {} is packed with method {}", shown(name), member.method));
  const std::string header = record(member.header_at, local_header_size, local_header);
  if (header.empty()) refuse("a damaged zip member");
  const std::uint64_t at =
      member.header_at + local_header_size + number(header, 26, 2) + number(header, 28, 2);
  if (at > *archive_.size() || member.packed_size > *archive_.size() - at) refuse("a zip member cut short");
  const bool possible = member.method == stored ? member.size == member.packed_size
                                                : member.size / densest_packing <= member.packed_size;
  if (!possible) refuse_mismatch(name);
  return {at, member.packed_size};
}

void ZipReader::refuse_mismatch(const std::string& name) const {
  refuse(fmt::format("member {} does not match its size and CRC", shown(name)));
}

void ZipReader::refuse(std::string_view found) const {
  throw InputError(archive_.place(), found, "an archive of stored or deflated members is needed",
                   "Write the file again with numpy.savez or numpy.savez_compressed.");
}

namespace {

void append(std::string& out, std::uint64_t value, std::size_t size) {
  for (; size > 0; --size, value >>= 8) out += static_cast<char>(value & 0xff);
}

/// What a local header and a directory entry share, from the version needed to the size of the extra field.
std::string shared_fields(std::uint64_t crc, std::uint64_t size, std::size_t name_size) {
  constexpr unsigned version = 20, flags = 0, midnight = 0, first_of_1980 = 1 << 5 | 1;
  std::string fields;
  for (const unsigned field : {version, flags, stored, midnight, first_of_1980}) append(fields, field, 2);
  append(fields, crc, 4);
  append(fields, size, 4);  // packed
  append(fields, size, 4);  // unpacked
  append(fields, name_size, 2);
  append(fields, 0, 2);
  return fields;
}

}  // namespace

void ZipWriter::add(std::string_view name, std::initializer_list<std::string_view> pieces) {
  std::uint64_t size = 0;
  uLong crc = 0;
  for (const std::string_view piece : pieces) {
    size += piece.size();
    crc = crc_of(piece, crc);
  }
  const std::string fields = shared_fields(crc, size, name.size());
  const std::uint64_t at = written_;
  written_ += local_header_size + name.size() + size;
  if (written_ >= in_zip64)
    throw InputError(name, fmt::format("{} bytes", written_), "an NPZ file written here stays below 4 GiB",
                     "Write NPY instead.");
  out_.write(local_header);
  out_.write(fields);
  out_.write(name);
  for (const std::string_view piece : pieces) out_.write(piece);

  directory_ += directory_entry;
  append(directory_, 20, 2);  // version made by
  directory_ += fields;
  append(directory_, 0, 2);  // comment size
  append(directory_, 0, 2);  // disk
  append(directory_, 0, 2);  // internal attributes
  append(directory_, 0, 4);  // external attributes
  append(directory_, at, 4);
  directory_ += name;
  ++members_;
}

void ZipWriter::finish() {
  std::string end(directory_end);
  append(end, 0, 2);  // this disk
  append(end, 0, 2);  // disk of the directory
  append(end, members_, 2);
  append(end, members_, 2);
  append(end, directory_.size(), 4);
  append(end, written_, 4);
  append(end, 0, 2);  // comment size
  out_.write(directory_);
  out_.write(end);
}

}  // namespace ideal::data
