// SPDX-License-Identifier: Apache-2.0
#include "data/atomic_file.hpp"

#include <ideal/checkpoint.hpp>
#include <ideal/error.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <system_error>

#include <fmt/format.h>
#include <zlib.h>

static_assert(std::endian::native == std::endian::little, "checkpoints are little-endian");

namespace ideal {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view magic = "ideal checkpoint 3\n";
constexpr std::string_view prefix = "checkpoint-";
constexpr std::size_t kept_files = 2;

std::uint32_t checksum(std::string_view bytes) {
  return static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()),
                                            bytes.size()));  // NOLINT: zlib's idea of bytes
}

enum class Kind : std::uint8_t { block, index, number };

class Writer {
 public:
  template <class Value>
  requires std::is_trivially_copyable_v<Value>
  void put(const Value& value) {
    out_.append(reinterpret_cast<const char*>(&value), sizeof value);  // NOLINT: its bytes
  }
  void put(std::string_view text) {
    put(static_cast<std::uint64_t>(text.size()));
    out_ += text;
  }
  void put(const Block& X) {
    put(X.rows());
    put(X.cols());
    out_.append(reinterpret_cast<const char*>(X.data()), X.size() * sizeof(double));  // NOLINT: its bytes
  }
  [[nodiscard]] std::string finish() && {
    put(checksum(out_));
    return std::move(out_);
  }

 private:
  std::string out_{magic};
};

class Reader {
 public:
  Reader(std::string_view bytes, std::string_view place) : rest_(bytes), place_(place) {
    constexpr std::size_t tail = sizeof(std::uint32_t);
    if (!bytes.starts_with(magic)) refuse("no checkpoint of this version");
    if (bytes.size() < magic.size() + tail) refuse("cut short");
    std::uint32_t told = 0;
    std::memcpy(&told, bytes.data() + bytes.size() - tail, tail);
    rest_.remove_suffix(tail);
    if (checksum(rest_) != told) refuse("a wrong checksum");
    rest_.remove_prefix(magic.size());
  }

  template <class Value>
  Value take() {
    Value value;
    std::memcpy(&value, bytes(sizeof value).data(), sizeof value);
    return value;
  }
  std::string text() { return std::string(bytes(take<std::uint64_t>())); }
  Block block() {
    const auto rows = take<Index>(), cols = take<Index>();
    const auto limit = static_cast<Index>(rest_.size() / sizeof(double));
    if (rows < 0 || cols < 0 || (cols > 0 && rows > limit / cols)) refuse("cut short");
    Block X(rows, cols);
    const std::size_t size = X.size() * sizeof(double);
    if (size > 0) std::memcpy(X.data(), bytes(size).data(), size);
    return X;
  }
  /// A number of things that take at least a byte each.
  std::size_t count() {
    const auto many = take<std::uint64_t>();
    if (many > rest_.size()) refuse("cut short");
    return many;
  }
  void end() const {
    if (!rest_.empty()) refuse("too long");
  }
  [[noreturn]] void refuse(std::string_view found) const {
    throw InputError(place_, found, "as it was written", "Use an older checkpoint.");
  }

 private:
  std::string_view bytes(std::uint64_t size) {
    if (size > rest_.size()) refuse("cut short");
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }

  std::string_view rest_;
  std::string place_;
};

void put(Writer& out, const Meter& meter) {
  out.put(meter.computations);
  out.put(meter.communications);
  out.put(meter.bytes);
}

Meter take_meter(Reader& in) {
  Meter meter;
  meter.computations = in.take<double>();
  meter.communications = in.take<Index>();
  meter.bytes = in.take<Index>();
  return meter;
}

void put(Writer& out, const std::variant<Block, Index, double>& slot) {
  out.put(static_cast<Kind>(slot.index()));
  std::visit([&](const auto& value) { out.put(value); }, slot);
}

std::variant<Block, Index, double> take_slot(Reader& in) {
  switch (in.take<Kind>()) {
    case Kind::block:
      return in.block();
    case Kind::index:
      return in.take<Index>();
    case Kind::number:
      return in.take<double>();
  }
  in.refuse("an unknown kind of state");
}

constexpr Index everywhere = -1;  // f evaluated at every agent

void put(Writer& out, const TraceRow& row) {
  out.put(row.iteration);
  put(out, row.meter);
  for (const double value :
       {row.seconds, row.suboptimality, row.worst_suboptimality, row.consensus, row.distance})
    out.put(value);
  out.put(row.evaluated.value_or(everywhere));
  out.put(row.certified.value_or(std::numeric_limits<double>::quiet_NaN()));
}

TraceRow take_row(Reader& in) {
  TraceRow row{.iteration = in.take<Index>(), .meter = take_meter(in)};
  for (double* value :
       {&row.seconds, &row.suboptimality, &row.worst_suboptimality, &row.consensus, &row.distance})
    *value = in.take<double>();
  if (const auto evaluated = in.take<Index>(); evaluated != everywhere) row.evaluated = evaluated;
  if (const auto certified = in.take<double>(); !std::isnan(certified)) row.certified = certified;
  return row;
}

/// The checkpoints of a folder, newest first: their names hold the number of passes at a fixed width.
std::vector<fs::path> checkpoints_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (is_checkpoint(entry.path())) files.push_back(entry.path());
  std::ranges::sort(files, std::ranges::greater());
  return files;
}

}  // namespace

std::string to_bytes(const SavedRun& run) {
  Writer out;
  out.put(run.key);
  out.put(run.checkpoint.passes);
  put(out, run.checkpoint.meter);
  out.put(static_cast<std::uint64_t>(run.checkpoint.state.size()));
  for (const auto& slot : run.checkpoint.state) put(out, slot);
  out.put(static_cast<std::uint64_t>(run.trace.size()));
  for (const TraceRow& row : run.trace) put(out, row);
  return std::move(out).finish();
}

SavedRun parse_checkpoint(std::string_view bytes, std::string_view place) {
  Reader in(bytes, place);
  SavedRun run;
  run.key = in.text();
  run.checkpoint.passes = in.take<Index>();
  run.checkpoint.meter = take_meter(in);
  for (std::size_t left = in.count(); left > 0; --left) run.checkpoint.state.push_back(take_slot(in));
  for (std::size_t left = in.count(); left > 0; --left) run.trace.push_back(take_row(in));
  in.end();
  return run;
}

fs::path write_checkpoint(const SavedRun& run, const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  fs::path file = folder / fmt::format("{}{:012}", prefix, run.checkpoint.passes);
  data::AtomicFile out(file);
  out.write(to_bytes(run));
  out.commit();
  const auto files = checkpoints_in(folder);
  for (std::size_t old = kept_files; old < files.size(); ++old) fs::remove(files[old], error);
  return file;
}

std::optional<SavedRun> newest_checkpoint(const fs::path& folder) {
  for (const fs::path& file : checkpoints_in(folder)) {
    std::ifstream in(file, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    try {
      return parse_checkpoint(bytes, file.string());
    } catch (const InputError&) {
      continue;  // the one before it is older, but whole
    }
  }
  return {};
}

bool is_checkpoint(const fs::path& file) {
  const std::string name = file.filename().string();
  return name.starts_with(prefix) && name.size() == prefix.size() + 12 &&
         std::ranges::all_of(name.substr(prefix.size()), [](char c) { return c >= '0' && c <= '9'; });
}

Index passes_of(const fs::path& checkpoint) {
  return std::stoll(checkpoint.filename().string().substr(prefix.size()));
}

}  // namespace ideal
