// SPDX-License-Identifier: Apache-2.0
// Whatever is written reads back bit for bit, in every format, plain and gzipped.
#include "data/readers.hpp"
#include "support/by_rows.hpp"
#include "support/data_bytes.hpp"
#include "support/dense.hpp"

#include <ideal/data.hpp>

#include <bit>
#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace ideal {
namespace {

using test::dense_features, test::same_bits;

/// Any finite double: zeros of both signs, subnormals and extremes as likely as common numbers.
rc::Gen<double> any_value() {
  const auto any_bits = rc::gen::map(rc::gen::arbitrary<std::uint64_t>(), [](std::uint64_t bits) {
    const auto value = std::bit_cast<double>(bits);
    return std::isfinite(value) ? value : 0.5;
  });
  return rc::gen::oneOf(any_bits,
                        rc::gen::element(0.0, -0.0, 1.0, -1.0, 0.1, 5e-324, 1.7976931348623157e308));
}

template <class Out>
void fill(Out&& out) {
  for (auto& value : out) value = *any_value();
}

DenseRows any_rows() {
  DenseRows rows(*rc::gen::inRange<Index>(1, 8), *rc::gen::inRange<Index>(1, 8));
  fill(rows.reshaped());
  return rows;
}

SparseRows any_sparse_rows() {
  SparseRows rows(*rc::gen::inRange<Index>(1, 8), *rc::gen::inRange<Index>(1, 8));
  for (Index row = 0; row < rows.rows(); ++row)
    for (Index column = 0; column < rows.cols(); ++column)
      if (*rc::gen::arbitrary<bool>()) rows.insert(row, column) = *any_value();
  rows.makeCompressed();
  return rows;
}

Dataset any_dataset(bool sparse) {
  Dataset data;
  if (sparse)
    data.features = any_sparse_rows();
  else
    data.features = any_rows();
  data.labels.resize(
      std::visit([](const auto& rows) { return static_cast<Index>(rows.rows()); }, data.features));
  fill(data.labels);
  return data;
}

void expect_same(const Dataset& a, const Dataset& b) {
  RC_ASSERT(a.rows() == b.rows());
  RC_ASSERT(a.columns() == b.columns());
  RC_ASSERT(same_bits(a.labels.data(), b.labels.data(), a.rows()));
  RC_ASSERT(same_bits(dense_features(a).data(), dense_features(b).data(), a.rows() * a.columns()));
}

Dataset written_and_read(const Dataset& data, std::string_view name) {
  const test::Folder folder;
  write_dataset(data, folder.path(name));
  RC_ASSERT(folder.files() == 1u);
  return read_dataset(folder.path(name));
}

RC_GTEST_PROP(RoundTrip, dense_formats, ()) {
  const Dataset data = any_dataset(*rc::gen::arbitrary<bool>());
  const std::string name = *rc::gen::element<std::string>("a.csv", "a.csv.gz", "a.npy");
  const Dataset back = written_and_read(data, name);
  RC_ASSERT(!back.sparse());
  expect_same(data, back);
}

RC_GTEST_PROP(RoundTrip, archives_keep_the_storage, ()) {
  const Dataset data = any_dataset(*rc::gen::arbitrary<bool>());
  const Dataset back = written_and_read(data, "a.npz");
  RC_ASSERT(back.sparse() == data.sparse());
  RC_ASSERT(!data.sparse() || back.nonzeros() == data.nonzeros());
  expect_same(data, back);
}

RC_GTEST_PROP(RoundTrip, libsvm_keeps_stored_entries, ()) {
  const Dataset data = any_dataset(true);
  const std::string name = *rc::gen::element<std::string>("a.svm", "a.libsvm", "a.svm.gz", "a.libsvm.gz");
  const Dataset back = written_and_read(data, name);
  RC_ASSERT(back.sparse());
  expect_same(data, back);
}

RC_GTEST_PROP(RoundTrip, dense_libsvm_differs_in_nothing_but_the_sign_of_zeros, ()) {
  const Dataset data = any_dataset(false);
  const Dataset back = written_and_read(data, "a.svm");
  RC_ASSERT(dense_features(back) == dense_features(data));
  RC_ASSERT(same_bits(back.labels.data(), data.labels.data(), data.rows()));
}

RC_GTEST_PROP(RoundTrip, numpy_files_of_either_byte_order, ()) {
  const DenseRows rows = any_rows();
  const std::vector<double> list(rows.data(), rows.data() + rows.size());
  const bool big = *rc::gen::arbitrary<bool>();
  const std::string bytes =
      test::npy_of(big ? ">f8" : "<f8", fmt::format("({}, {})", rows.rows(), rows.cols()),
                   test::values(list, big ? std::endian::big : std::endian::little));
  const DenseRows back = data::to_rows(data::parse_npy(bytes, "f"), "f");
  RC_ASSERT(same_bits(back.data(), rows.data(), rows.size()));
}

RC_GTEST_PROP(RoundTrip, idx_files, ()) {
  const DenseRows rows = any_rows();
  const std::vector<double> list(rows.data(), rows.data() + rows.size());
  const std::string bytes =
      test::idx(0x0E, {static_cast<std::uint32_t>(rows.rows()), static_cast<std::uint32_t>(rows.cols())},
                test::values(list, std::endian::big));
  const DenseRows back = data::to_rows(data::parse_idx(bytes, "f"), "f");
  RC_ASSERT(same_bits(back.data(), rows.data(), rows.size()));
}

}  // namespace
}  // namespace ideal
