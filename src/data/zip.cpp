// SPDX-License-Identifier: Apache-2.0
// The parts of PKWARE's APPNOTE.TXT that NumPy archives use; section numbers refer to it.
#include "data/zip.hpp"

#include "data/text.hpp"

#include <ideal/error.hpp>

#include <algorithm>
#include <utility>

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

bool has(std::string_view bytes, std::uint64_t at, std::uint64_t size) {
  return at <= bytes.size() && size <= bytes.size() - at;
}

bool has_record(std::string_view bytes, std::uint64_t at, std::size_t size, std::string_view signature) {
  return has(bytes, at, size) && bytes.substr(at).starts_with(signature);
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

/// Inflates raw deflate data into exactly `out`; false if they are damaged or hold more or less.
bool inflate_exactly(std::string_view packed, std::string& out) {
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) throw RunError("zlib could not start: out of memory");
  constexpr std::size_t most = 1u << 30;
  std::size_t done = 0;
  int status = Z_OK;
  while (status == Z_OK) {
    const auto offered = static_cast<uInt>(std::min(packed.size(), most));
    const auto room = static_cast<uInt>(std::min(out.size() - done, most));
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream.avail_in = offered;
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + done);
    stream.avail_out = room;
    status = inflate(&stream, Z_NO_FLUSH);
    packed.remove_prefix(offered - stream.avail_in);
    done += room - stream.avail_out;
  }
  inflateEnd(&stream);
  return status == Z_STREAM_END && done == out.size() && packed.empty();
}

}  // namespace

ZipReader::ZipReader(std::string_view bytes, std::string_view place) : bytes_(bytes), place_(place) {
  read_directory();
}

// The end record is the last thing in the file but for a comment; its signature is searched backwards.
std::size_t ZipReader::find_directory_end() const {
  constexpr std::size_t tail = directory_end_size + longest_comment;
  const std::size_t searched_from = bytes_.size() > tail ? bytes_.size() - tail : 0;
  const std::size_t found = bytes_.substr(searched_from).rfind(directory_end);
  if (found == std::string_view::npos || !has(bytes_, searched_from + found, directory_end_size))
    refuse("no zip directory at the end");
  return searched_from + found;
}

void ZipReader::read_directory() {
  const std::size_t end = find_directory_end();
  std::uint64_t count = number(bytes_, end + 10, 2);
  std::uint64_t at = number(bytes_, end + 16, 4);
  if (end >= directory64_locator_size &&
      has_record(bytes_, end - directory64_locator_size, directory64_locator_size, directory64_locator)) {
    const std::uint64_t end64 = number(bytes_, end - directory64_locator_size + 8, 8);
    if (!has_record(bytes_, end64, directory64_end_size, directory64_end))
      refuse("a damaged zip64 directory");
    count = number(bytes_, end64 + 32, 8);
    at = number(bytes_, end64 + 48, 8);
  }
  for (; count > 0; --count) at = read_entry(at);
}

std::size_t ZipReader::read_entry(std::size_t at) {
  if (!has_record(bytes_, at, directory_entry_size, directory_entry)) refuse("a damaged zip directory");
  const std::string_view entry = bytes_.substr(at);
  const std::size_t name_size = number(entry, 28, 2), extra_size = number(entry, 30, 2);
  const std::size_t size = directory_entry_size + name_size + extra_size + number(entry, 32, 2);
  if (!has(entry, 0, size)) refuse("a damaged zip directory");

  Member member;
  member.encrypted = (number(entry, 8, 2) & 1) != 0;
  member.method = static_cast<unsigned>(number(entry, 10, 2));
  member.crc = static_cast<std::uint32_t>(number(entry, 16, 4));
  member.packed_size = number(entry, 20, 4);
  member.size = number(entry, 24, 4);
  member.header_at = number(entry, 42, 4);
  Zip64Field zip64(entry.substr(directory_entry_size + name_size, extra_size));
  if (!zip64.resolve(member.size) || !zip64.resolve(member.packed_size) || !zip64.resolve(member.header_at))
    refuse("a damaged zip64 field");
  members_.insert_or_assign(std::string(entry.substr(directory_entry_size, name_size)), member);
  return at + size;
}

std::string_view ZipReader::read(const std::string& name) {
  const Member& member = members_.at(name);
  if (member.encrypted) refuse(fmt::format("member {} is encrypted", shown(name)));
  if (member.method != stored && member.method != deflated)
    refuse(fmt::format("member {} is packed with method {}", shown(name), member.method));
  const std::string_view content = unpack(member, packed_bytes(member));
  if (content.size() != member.size || crc_of(content) != member.crc)
    refuse(fmt::format("member {} does not match its size and CRC", shown(name)));
  return content;
}

std::string_view ZipReader::packed_bytes(const Member& member) const {
  if (!has_record(bytes_, member.header_at, local_header_size, local_header)) refuse("a damaged zip member");
  const std::size_t skipped =
      number(bytes_, member.header_at + 26, 2) + number(bytes_, member.header_at + 28, 2);
  const std::size_t at = member.header_at + local_header_size + skipped;
  if (!has(bytes_, at, member.packed_size)) refuse("a zip member cut short");
  return bytes_.substr(at, member.packed_size);
}

std::string_view ZipReader::unpack(const Member& member, std::string_view packed) {
  if (member.method == stored) return packed;
  if (member.size / densest_packing > packed.size())
    return {};  // an impossible claim: do not allocate for it
  std::string content(member.size, '\0');
  if (!inflate_exactly(packed, content)) return {};
  return unpacked_.emplace_back(std::move(content));
}

void ZipReader::refuse(std::string_view found) const {
  throw InputError(place_, found, "an archive of stored or deflated members is needed",
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
