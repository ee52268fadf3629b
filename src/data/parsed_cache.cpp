// SPDX-License-Identifier: Apache-2.0
// What text files hold, in binary. An entry is a head, which tells the sizes of all that follows, the labels
// and the features as they lie in memory, and the checksums of its pieces, by which threads share the work.
#include "core/huge_pages.hpp"
#include "data/atomic_file.hpp"
#include "data/npy_header.hpp"
#include "data/pieces.hpp"
#include "data/source.hpp"

#include <ideal/data.hpp>
#include <ideal/error.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <sys/stat.h>
#include <xxhash.h>

namespace ideal {
namespace data {
namespace {

namespace fs = std::filesystem;
using StorageIndex = SparseRows::StorageIndex;

/// Part of every key. What is parsed otherwise than before, or stored otherwise, gets a new number.
constexpr int cache_version = 1;

constexpr std::uint64_t hashed_piece = 4 << 20;

Index pieces_in(std::uint64_t bytes) { return static_cast<Index>((bytes + hashed_piece - 1) / hashed_piece); }

// ---- the key -------------------------------------------------------------------------------------------

std::string digits_of(const XXH128_hash_t& hash) {
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

XXH128_hash_t hash_of_range(const File& file, std::uint64_t from, std::uint64_t size) {
  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(), XXH3_freeState);
  if (!state) throw std::bad_alloc();
  XXH3_128bits_reset(state.get());
  std::vector<char> window(1 << 17);
  for (std::uint64_t done = 0; done < size;) {
    const auto room = static_cast<std::size_t>(std::min<std::uint64_t>(window.size(), size - done));
    const std::size_t got = file.read_at(from + done, window.data(), room);
    if (got == 0) break;
    XXH3_128bits_update(state.get(), window.data(), got);
    done += got;
  }
  return XXH3_128bits_digest(state.get());
}

/// Of the bytes as they are: a gzip file need not be unpacked to be known again.
std::string key_of(const File& file, const ReadOptions& options) {
  std::vector<XXH128_hash_t> hashes(static_cast<std::size_t>(pieces_in(file.size())));
  each_piece(std::ssize(hashes), {.threads = options.threads}, [&](Index piece) {
    const std::uint64_t from = static_cast<std::uint64_t>(piece) * hashed_piece;
    hashes[static_cast<std::size_t>(piece)] =
        hash_of_range(file, from, std::min(hashed_piece, file.size() - from));
  });
  std::string told = fmt::format("{} {} {}", cache_version, file.size(), options.label);
  told += bytes_of(hashes.data(), hashes.size());
  return digits_of(XXH3_128bits(told.data(), told.size()));
}

// ---- entries -------------------------------------------------------------------------------------------

struct EntryHead {
  std::array<char, 16> magic = {'i', 'd', 'e', 'a', 'l', ' ', 'p', 'a', 'r', 's', 'e', 'd', '\n'};
  std::int64_t rows = 0, columns = 0, nonzeros = 0;
  std::int64_t sparse = 0;
  std::uint64_t checksum = 0;  ///< of the above
};
static_assert(std::has_unique_object_representations_v<EntryHead>);

std::uint64_t checksum_of(std::span<const char> bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

std::uint64_t checksum_of(const EntryHead& head) {
  return checksum_of(std::span(reinterpret_cast<const char*>(&head), offsetof(EntryHead, checksum)));
}

/// The arrays of a data set where they lie in memory, in the order in which they are stored.
std::vector<std::span<char>> arrays_of(Dataset& data) {
  const auto bytes = [](auto* values, Index count) {
    return std::span(reinterpret_cast<char*>(values), static_cast<std::size_t>(count) * sizeof *values);
  };
  if (auto* dense = std::get_if<DenseRows>(&data.features))
    return {bytes(data.labels.data(), data.rows()), bytes(dense->data(), dense->size())};
  auto& sparse = std::get<SparseRows>(data.features);
  return {bytes(data.labels.data(), data.rows()), bytes(sparse.outerIndexPtr(), sparse.rows() + 1),
          bytes(sparse.innerIndexPtr(), sparse.nonZeros()), bytes(sparse.valuePtr(), sparse.nonZeros())};
}

/// The arrays in pieces that are read and checked each on its own.
struct StoredPiece {
  std::span<char> bytes;
  std::uint64_t offset;  ///< in the entry
};

std::vector<StoredPiece> stored_pieces(Dataset& data) {
  std::vector<StoredPiece> pieces;
  std::uint64_t offset = sizeof(EntryHead);
  for (const std::span<char> array : arrays_of(data))
    for (std::size_t at = 0; at < array.size(); at += hashed_piece) {
      pieces.push_back({array.subspan(at, std::min<std::size_t>(hashed_piece, array.size() - at)), offset});
      offset += pieces.back().bytes.size();
    }
  return pieces;
}

std::uint64_t end_of(const std::vector<StoredPiece>& pieces) {
  return pieces.back().offset + pieces.back().bytes.size();
}

EntryHead entry_head(const Dataset& data) {
  EntryHead head;
  head.rows = data.rows();
  head.columns = data.columns();
  head.nonzeros = data.sparse() ? data.nonzeros() : 0;
  head.sparse = data.sparse() ? 1 : 0;
  head.checksum = checksum_of(head);
  return head;
}

/// Throws InputError: whoever looks for an entry makes it anew.
void require_sound(bool sound, const File& entry) {
  if (!sound)
    throw InputError(entry.place(), "a damaged entry", "an entry is as it was written",
                     "Remove it: it is made anew.");
}

/// No memory is taken for what a damaged head tells.
EntryHead read_entry_head(const File& entry) {
  const EntryHead sound;
  EntryHead head;
  entry.read_exactly(0, reinterpret_cast<char*>(&head), sizeof head);
  require_sound(head.magic == sound.magic && head.checksum == checksum_of(head), entry);
  return head;
}

void read_pieces(const File& entry, const std::vector<StoredPiece>& pieces, int threads) {
  std::vector<std::uint64_t> sums(pieces.size());
  const std::uint64_t sums_at = end_of(pieces);
  entry.read_exactly(sums_at, reinterpret_cast<char*>(sums.data()), sums.size() * sizeof sums[0]);
  each_piece(std::ssize(pieces), {.threads = threads}, [&](Index k) {
    const auto& [bytes, offset] = pieces[static_cast<std::size_t>(k)];
    entry.read_exactly(offset, bytes.data(), bytes.size());
    require_sound(checksum_of(bytes) == sums[static_cast<std::size_t>(k)], entry);
  });
}

/// Throws InputError if there is none, or if it is damaged.
Dataset read_entry(const fs::path& file, int threads, const fs::path& named_after) {
  const File entry(file);
  const EntryHead head = read_entry_head(entry);
  Dataset data;
  data.name = named_after.filename().string();
  data.labels.resize(head.rows);
  if (head.sparse != 0) {
    auto& rows = data.features.emplace<SparseRows>(head.rows, head.columns);
    rows.resizeNonZeros(head.nonzeros);
    rows.outerIndexPtr()[head.rows] = static_cast<StorageIndex>(head.nonzeros);
  } else {
    data.features.emplace<DenseRows>(head.rows, head.columns);
  }
  for (const std::span<char> array : arrays_of(data)) prefer_huge_pages(array.data(), array.size());
  read_pieces(entry, stored_pieces(data), threads);
  std::error_code none;
  fs::last_write_time(file, fs::file_time_type::clock::now(), none);  // used now: others make room first
  return data;
}

// ---- room for entries ----------------------------------------------------------------------------------

struct KeptFile {
  fs::path file;
  fs::file_time_type used;
  std::uint64_t bytes;
};

/// What else is in the folder is somebody's own.
bool is_entry(const std::string& name) {
  constexpr std::size_t digits = 32;
  return name.size() >= digits && name.find_first_not_of("0123456789abcdef") >= digits &&
         (name.size() == digits || name[digits] == '.');
}

std::vector<KeptFile> entries_in(const fs::path& folder) {
  std::vector<KeptFile> entries;
  for (const auto& file : fs::directory_iterator(folder))
    if (file.is_regular_file() && is_entry(file.path().filename().string()))
      entries.push_back({file.path(), file.last_write_time(), file.file_size()});
  std::ranges::sort(entries, {}, &KeptFile::used);
  return entries;
}

/// Whether there is room for another entry, after the oldest have been removed.
bool make_room(const ParsedCache& cache, std::uint64_t bytes) {
  if (bytes > cache.most || fs::space(cache.folder).available / 2 <= bytes) return false;
  std::vector<KeptFile> entries = entries_in(cache.folder);
  std::uint64_t total = bytes;
  for (const KeptFile& entry : entries) total += entry.bytes;
  for (const KeptFile& entry : entries) {
    if (total <= cache.most) break;
    fs::remove(entry.file);
    total -= entry.bytes;
  }
  return true;
}

void write_entry(Dataset& data, const fs::path& file, const ParsedCache& cache) {
  fs::create_directories(cache.folder.parent_path());
  ::mkdir(cache.folder.c_str(), S_IRWXU);
  const std::vector<StoredPiece> pieces = stored_pieces(data);
  if (!make_room(cache, end_of(pieces))) return;
  AtomicFile out(file);
  const EntryHead head = entry_head(data);
  out.write(bytes_of(&head, 1));
  std::vector<std::uint64_t> sums;
  for (const StoredPiece& piece : pieces) {
    out.write({piece.bytes.data(), piece.bytes.size()});
    sums.push_back(checksum_of(piece.bytes));
  }
  out.write(bytes_of(sums.data(), sums.size()));
  out.commit(AtomicFile::Flush::later);  // checksums tell what a crash has spoilt
}

void keep_entry(Dataset& data, const fs::path& file, const ParsedCache& cache) {
  try {
    write_entry(data, file, cache);
  } catch (const RunError&) {
    return;
  } catch (const fs::filesystem_error&) {
    return;
  }
}

bool is_large(const fs::path& file, const ParsedCache& cache) {
  std::error_code none;
  return fs::is_regular_file(file, none) && fs::file_size(file, none) >= cache.least_file;
}

bool is_parsed(const fs::path& file) {
  const Format format = ideal::recognise(file).format;
  return format == Format::libsvm || format == Format::csv;
}

/// What changes when somebody writes to a file: its size and the time.
using FileState = std::pair<std::uintmax_t, fs::file_time_type>;

FileState file_state(const fs::path& file) {
  std::error_code none;
  return {fs::file_size(file, none), fs::last_write_time(file, none)};
}

/// A file that was written since `before` may not be the one that the entry is named after.
Dataset parse_and_keep(const fs::path& file, const ReadOptions& options, const fs::path& entry,
                       const FileState& before, const ParsedCache& cache) {
  Dataset result = read_dataset(file, options);
  if (file_state(file) == before) keep_entry(result, entry, cache);
  return result;
}

/// None where there is none, or it is damaged.
std::optional<Dataset> find_entry(const std::filesystem::path& entry, int threads,
                                  const std::filesystem::path& file) {
  try {
    return read_entry(entry, threads, file);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

}  // namespace
}  // namespace data

Dataset read_cached(const std::filesystem::path& file, const ReadOptions& options, const ParsedCache& cache) {
  if (!data::is_large(file, cache) || !data::is_parsed(file)) return read_dataset(file, options);
  const auto before = data::file_state(file);
  const std::filesystem::path entry = cache.folder / data::key_of(data::File(file), options);
  if (auto found = data::find_entry(entry, options.threads, file)) return std::move(*found);
  return data::parse_and_keep(file, options, entry, before, cache);
}

}  // namespace ideal
