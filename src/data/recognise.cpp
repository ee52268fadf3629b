// SPDX-License-Identifier: Apache-2.0
#include "data/readers.hpp"
#include "data/source.hpp"
#include "data/text.hpp"

#include <ideal/error.hpp>

#include <algorithm>

#include <fmt/format.h>

namespace ideal {
namespace data {
namespace {

bool looks_like_idx(std::string_view bytes) {
  constexpr std::string_view types = "\x08\x09\x0B\x0C\x0D\x0E";
  return bytes.size() >= 4 && bytes[0] == 0 && bytes[1] == 0 &&
         types.find(bytes[2]) != std::string_view::npos;
}

bool is_text(std::string_view line) {
  return std::ranges::none_of(line, [](char c) { return static_cast<unsigned char>(c) < 0x20 && c != '\t'; });
}

std::string first_row(const Content& text) {
  for (Lines lines(text.stream()); lines.next();)
    if (const std::string_view row = trimmed(lines.line()); !row.empty() && !row.starts_with('#'))
      return std::string(row);
  return {};
}

// A tab may separate the tokens of LIBSVM as well as the cells of CSV, so it takes the colon of the first
// feature to tell. Words apart by spaces only can be no CSV: the LIBSVM reader knows best what is wrong with
// them.
bool looks_like_libsvm(std::string_view row) {
  const auto end_of_token = [](std::string_view text) {
    return std::min(text.find_first_of(" \t"), text.size());
  };
  const std::string_view label = row.substr(0, end_of_token(row));
  const std::string_view rest = trimmed(row.substr(label.size()));
  const std::string_view second = rest.substr(0, end_of_token(rest));
  const bool separated = row.find_first_of(",;\t") != std::string_view::npos;
  if (parse_number(label))
    return rest.empty() || rest.starts_with('#') || second.find(':') != second.npos || !separated;
  return !separated && second.find(':') != second.npos;
}

}  // namespace

Format recognise(const Content& content) {
  const std::string start = take(*content.stream(), 16);
  const std::string_view bytes = start;
  if (bytes.starts_with("\x93NUMPY")) return Format::npy;
  if (bytes.starts_with("PK\x03\x04") || bytes.starts_with("PK\x05\x06")) return Format::npz;
  if (looks_like_idx(bytes)) return Format::idx;
  const std::string row = first_row(content);
  if (!row.empty() && is_text(row)) {
    if (looks_like_libsvm(row)) return Format::libsvm;
    if (row.find_first_of(",;\t") != std::string_view::npos) return Format::csv;
  }
  throw InputError(content.place(), fmt::format("an unknown format that starts with {}", shown(bytes)),
                   "accepted are LIBSVM, CSV, NPY, NPZ and IDX, each plain or gzipped",
                   "Convert the file to one of them.");
}

Format recognise_bytes(std::string_view bytes, std::string_view place) {
  return recognise(Content(bytes, place));
}

}  // namespace data

Recognised recognise(const std::filesystem::path& file) {
  const data::Content content(file, data::Gzip::streamed);
  return {data::recognise(content), content.gzipped()};
}

std::string_view to_string(Format format) {
  switch (format) {
    case Format::libsvm:
      return "LIBSVM";
    case Format::csv:
      return "CSV";
    case Format::npy:
      return "NPY";
    case Format::npz:
      return "NPZ";
    case Format::idx:
      return "IDX";
  }
  return "unknown";
}

}  // namespace ideal
