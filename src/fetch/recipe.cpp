// SPDX-License-Identifier: Apache-2.0
#include "fetch/recipe.hpp"

#include "data/atomic_file.hpp"
#include "data/gzip.hpp"
#include "data/npy_header.hpp"
#include "data/readers.hpp"
#include "data/text.hpp"
#include "data/zip.hpp"
#include "fetch/digest.hpp"
#include "fetch/png.hpp"

#include <ideal/error.hpp>

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace ideal::fetch {
namespace {

constexpr std::string_view other_contents =
    "The package is damaged or another than expected: delete it and fetch again.";

/// A file of the package, unpacked if it is gzipped, and its name for messages.
struct Content {
  std::string unpacked;
  std::string place;
};

Content content(const Members& files, std::string_view name, std::string_view package) {
  std::string place = fmt::format("{}[{}]", package, name);
  const std::string& bytes = files.find(name)->second;
  std::string unpacked = data::is_gzip(bytes) ? data::gunzip(bytes, place) : bytes;
  return {std::move(unpacked), std::move(place)};
}

// ---- IDX: MNIST and its kin ------------------------------------------------------------------------------

std::string_view file_ending(const Members& files, std::string_view start) {
  const auto found = std::ranges::find_if(
      files, [&](const auto& file) { return file.first.find(start) != std::string::npos; });
  return found->first;
}

Table from_idx(const Members& files, const NamedSplit& split, std::string_view package) {
  const std::string_view kind = split.test ? "t10k" : "train";
  const Content pixels = content(files, file_ending(files, fmt::format("{}-images", kind)), package);
  const Content classes = content(files, file_ending(files, fmt::format("{}-labels", kind)), package);
  const data::ArrayView images = data::parse_idx(pixels.unpacked, pixels.place);
  if (images.scalar != data::Scalar::u1 || images.shape.size() != 3)
    throw InputError(pixels.place, fmt::format("an array of shape {}", data::to_string(images.shape)),
                     "pictures are a three-dimensional array of bytes", other_contents);
  return {.rows = static_cast<Index>(images.shape[0]),
          .columns = static_cast<Index>(images.shape[1] * images.shape[2]),
          .bytes = true,
          .features = std::string(images.bytes),
          .labels = data::to_vector(data::parse_idx(classes.unpacked, classes.place), classes.place)};
}

// ---- CIFAR-10: a row of pixels a picture -----------------------------------------------------------------

Vector labels_from_json(const Content& file) {
  const auto json = nlohmann::json::parse(file.unpacked, nullptr, false);
  const bool sound =
      json.is_array() && std::ranges::all_of(json, [](const auto& v) { return v.is_number(); });
  if (!sound)
    throw InputError(file.place, "something else than a list of numbers", "labels are a list of numbers",
                     other_contents);
  Vector labels(static_cast<Index>(json.size()));
  std::ranges::transform(json, labels.begin(), [](const auto& v) { return v.template get<double>(); });
  return labels;
}

Table from_cifar10(const Members& files, const NamedSplit& split, std::string_view package) {
  constexpr Index pixels = 32 * 32, pictures = 10000;
  std::vector<std::string> batches{"test_batch.png"};
  if (!split.test) {
    batches.clear();
    for (int batch = 1; batch <= 5; ++batch) batches.push_back(fmt::format("data_batch_{}.png", batch));
  }
  Table table{.rows = pictures * std::ssize(batches),
              .columns = 3 * pixels,
              .bytes = true,
              .features = {},
              .labels = {}};
  table.features.reserve(static_cast<std::size_t>(table.rows * table.columns));
  for (const std::string& batch : batches)
    table.features +=
        read_png(files.find(batch)->second, pixels, pictures, fmt::format("{}[{}]", package, batch));
  table.labels =
      labels_from_json(content(files, split.test ? "test_lables.json" : "train_lables.json", package));
  return table;
}

// ---- text ------------------------------------------------------------------------------------------------

Table from_libsvm(const Members& files, const NamedSplit&, std::string_view package) {
  const Content file = content(files, files.begin()->first, package);
  return table_of(data::parse_libsvm(file.unpacked, file.place));
}

Table from_csv(const Members& files, const NamedSplit&, std::string_view package) {
  const Content file = content(files, files.begin()->first, package);
  return table_of(data::parse_csv(file.unpacked, "", file.place));
}

// scikit-learn's first line tells rows, columns and the names of the classes: "569,30,malignant,benign".
Table from_csv_with_summary(const Members& files, const NamedSplit&, std::string_view package) {
  const Content file = content(files, files.begin()->first, package);
  const std::string_view text = file.unpacked;
  const std::size_t line_end = std::min(text.find('\n'), text.size() - 1);
  return table_of(data::parse_csv(text.substr(line_end + 1), "", file.place));
}

// Features apart by blanks in one file, the targets in another.
Table from_two_columns_of_text(const Members& files, const NamedSplit&, std::string_view package) {
  const Content features = content(files, "data/diabetes_data_raw.csv.gz", package);
  const Content targets = content(files, "data/diabetes_target.csv.gz", package);
  std::string joined;
  data::Lines row(features.unpacked), target(targets.unpacked);
  while (row.next() && target.next()) {
    std::string cells(row.line());
    std::ranges::replace(cells, ' ', ',');
    joined += fmt::format("{},{}\n", cells, target.line());
  }
  return table_of(data::parse_csv(joined, "", features.place));
}

// ---- the recipes -----------------------------------------------------------------------------------------

ClassCounts balanced(int classes, Index count) {
  ClassCounts counts;
  for (int label = 0; label < classes; ++label) counts[label] = count;
  return counts;
}

const std::vector<Recipe>& recipes() {
  static const std::vector<Recipe> table{
      {.name = "mnist",
       .files = {"data/train-images-idx3-ubyte", "data/train-labels-idx1-ubyte",
                 "data/t10k-images-idx3-ubyte", "data/t10k-labels-idx1-ubyte"},
       .md5 = {{"data/train-images-idx3-ubyte", "6bbc9ace898e44ae57da46a324031adb"},
               {"data/train-labels-idx1-ubyte", "a25bea736e30d166cdddb491f175f624"},
               {"data/t10k-images-idx3-ubyte", "2646ac647ad5339dbf082846283269ea"},
               {"data/t10k-labels-idx1-ubyte", "27ae3e4e09519cfbb04c329615203637"}},
       .make = from_idx,
       .train_counts = {},
       .test_counts = {}},
      {.name = "fashion-mnist",
       .files = {"fashion-mnist/train-images-idx3-ubyte.gz", "fashion-mnist/train-labels-idx1-ubyte.gz",
                 "fashion-mnist/t10k-images-idx3-ubyte.gz", "fashion-mnist/t10k-labels-idx1-ubyte.gz"},
       .md5 = {},
       .make = from_idx,
       .train_counts = balanced(10, 6000),
       .test_counts = balanced(10, 1000)},
      {.name = "cifar10",
       .files = {"data_batch_1.png", "data_batch_2.png", "data_batch_3.png", "data_batch_4.png",
                 "data_batch_5.png", "test_batch.png", "train_lables.json", "test_lables.json"},
       .md5 = {},
       .make = from_cifar10,
       .train_counts = balanced(10, 5000),
       .test_counts = balanced(10, 1000)},
      {.name = "heart_scale",
       .files = {"examples/heart_scale"},
       .md5 = {},
       .make = from_libsvm,
       .train_counts = {{-1, 150}, {1, 120}},
       .test_counts = {}},
      {.name = "breast_cancer",
       .files = {"sklearn/datasets/data/breast_cancer.csv"},
       .md5 = {},
       .make = from_csv_with_summary,
       .train_counts = {{0, 212}, {1, 357}},
       .test_counts = {}},
      {.name = "digits",
       .files = {"sklearn/datasets/data/digits.csv.gz"},
       .md5 = {},
       .make = from_csv,
       .train_counts = {{0, 178},
                        {1, 182},
                        {2, 177},
                        {3, 183},
                        {4, 181},
                        {5, 182},
                        {6, 181},
                        {7, 179},
                        {8, 174},
                        {9, 180}},
       .test_counts = {}},
      {.name = "diabetes",
       .files = {"data/diabetes_data_raw.csv.gz", "data/diabetes_target.csv.gz"},
       .md5 = {},
       .make = from_two_columns_of_text,
       .train_counts = {},
       .test_counts = {}},
      {.name = "california-housing",
       .files = {"static/data/california_housing.csv"},
       .md5 = {},
       .make = from_csv,
       .train_counts = {},
       .test_counts = {}},
  };
  return table;
}

ClassCounts counts_of(const Vector& labels) {
  ClassCounts counts;
  for (const double label : labels) ++counts[label];
  return counts;
}

}  // namespace

Table table_of(const Dataset& data) {
  const DenseRows values = std::visit([](const auto& matrix) { return DenseRows(matrix); }, data.features);
  Table table{
      .rows = values.rows(), .columns = values.cols(), .bytes = false, .features = {}, .labels = data.labels};
  const auto is_byte = [](double value) { return value >= 0 && value <= 255 && value == std::floor(value); };
  const std::span<const double> all(values.data(), static_cast<std::size_t>(values.size()));
  table.bytes = std::ranges::all_of(all, is_byte);
  if (table.bytes)
    for (const double value : all) table.features += static_cast<char>(static_cast<unsigned char>(value));
  else
    table.features = data::bytes_of(all.data(), all.size());
  return table;
}

void write_table(const Table& table, const std::filesystem::path& npz) {
  data::AtomicFile out(npz);
  data::ZipWriter zip(out);
  zip.add("X.npy",
          {data::npy_header(table.bytes ? "u1" : "f8", fmt::format("({}, {})", table.rows, table.columns)),
           table.features});
  zip.add("y.npy", {data::npy_header("f8", fmt::format("({},)", table.labels.size())),
                    data::bytes_of(table.labels.data(), static_cast<std::size_t>(table.labels.size()))});
  zip.finish();
  out.commit();
}

const Recipe& recipe_of(const NamedDataset& data) {
  const auto found = std::ranges::find(recipes(), data.name, &Recipe::name);
  if (found == recipes().end()) throw RunError(fmt::format("no recipe for {}", data.name));
  return *found;
}

Table make_table(const Recipe& recipe, const Members& files, const NamedSplit& split,
                 std::string_view place) {
  const auto require = [&](bool holds, const std::string& found, const std::string& rule) {
    if (!holds) throw InputError(place, found, rule, other_contents);
  };
  const NamedDataset& data = *split.data;
  const Index rows = split.test ? data.test_rows : data.train_rows;
  Table table = recipe.make(files, split, place);
  require(table.rows == rows && table.columns == data.columns,
          fmt::format("{} x {} values", table.rows, table.columns),
          fmt::format("{} has {} x {}", split.title(), rows, data.columns));
  require(table.labels.size() == rows, fmt::format("{} labels", table.labels.size()),
          fmt::format("{} has {}", split.title(), rows));
  const ClassCounts& expected = split.test ? recipe.test_counts : recipe.train_counts;
  const ClassCounts counts = counts_of(table.labels);
  require(expected.empty() || counts == expected, fmt::format("classes of {} rows", fmt::join(counts, ", ")),
          fmt::format("{} has {}", split.title(), fmt::join(expected, ", ")));
  return table;
}

void check_files(const Recipe& recipe, const Members& files, std::string_view place) {
  for (const auto& [name, md5] : recipe.md5)
    if (const std::string found = digest_of(files.find(name)->second, "md5").hex; found != md5)
      throw InputError(fmt::format("{}[{}]", place, name), fmt::format("MD5 {}", found),
                       fmt::format("it is {}", md5), other_contents);
}

}  // namespace ideal::fetch
