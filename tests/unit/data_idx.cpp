// SPDX-License-Identifier: Apache-2.0
#include "data/readers.hpp"
#include "support/data_bytes.hpp"

#include <gtest/gtest.h>

namespace ideal {
namespace {

using data::parse_idx;
using test::idx;
using test::message;
using test::values;

std::string refused_idx(std::string_view bytes) {
  return message([&] { parse_idx(bytes, "t"); });
}

const std::string images = idx(8, {2, 1, 3}, values<std::uint8_t>({0, 1, 2, 3, 128, 255}));
const std::string labels = idx(8, {2}, values<std::uint8_t>({7, 9}));

void expect_digits(const Dataset& data) {
  EXPECT_EQ(std::get<DenseRows>(data.features), (DenseRows(2, 3) << 0, 1, 2, 3, 128, 255).finished());
  EXPECT_EQ(data.labels, (Vector(2) << 7, 9).finished());
}

TEST(Idx, finds_the_labels_beside_the_images) {
  for (const char mark : {'-', '.'})
    for (const std::string_view images_end : {"", ".gz"})
      for (const std::string_view labels_end : {"", ".gz"}) {
        const test::Folder folder;
        const auto file = folder.write(fmt::format("train-images{}idx3-ubyte{}", mark, images_end),
                                       images_end.empty() ? images : test::gzipped(images));
        const auto beside = folder.write(fmt::format("train-labels{}idx1-ubyte{}", mark, labels_end),
                                         labels_end.empty() ? labels : test::gzipped(labels));
        expect_digits(read_dataset(file));
      }
}

TEST(Idx, takes_named_labels) {
  const test::Folder folder;
  ReadOptions options;
  options.labels = folder.write("b", labels);
  expect_digits(read_dataset(folder.write("a", images), options));
}

TEST(Idx, refuses_missing_or_other_labels) {
  const test::Folder folder;
  const auto lonely = folder.write("a", images);
  EXPECT_EQ(message([&] { read_dataset(lonely); }),
            lonely.string() +
                ": images without labels (labels are beside *images-idx3* as *labels-idx1*, or named). "
                "Name the file with the labels.");
  ReadOptions options;
  options.labels = folder.write("b", idx(8, {3}, "123"));
  EXPECT_EQ(message([&] { read_dataset(lonely, options); }),
            fmt::format("{}: 3 labels for the 2 rows of {} (every row has one label). "
                        "Name the labels that belong to this file.",
                        options.labels.string(), lonely.string()));
  const auto only_labels = folder.write("c", labels);
  EXPECT_NE(message([&] { read_dataset(only_labels); }).find("one-dimensional files hold labels"),
            std::string::npos);
}

TEST(Idx, reads_every_type) {
  const auto first_row = [](const std::string& bytes) { return data::to_rows(parse_idx(bytes, "t"), "t"); };
  const DenseRows truth = (DenseRows(1, 2) << 1, -2).finished();
  const auto big = std::endian::big;
  EXPECT_EQ(first_row(idx(0x09, {1, 2}, values<std::int8_t>({1, -2}, big))), truth);
  EXPECT_EQ(first_row(idx(0x0B, {1, 2}, values<std::int16_t>({1, -2}, big))), truth);
  EXPECT_EQ(first_row(idx(0x0C, {1, 2}, values<std::int32_t>({1, -2}, big))), truth);
  EXPECT_EQ(first_row(idx(0x0D, {1, 2}, values<float>({1, -2}, big))), truth);
  EXPECT_EQ(first_row(idx(0x0E, {1, 2}, values<double>({1, -2}, big))), truth);
}

TEST(Idx, refuses_a_wrong_length_before_taking_memory) {
  EXPECT_EQ(refused_idx(idx(8, {10, 28, 28}, "123")),
            "t: 3 bytes of values for a shape of 10 x 28 x 28 with 1-byte values (the header tells exactly "
            "how many "
            "values follow). The file is damaged: fetch or write it again.");
  EXPECT_NE(refused_idx(idx(8, {0xffffffff, 0xffffffff, 0xffffffff}, "123")).find("3 bytes of values"),
            std::string::npos);
  EXPECT_NE(refused_idx(std::string("\0\0\x08\xff", 4)).find("a header of 255 dimensions cut short"),
            std::string::npos);
  EXPECT_EQ(refused_idx(idx(7, {1}, "1")),
            "t: IDX type 0x07 (IDX types are 0x08, 0x09, 0x0b, 0x0c, 0x0d and 0x0e). "
            "The file is damaged: fetch or write it again.");
}

}  // namespace
}  // namespace ideal
