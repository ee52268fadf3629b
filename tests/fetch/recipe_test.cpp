// SPDX-License-Identifier: Apache-2.0
#include "fetch/recipe.hpp"

#include "fetch/png.hpp"
#include "support/data_bytes.hpp"

#include <gtest/gtest.h>

namespace ideal::fetch {
namespace {

using test::idx;
using test::message;

TEST(Recipe, every_entry_of_the_catalogue_has_one) {
  for (const NamedDataset& data : named_datasets()) {
    const Recipe& recipe = recipe_of(data);
    EXPECT_FALSE(recipe.files.empty()) << data.name;
    Index counted = 0;
    for (const auto& [label, count] : recipe.train_counts) counted += count;
    if (counted > 0) {
      EXPECT_EQ(counted, data.train_rows) << data.name;
      EXPECT_EQ(std::ssize(recipe.train_counts), data.classes) << data.name;
    }
    if (data.image) {
      EXPECT_EQ(data.image->height * data.image->width * data.image->channels, data.columns) << data.name;
    }
    EXPECT_FALSE(data.packages.empty()) << data.name;
  }
}

// A catalogue of one data set, small enough to write down.
const NamedDataset tiny{.name = "mnist",  // by its recipe
                        .about = "",
                        .train_rows = 2,
                        .test_rows = 1,
                        .columns = 4,
                        .classes = 2,
                        .default_classes = "",
                        .image = {},
                        .packages = {},
                        .download_bytes = 0,
                        .licence = ""};

Members tiny_files() {
  return {{"data/train-images-idx3-ubyte", idx(8, {2, 2, 2}, "\x01\x02\x03\x04\x05\x06\x07\xff")},
          {"data/train-labels-idx1-ubyte", idx(8, {2}, "\x07\x03")},
          {"data/t10k-images-idx3-ubyte", idx(8, {1, 2, 2}, "abcd")},
          {"data/t10k-labels-idx1-ubyte", test::gzipped(idx(8, {1}, "\x05"))}};
}

TEST(Recipe, idx_to_npz_and_back) {
  const test::Folder folder;
  const Recipe& recipe = recipe_of(tiny);
  write_table(make_table(recipe, tiny_files(), {&tiny, false}, "p"), folder.path("train.npz"));
  const Dataset train = read_dataset(folder.path("train.npz"));
  EXPECT_EQ(std::get<DenseRows>(train.features), (DenseRows(2, 4) << 1, 2, 3, 4, 5, 6, 7, 255).finished());
  EXPECT_EQ(train.labels, (Vector(2) << 7, 3).finished());
  write_table(make_table(recipe, tiny_files(), {&tiny, true}, "p"), folder.path("test.npz"));
  EXPECT_EQ(read_dataset(folder.path("test.npz")).labels[0], 5);
}

TEST(Recipe, other_sizes_are_refused) {
  Members files = tiny_files();
  files["data/train-labels-idx1-ubyte"] = idx(8, {1}, "\x07");
  EXPECT_EQ(message([&] {
              make_table(recipe_of(tiny), files, {&tiny, false}, "p.tgz");
            }),
            "p.tgz: 1 labels (mnist has 2). The package is damaged or another than expected: delete it and "
            "fetch again.");
  files["data/train-images-idx3-ubyte"] = idx(8, {2, 4}, "abcdefgh");
  EXPECT_NE(message([&] {
              make_table(recipe_of(tiny), files, {&tiny, false}, "p");
            }).find("shape 2 x 4"),
            std::string::npos);
}

TEST(Recipe, published_checksums_name_the_file) {
  EXPECT_TRUE(message([] {
                check_files(recipe_of(tiny), tiny_files(), "p.tgz");
              }).starts_with("p.tgz[data/t10k-images-idx3-ubyte]: MD5 "));
}

TEST(Recipe, bytes_where_every_value_is_one) {
  const auto table = [](double value) {
    return table_of({"", DenseRows::Constant(1, 2, value), Vector::Ones(1)});
  };
  for (const double value : {0.0, 16.0, 255.0}) EXPECT_TRUE(table(value).bytes) << value;
  for (const double value : {-1.0, 0.5, 256.0}) EXPECT_FALSE(table(value).bytes) << value;
  EXPECT_EQ(table(65).features, "AA");
  EXPECT_EQ(table(0.5).features.size(), 2 * sizeof(double));
}

TEST(Png, refuses_what_is_none) {
  EXPECT_NE(message([] { read_png("not a picture", 2, 2, "f"); }).find("2 x 2 in 8-bit RGB"),
            std::string::npos);
  EXPECT_NE(message([] { read_png("", 2, 2, "f"); }), "no error");
}

}  // namespace
}  // namespace ideal::fetch
