// SPDX-License-Identifier: Apache-2.0
#include "data/readers.hpp"
#include "support/data_bytes.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace ideal {
namespace {

using data::parse_npy;
using test::message;
using test::npy;
using test::npy_of;
using test::values;

DenseRows rows(std::string_view bytes) { return data::to_rows(parse_npy(bytes, "a.npy"), "a.npy"); }

std::string refused_npy(std::string_view bytes) {
  return message([&] { rows(bytes); });
}

template <class T>
void reads_type(char kind) {
  const std::vector<T> list = {T{0}, T{1}, T{2}, T{100}};
  const DenseRows truth = (DenseRows(2, 2) << 0, 1, 2, 100).finished();
  const std::string name = fmt::format("{}{}", kind, sizeof(T));
  EXPECT_EQ(rows(npy_of("<" + name, "(2, 2)", values(list))), truth) << name;
  EXPECT_EQ(rows(npy_of(">" + name, "(2, 2)", values(list, std::endian::big))), truth) << name;
}

TEST(Npy, reads_every_type_in_both_byte_orders) {
  reads_type<double>('f');
  reads_type<float>('f');
  reads_type<std::int8_t>('i');
  reads_type<std::int16_t>('i');
  reads_type<std::int32_t>('i');
  reads_type<std::int64_t>('i');
  reads_type<std::uint8_t>('u');
  reads_type<std::uint16_t>('u');
  reads_type<std::uint32_t>('u');
  reads_type<std::uint64_t>('u');
  EXPECT_EQ(rows(npy_of("|b1", "(1, 2)", values<std::uint8_t>({0, 1}))),
            (DenseRows(1, 2) << 0, 1).finished());
  EXPECT_EQ(rows(npy_of("<i2", "(1, 2)", values<std::int16_t>({-2, -300}))),
            (DenseRows(1, 2) << -2, -300).finished());
}

TEST(Npy, reads_every_version) {
  const std::string literal = "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2), }";
  for (const int version : {1, 2, 3})
    EXPECT_EQ(rows(npy(literal, values<double>({1, 2}), version)), (DenseRows(1, 2) << 1, 2).finished());
  EXPECT_EQ(
      refused_npy(npy(literal, "", 4)),
      "a.npy: NPY version 4 (an NPY file holds its whole header). Write the file again with numpy.save.");
}

TEST(Npy, flattens_images_and_reads_keys_in_any_order) {
  const std::string cube =
      npy("{\"shape\":(2L,1,2),'fortran_order':False,'descr':'<f8'}", values<double>({1, 2, 3, 4}));
  EXPECT_EQ(rows(cube), (DenseRows(2, 2) << 1, 2, 3, 4).finished());
}

TEST(Npy, says_what_to_write_instead) {
  EXPECT_EQ(
      refused_npy(npy("{'descr': '<f8', 'fortran_order': True, 'shape': (1, 1), }", values<double>({1}))),
      "a.npy: an array in Fortran order (rows must be contiguous (C order)). Write "
      "numpy.ascontiguousarray(a).");
  EXPECT_EQ(refused_npy(npy_of("|O", "(1, 1)", "12345678")),
            "a.npy: dtype '|O' (Python objects cannot be read as numbers). Write a.astype(float).");
  EXPECT_EQ(refused_npy(npy_of("<f2", "(1, 1)", "12")),
            "a.npy: dtype '<f2' (accepted are float64, float32, integers of 8 to 64 bits and bool). "
            "Write a.astype(float).");
  EXPECT_EQ(refused_npy(npy("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,), }",
                            values<double>({1}))),
            "a.npy: a structured array (an array of one numeric type is needed). "
            "Write numpy.lib.recfunctions.structured_to_unstructured(a).astype(float).");
  EXPECT_EQ(refused_npy(npy_of("<f8", "(2,)", values<double>({1, 2}))),
            "a.npy: an array of shape 2 (data are rows x columns with at least one row and 1 column). "
            "Reshape the array to two dimensions.");
}

TEST(Npy, refuses_a_wrong_length_before_taking_memory) {
  EXPECT_EQ(
      refused_npy(npy_of("<f8", "(2, 2)", values<double>({1, 2, 3}))),
      "a.npy: 24 bytes of values for a shape of 2 x 2 with 8-byte values (the header tells exactly how many "
      "values follow). The file is damaged: fetch or write it again.");
  for (const std::string_view shape :
       {"(4611686018427387904, 4)", "(18446744073709551615, 18446744073709551615)", "(1000000000000, 1)",
        "(0, 18446744073709551615)"})
    EXPECT_NE(refused_npy(npy_of("<f8", shape, "")).find("0 bytes of values"), std::string::npos) << shape;
  EXPECT_NE(refused_npy(npy_of("<f8", "(1000000000000, 0)", "")).find("an array of shape"),
            std::string::npos);
}

TEST(Npy, refuses_damaged_headers) {
  for (const std::string_view literal :
       {"", "{", "{}", "{'descr': '<f8'}", "{'descr': '<f8', 'fortran_order': Maybe, 'shape': (1, 1)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1, -1)}", "{'descr': '<f8', 'descr': '<f8'}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1"})
    EXPECT_NE(refused_npy(npy(literal, "")).find("a header gives descr, fortran_order and shape"),
              std::string::npos)
        << literal;
  EXPECT_EQ(
      refused_npy("\x93NUMPY\x01"),
      "a.npy: no NPY header (an NPY file holds its whole header). Write the file again with numpy.save.");
}

TEST(Npy, refuses_what_is_not_finite) {
  EXPECT_EQ(refused_npy(npy_of("<f8", "(2, 2)", values<double>({1, 2, 3, std::nan("")}))),
            "a.npy: nan in row 1, column 1 (values must be finite; rows and columns count from 0). "
            "Fill or drop missing values.");
}

TEST(Npy, has_its_labels_in_the_last_column_or_another_file) {
  const test::Folder folder;
  const auto file = folder.write("a.npy", npy_of("<f8", "(2, 3)", values<double>({1, 2, 3, 4, 5, 6})));
  const Dataset data = read_dataset(file);
  EXPECT_EQ(std::get<DenseRows>(data.features), (DenseRows(2, 2) << 1, 2, 4, 5).finished());
  EXPECT_EQ(data.labels, (Vector(2) << 3, 6).finished());
  EXPECT_EQ(data.name, "a.npy");

  ReadOptions options;
  options.labels = folder.write("y.npy", npy_of("<i4", "(2,)", values<std::int32_t>({-1, 1})));
  EXPECT_EQ(read_dataset(file, options).labels, (Vector(2) << -1, 1).finished());
  EXPECT_EQ(read_dataset(file, options).columns(), 3);

  options.labels = folder.write("y.npy", npy_of("<i4", "(3,)", values<std::int32_t>({-1, 1, 1})));
  EXPECT_NE(message([&] { read_dataset(file, options); }).find("3 labels for the 2 rows of"),
            std::string::npos);
  options.labels = folder.write("y.csv", "1,2\n");
  EXPECT_NE(message([&] { read_dataset(file, options); }).find("labels come as IDX or NPY"),
            std::string::npos);
}

TEST(Npy, matrices_come_back_bit_for_bit) {
  const test::Folder folder;
  DenseRows matrix(2, 3);
  matrix << 1, -0.0, std::numeric_limits<double>::infinity(), 5e-324,
      std::numeric_limits<double>::quiet_NaN(), 1e308;
  write_npy(matrix, folder.path("m.npy"));
  const DenseRows back = read_npy(folder.path("m.npy"));
  ASSERT_EQ(back.rows(), 2);
  ASSERT_EQ(back.cols(), 3);
  EXPECT_EQ(std::memcmp(back.data(), matrix.data(), 6 * sizeof(double)), 0);
}

TEST(Npy, is_written_as_numpy_writes_it) {
  const test::Folder folder;
  write_npy((DenseRows(1, 2) << 1, 2).finished(), folder.path("m.npy"));
  const std::string bytes = folder.read("m.npy");
  const std::string literal = "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2), }";
  const std::string padded = literal + std::string(128 - 10 - 1 - literal.size(), ' ') + "\n";
  const std::string truth =
      std::string("\x93NUMPY\x01\x00", 8) + test::number(118, 2) + padded + values<double>({1, 2});
  EXPECT_EQ(bytes, truth);
}

TEST(Npy, writes_strided_blocks) {
  const test::Folder folder;
  const DenseRows whole = (DenseRows(2, 3) << 1, 2, 3, 4, 5, 6).finished();
  write_npy(whole.rightCols(2), folder.path("m.npy"));
  EXPECT_EQ(read_npy(folder.path("m.npy")), whole.rightCols(2));
}

}  // namespace
}  // namespace ideal
