// SPDX-License-Identifier: Apache-2.0
// From a file to a data set: the right reader, and the labels from wherever they are.
#include "data/readers.hpp"

#include <ideal/error.hpp>

#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace ideal {
namespace data {
namespace {

namespace fs = std::filesystem;

// MNIST and its kin come as train-images-idx3-ubyte with train-labels-idx1-ubyte, or with dots instead of
// dashes.
fs::path sibling_labels(const fs::path& images) {
  std::string name = images.filename().string();
  for (const char mark : {'-', '.'}) {
    const std::string from = fmt::format("images{}idx3", mark);
    const std::size_t at = name.rfind(from);
    if (at == std::string::npos) continue;
    name.replace(at, from.size(), fmt::format("labels{}idx1", mark));
    const bool packed = name.ends_with(".gz");
    const std::string other = packed ? name.substr(0, name.size() - 3) : name + ".gz";
    for (const std::string& candidate : {name, other}) {
      std::error_code ignored;
      if (fs::path path = images.parent_path() / candidate; fs::exists(path, ignored)) return path;
    }
  }
  throw InputError(images.string(), "images without labels",
                   "labels are beside *images-idx3* as *labels-idx1*, or named",
                   "Name the file with the labels.");
}

}  // namespace

fs::path labels_file(const fs::path& file, const ReadOptions& options) {
  return options.labels.empty() ? sibling_labels(file) : options.labels;
}

Vector read_labels(const fs::path& file) {
  const std::string place = file.string();
  const Source source = load(file);
  switch (recognise_bytes(source.bytes, place)) {
    case Format::idx:
      return to_vector(parse_idx(source.bytes, place), place);
    case Format::npy:
      return to_vector(parse_npy(source.bytes, place), place);
    default:
      break;
  }
  throw InputError(place, "labels in another format", "labels come as IDX or NPY",
                   "Write numpy.save(file, y).");
}

void check_label_count(Index labels, Index rows, std::string_view labels_place, std::string_view rows_place) {
  if (labels != rows)
    throw InputError(labels_place, fmt::format("{} labels for the {} rows of {}", labels, rows, rows_place),
                     "every row has one label", "Name the labels that belong to this file.");
}

void require_images(const ArrayHead& head, std::string_view place) {
  if (head.shape.size() < 2)
    throw InputError(place, fmt::format("an IDX file of {} dimension", head.shape.size()),
                     "data have two or more dimensions; one-dimensional files hold labels",
                     "Name the images as the data, this file as the labels.");
}

void refuse_missing_labels(std::string_view place) {
  throw InputError(place, "no array of labels", "labels are the array y, labels or target",
                   "Write numpy.savez(file, X=X, y=y), or name a file with the labels.");
}

namespace {

void add_labels(Dataset& data, Vector labels, const std::string& labels_place, const std::string& place) {
  const auto rows =
      std::visit([](const auto& matrix) { return static_cast<Index>(matrix.rows()); }, data.features);
  check_label_count(labels.size(), rows, labels_place, place);
  data.labels = std::move(labels);
}

void add_labels(Dataset& data, const fs::path& labels, const std::string& place) {
  add_labels(data, read_labels(labels), labels.string(), place);
}

// Where an outline has the labels, they are not read again.

Workers workers_of(const ReadOptions& options) { return {.threads = options.threads}; }

Dataset read_images(const Content& content, const fs::path& file, const ReadOptions& options,
                    const Selection& selection) {
  Elements images = open_idx(content.stream(), content.size(), content.place());
  require_images(images.head(), content.place());
  const fs::path labels = selection.all() ? labels_file(file, options) : fs::path{};
  Dataset result = take_rows(images, content, selection, false, workers_of(options));
  if (selection.all()) add_labels(result, labels, content.place());
  return result;
}

Dataset read_array(const Content& content, const ReadOptions& options, const Selection& selection) {
  Elements array = open_npy(content.stream(), content.size(), content.place());
  const bool labelled = options.labels.empty();
  Dataset result = take_rows(array, content, selection, labelled, workers_of(options));
  if (labelled) return result;
  if (selection.all()) add_labels(result, options.labels, content.place());
  return result;
}

Dataset read_archive(const Content& content, const ReadOptions& options, const Selection& selection) {
  NpzContent archive = read_npz(content, selection);
  Dataset result{"", std::move(archive.features), Vector()};
  if (!selection.all()) return result;
  if (!options.labels.empty()) {
    add_labels(result, options.labels, content.place());
    return result;
  }
  if (!archive.labels) refuse_missing_labels(content.place());
  add_labels(result, std::move(*archive.labels), content.place(), content.place());
  return result;
}

Dataset read_format(const Content& content, const fs::path& file, const ReadOptions& options,
                    const Selection& selection) {
  switch (recognise(content)) {
    case Format::libsvm:
      return read_libsvm(content, selection, workers_of(options));
    case Format::csv:
      return read_csv(content, options.label, selection, workers_of(options));
    case Format::npy:
      return read_array(content, options, selection);
    case Format::npz:
      return read_archive(content, options, selection);
    case Format::idx:
      break;
  }
  return read_images(content, file, options, selection);
}

}  // namespace
}  // namespace data

Dataset read_dataset(const std::filesystem::path& file, const ReadOptions& options) {
  Dataset result = data::read_format(data::Content(file), file, options, {});
  result.name = file.filename().string();
  return result;
}

Dataset read_rows(const std::filesystem::path& file, const ReadOptions& options, const Outline& outline,
                  std::span<const Index> rows) {
  const data::Selection selection(outline, rows);
  // The directory of an archive is at its end: one that is gzipped besides must be unpacked first.
  const auto gzip = outline.format == Format::npz ? data::Gzip::in_memory : data::Gzip::streamed;
  const data::Content content(file, gzip);
  Dataset result = data::read_format(content, file, options, selection);
  if (result.columns() != outline.columns || result.sparse() != outline.sparse)
    data::refuse_changed_file(content.place());
  result.name = file.filename().string();
  result.labels.resize(static_cast<Index>(rows.size()));
  for (std::size_t k = 0; k < rows.size(); ++k)
    result.labels[static_cast<Index>(k)] = outline.labels[rows[k]];
  return result;
}

}  // namespace ideal
