// SPDX-License-Identifier: Apache-2.0
// From a file to a data set: the right reader, and the labels from wherever they are.
#include "data/readers.hpp"
#include "data/source.hpp"

#include <ideal/error.hpp>

#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace ideal {
namespace {

namespace fs = std::filesystem;
using Features = std::variant<DenseRows, SparseRows>;

Index rows_of(const Features& features) {
  return std::visit([](const auto& matrix) { return static_cast<Index>(matrix.rows()); }, features);
}

Vector read_labels(const fs::path& file) {
  const std::string place = file.string();
  const data::Source source = data::load(file);
  switch (data::recognise_bytes(source.bytes, place)) {
    case Format::idx:
      return data::to_vector(data::parse_idx(source.bytes, place), place);
    case Format::npy:
      return data::to_vector(data::parse_npy(source.bytes, place), place);
    default:
      break;
  }
  throw InputError(place, "labels in another format", "labels come as IDX or NPY",
                   "Write numpy.save(file, y).");
}

Dataset with_labels(Features features, Vector labels, const std::string& features_place,
                    const std::string& labels_place) {
  if (rows_of(features) != labels.size())
    throw InputError(
        labels_place,
        fmt::format("{} labels for the {} rows of {}", labels.size(), rows_of(features), features_place),
        "every row has one label", "Name the labels that belong to this file.");
  return {"", std::move(features), std::move(labels)};
}

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

Dataset read_idx(std::string_view bytes, const fs::path& file, const ReadOptions& options) {
  const std::string place = file.string();
  const data::ArrayView array = data::parse_idx(bytes, place);
  if (array.shape.size() < 2)
    throw InputError(place, fmt::format("an IDX file of {} dimension", array.shape.size()),
                     "data have two or more dimensions; one-dimensional files hold labels",
                     "Name the images as the data, this file as the labels.");
  const fs::path labels = options.labels.empty() ? sibling_labels(file) : options.labels;
  return with_labels(data::to_rows(array, place), read_labels(labels), place, labels.string());
}

Dataset read_npy_dataset(std::string_view bytes, const std::string& place, const ReadOptions& options) {
  const data::ArrayView array = data::parse_npy(bytes, place);
  if (options.labels.empty()) return data::split_last_column(array, place);
  return with_labels(data::to_rows(array, place), read_labels(options.labels), place,
                     options.labels.string());
}

Dataset read_npz(std::string_view bytes, const std::string& place, const ReadOptions& options) {
  data::NpzContent content = data::parse_npz(bytes, place);
  if (!options.labels.empty())
    return with_labels(std::move(content.features), read_labels(options.labels), place,
                       options.labels.string());
  if (!content.labels)
    throw InputError(place, "no array of labels", "labels are the array y, labels or target",
                     "Write numpy.savez(file, X=X, y=y), or name a file with the labels.");
  return with_labels(std::move(content.features), std::move(*content.labels), place, place);
}

Dataset read_format(Format format, std::string_view bytes, const fs::path& file, const ReadOptions& options) {
  const std::string place = file.string();
  switch (format) {
    case Format::libsvm:
      return data::parse_libsvm(bytes, place);
    case Format::csv:
      return data::parse_csv(bytes, options.label, place);
    case Format::npy:
      return read_npy_dataset(bytes, place, options);
    case Format::npz:
      return read_npz(bytes, place, options);
    case Format::idx:
      break;
  }
  return read_idx(bytes, file, options);
}

}  // namespace

Dataset read_dataset(const fs::path& file, const ReadOptions& options) {
  const data::Source source = data::load(file);
  Dataset result =
      read_format(data::recognise_bytes(source.bytes, file.string()), source.bytes, file, options);
  result.name = file.filename().string();
  return result;
}

}  // namespace ideal
