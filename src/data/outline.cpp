// SPDX-License-Identifier: Apache-2.0
#include "data/readers.hpp"

#include <ideal/error.hpp>
#include <ideal/outline.hpp>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace ideal {
namespace data {
namespace {

struct Part {
  Index part, parts;
};

/// `look(stretch)` looks through a stretch of text. How many lines are before it is counted only when a
/// message needs it.
template <class Look>
void outline_text(const Content& text, const Part& part, Look&& look) {
  Stretch stretch = stretch_of(text, part.part, part.parts);
  try {
    look(stretch);
  } catch (const InputError&) {
    if (stretch.begin == 0) throw;
    stretch.lines_before = lines_before(text, stretch.begin);
    look(stretch);
  }
}

void use_labels(Outline& out, Vector labels, Index rows, const std::string& labels_place) {
  check_label_count(labels.size(), rows, labels_place, out.place);
  out.labels = std::move(labels);
}

/// The elements behind a header have been promised by it alone if the size of the file is not known.
void check_to_the_end(Elements& elements, const Content& content) {
  if (!content.size()) elements.finish();
}

void outline_last_column(const Content& content, const Part& part, Outline& out) {
  Elements array = open_npy(content.stream(), content.size(), content.place());
  const Extents extents = extents_of(array.head(), 2, content.place());
  out.columns = extents.columns - 1;
  const auto cut = [&](Index k) {
    if (!content.size() && k > 0) return extents.rows;  // unpacked from the front only: one has to do it all
    return extents.rows / part.parts * k + std::min(k, extents.rows % part.parts);
  };
  out.labels = last_column(array, cut(part.part), cut(part.part + 1));
  if (part.part == 0) check_to_the_end(array, content);
}

void outline_array(Elements& array, const Content& content, const std::filesystem::path& labels,
                   Outline& out) {
  const Extents extents = extents_of(array.head(), 1, content.place());
  check_to_the_end(array, content);
  out.columns = extents.columns;
  use_labels(out, read_labels(labels), extents.rows, labels.string());
}

void outline_images(const Content& content, const std::filesystem::path& file, const ReadOptions& options,
                    Outline& out) {
  Elements images = open_idx(content.stream(), content.size(), content.place());
  require_images(images.head(), content.place());
  outline_array(images, content, labels_file(file, options), out);
}

void outline_archive(const std::filesystem::path& file, const ReadOptions& options, Outline& out) {
  const Content content(file, Gzip::in_memory);
  NpzOutline archive = outline_npz(content);
  out.columns = archive.extents.columns;
  out.sparse = archive.sparse;
  if (!options.labels.empty())
    return use_labels(out, read_labels(options.labels), archive.extents.rows, options.labels.string());
  if (!archive.labels) refuse_missing_labels(content.place());
  use_labels(out, std::move(*archive.labels), archive.extents.rows, content.place());
}

void outline_format(const Content& content, const std::filesystem::path& file, const ReadOptions& options,
                    const Part& part, Outline& out) {
  switch (out.format) {
    case Format::libsvm:
      return outline_text(content, part,
                          [&](const Stretch& stretch) { outline_libsvm(content, stretch, out); });
    case Format::csv:
      return outline_text(content, part,
                          [&](const Stretch& stretch) { outline_csv(content, options.label, stretch, out); });
    case Format::npy:
      if (options.labels.empty()) return outline_last_column(content, part, out);
      break;
    default:
      break;
  }
  if (part.part > 0) return;
  if (out.format == Format::npz) return outline_archive(file, options, out);
  if (out.format == Format::idx) return outline_images(content, file, options, out);
  Elements array = open_npy(content.stream(), content.size(), content.place());
  outline_array(array, content, options.labels, out);
}

void check_part(const Part& part) {
  if (part.part < 0 || part.part >= part.parts)
    throw InputError("outline", fmt::format("part {} of {}", part.part, part.parts),
                     "parts count from 0 and are fewer than there are", "Ask for a part that exists.");
}

void check_repeatable(const Content& content) {
  if (!content.repeatable())
    throw InputError(content.place(), "a pipe", "a file that is read by rows can be read more than once",
                     "Write the data to a file.");
}

void append(Outline& whole, const Outline& part, Index rows_before) {
  whole.columns = std::max(whole.columns, part.columns);
  whole.sparse = whole.sparse || part.sparse;
  whole.labels.segment(rows_before, part.labels.size()) = part.labels;
  for (const Landmark& mark : part.landmarks)
    whole.landmarks.push_back({mark.row + rows_before, mark.line + whole.lines, mark.offset});
  whole.lines += part.lines;
}

}  // namespace
}  // namespace data

Outline outline(const std::filesystem::path& file, const ReadOptions& options, Index part, Index parts) {
  data::check_part({part, parts});
  const data::Content content(file, data::Gzip::streamed);
  data::check_repeatable(content);
  Outline result;
  result.place = content.place();
  result.format = data::recognise(content);
  data::outline_format(content, file, options, {part, parts}, result);
  return parts == 1 ? join({&result, 1}) : result;
}

Outline join(std::span<const Outline> parts) {
  Outline whole;
  Index rows = 0;
  for (const Outline& part : parts) rows += part.labels.size();
  if (!parts.empty()) {
    whole.place = parts.front().place;
    whole.format = parts.front().format;
  }
  whole.labels.resize(rows);
  rows = 0;
  for (const Outline& part : parts) {
    data::append(whole, part, rows);
    rows += part.labels.size();
  }
  if (whole.format == Format::libsvm) {
    data::require_libsvm_rows(rows, whole.place);
    data::require_libsvm_columns(whole.columns, whole.place);
  } else {
    data::require_csv_rows(rows, whole.place);
  }
  return whole;
}

}  // namespace ideal
