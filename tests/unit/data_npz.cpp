// SPDX-License-Identifier: Apache-2.0
#include "data/readers.hpp"
#include "support/data_bytes.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace ideal {
namespace {

using data::parse_npz;
using test::message;
using test::npy_of;
using test::values;
using test::zip;

using Members = std::vector<std::pair<std::string, std::string>>;

std::string refused_npz(std::string_view bytes) {
  return message([&] { parse_npz(bytes, "d.npz"); });
}

const std::string X = npy_of("<f8", "(2, 2)", values<double>({1, 2, 3, 4}));
const std::string y = npy_of("<i8", "(2,)", values<std::int64_t>({-1, 1}));

// The matrix (0 5 0; 6 0 7), as scipy.sparse.save_npz stores it.
Members sparse_members() {
  return {{"indices.npy", npy_of("<i4", "(3,)", values<std::int32_t>({1, 0, 2}))},
          {"indptr.npy", npy_of("<i4", "(3,)", values<std::int32_t>({0, 1, 3}))},
          {"format.npy", npy_of("|S3", "()", "csr")},
          {"shape.npy", npy_of("<i8", "(2,)", values<std::int64_t>({2, 3}))},
          {"data.npy", npy_of("<f8", "(3,)", values<double>({5, 6, 7}))},
          {"y.npy", y}};
}

Members with(Members members, std::string_view name, std::string content) {
  for (auto& [key, value] : members)
    if (key == name) value = std::move(content);
  return members;
}

TEST(Npz, reads_stored_deflated_and_zip64_archives) {
  for (const bool deflate : {false, true})
    for (const bool zip64 : {false, true}) {
      const auto content =
          parse_npz(zip({{"X.npy", X}, {"y.npy", y}}, {.deflate = deflate, .zip64 = zip64}), "f");
      EXPECT_EQ(std::get<DenseRows>(content.features), (DenseRows(2, 2) << 1, 2, 3, 4).finished());
      EXPECT_EQ(content.labels.value(), (Vector(2) << -1, 1).finished());
    }
}

TEST(Npz, knows_the_usual_names) {
  for (const std::string features : {"X", "data", "features", "x"})
    for (const std::string labels : {"y", "labels", "target"}) {
      const auto content = parse_npz(zip({{labels + ".npy", y}, {features + ".npy", X}}), "f");
      EXPECT_TRUE(content.labels.has_value()) << features << labels;
    }
}

TEST(Npz, reads_scipy_matrices) {
  for (const std::string_view format :
       {std::string_view("csr"), std::string_view("c\0\0\0s\0\0\0r\0\0\0", 12)}) {
    const auto members =
        with(sparse_members(), "format.npy", npy_of(format.size() == 3 ? "|S3" : "<U3", "()", format));
    const auto content = parse_npz(zip(members, {.deflate = true}), "f");
    const auto& matrix = std::get<SparseRows>(content.features);
    EXPECT_EQ(DenseRows(matrix), (DenseRows(2, 3) << 0, 5, 0, 6, 0, 7).finished());
    EXPECT_EQ(matrix.nonZeros(), 3);
  }
}

TEST(Npz, refuses_damaged_scipy_matrices) {
  const auto refused_with = [](std::string_view name, const std::string& content) {
    return refused_npz(zip(with(sparse_members(), name, content)));
  };
  EXPECT_EQ(refused_with("format.npy", npy_of("|S3", "()", "csc")),
            "d.npz: a sparse matrix in format 'csc' (sparse rows come in format csr). "
            "Write scipy.sparse.save_npz(file, X.tocsr()).");
  EXPECT_EQ(refused_with("indices.npy", npy_of("<i4", "(3,)", values<std::int32_t>({1, 2, 0}))),
            "d.npz[indices]: column 0 after 2 in row 1 (the columns of a row ascend). "
            "Call X.sum_duplicates() before saving: it sorts too.");
  EXPECT_EQ(refused_with("indices.npy", npy_of("<i4", "(3,)", values<std::int32_t>({3, 0, 2}))),
            "d.npz[indices]: column 3 in row 0 (there are 3). Write scipy.sparse.save_npz(file, X.tocsr()).");
  EXPECT_NE(refused_with("indices.npy", npy_of("<i4", "(3,)", values<std::int32_t>({-1, 0, 2})))
                .find("-1 at position 0"),
            std::string::npos);
  EXPECT_NE(refused_with("indptr.npy", npy_of("<i4", "(3,)", values<std::int32_t>({0, 4, 3})))
                .find("offset 3 after 4"),
            std::string::npos);
  EXPECT_NE(
      refused_with("indptr.npy", npy_of("<i4", "(3,)", values<std::int32_t>({0, 1, 9}))).find("from 0 to 9"),
      std::string::npos);
  EXPECT_NE(refused_with("indptr.npy", npy_of("<i4", "(2,)", values<std::int32_t>({0, 3})))
                .find("the matrix needs 3"),
            std::string::npos);
  EXPECT_NE(refused_with("shape.npy", npy_of("<i8", "(2,)", values<std::int64_t>({1LL << 62, 3})))
                .find("rows and columns"),
            std::string::npos);
  EXPECT_NE(refused_with("data.npy", npy_of("<f8", "(3,)", values<double>({5, std::nan(""), 7})))
                .find("d.npz[data]: nan in row 1, column 0"),
            std::string::npos);
}

TEST(Npz, refuses_missing_arrays) {
  EXPECT_EQ(refused_npz(zip({{"z.npy", X}})),
            "d.npz: no array of features (features are the array X, data, features or x). "
            "Write numpy.savez(file, X=X, y=y).");
  const test::Folder folder;
  const auto file = folder.write("d.npz", zip({{"X.npy", X}}));
  EXPECT_NE(message([&] { read_dataset(file); }).find("no array of labels"), std::string::npos);
  ReadOptions options;
  options.labels = folder.write("y.npy", y);
  EXPECT_EQ(read_dataset(file, options).labels, (Vector(2) << -1, 1).finished());
}

TEST(Npz, refuses_damaged_archives) {
  EXPECT_EQ(
      refused_npz(zip({{"X.npy", X}}, {.crc_error = 1})),
      "d.npz: member 'X.npy' does not match its size and CRC (an archive of stored or deflated members is "
      "needed). Write the file again with numpy.savez or numpy.savez_compressed.");
  EXPECT_NE(refused_npz(zip({{"X.npy", X}}, {.flags = 1})).find("member 'X.npy' is encrypted"),
            std::string::npos);
  EXPECT_NE(refused_npz("PK\x03\x04").find("no zip directory at the end"), std::string::npos);
}

TEST(Npz, refuses_an_impossible_size_before_taking_memory) {
  std::string archive = zip({{"X.npy", X}}, {.deflate = true});
  const std::size_t entry = archive.find("PK\x01\x02");
  archive.replace(entry + 24, 4, test::number(0xfffffff0, 4));
  EXPECT_NE(refused_npz(archive).find("does not match its size"), std::string::npos);
}

}  // namespace
}  // namespace ideal
