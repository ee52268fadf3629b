// SPDX-License-Identifier: Apache-2.0
// Any bytes at all either parse or throw ideal::Error; under the sanitizers, nothing else happens either.
#include "data/gzip.hpp"
#include "data/readers.hpp"
#include "support/data_bytes.hpp"

#include <ideal/data.hpp>
#include <ideal/error.hpp>

#include <cmath>
#include <functional>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace ideal {
namespace {

using Reader = std::function<void(std::string_view)>;

struct NamedReader {
  std::string name;
  Reader read;
  std::string sample;  // a valid file
};

std::string sparse_archive() {
  using test::npy_of, test::values;
  return test::zip({{"indices.npy", npy_of("<i4", "(2,)", values<std::int32_t>({1, 0}))},
                    {"indptr.npy", npy_of("<i4", "(3,)", values<std::int32_t>({0, 1, 2}))},
                    {"format.npy", npy_of("|S3", "()", "csr")},
                    {"shape.npy", npy_of("<i8", "(2,)", values<std::int64_t>({2, 2}))},
                    {"data.npy", npy_of("<f4", "(2,)", values<float>({5, 6}))},
                    {"y.npy", npy_of("|i1", "(2,)", values<std::int8_t>({-1, 1}))}},
                   {.deflate = true, .zip64 = true});
}

const std::vector<NamedReader>& readers() {
  using test::npy_of, test::values;
  static const std::vector<NamedReader> list = {
      {"libsvm", [](auto b) { data::parse_libsvm(b, "f"); }, "# c\n1 1:0.5 3:-2e1\r\n-1 qid:3 2:7\n"},
      {"csv", [](auto b) { data::parse_csv(b, "", "f"); },
       "\"a \"\"b\"\"\",c,d\n1,\"2\",-3e5\n4, +5,6\r\n\n"},
      {"csv by name", [](auto b) { data::parse_csv(b, "c", "f"); }, "a;c;d\n1;2;3\n"},
      {"npy", [](auto b) { data::split_last_column(data::parse_npy(b, "f"), "f"); },
       npy_of(">i2", "(2, 3)", values<std::int16_t>({1, 2, 3, 4, 5, 6}, std::endian::big))},
      {"npz", [](auto b) { data::parse_npz(b, "f"); },
       test::zip({{"X.npy", npy_of("<f8", "(1, 2)", values<double>({1, 2}))},
                  {"y.npy", npy_of("|u1", "(1,)", "1")}})},
      {"sparse npz", [](auto b) { data::parse_npz(b, "f"); }, sparse_archive()},
      {"idx", [](auto b) { data::to_rows(data::parse_idx(b, "f"), "f"); }, test::idx(8, {2, 1, 2}, "abcd")},
      {"gzip", [](auto b) { data::gunzip(b, "f"); }, test::gzipped("some text") + test::gzipped("and more")},
      {"recognise", [](auto b) { data::recognise_bytes(b, "f"); }, "1 1:2\n"},
  };
  return list;
}

/// A copy at its exact size on the heap, so that a sanitizer sees the first byte read beyond it.
void survive(const NamedReader& reader, std::string_view bytes) {
  const std::vector<char> exact(bytes.begin(), bytes.end());
  try {
    reader.read({exact.data(), exact.size()});
  } catch (const Error& error) {
    RC_ASSERT(!std::string(error.what()).empty());
  }
}

TEST(Robustness, samples_are_valid) {
  for (const auto& reader : readers()) EXPECT_NO_THROW(reader.read(reader.sample)) << reader.name;
}

TEST(Robustness, a_file_cut_at_any_byte_is_no_danger) {
  for (const auto& reader : readers())
    for (std::size_t size = 0; size < reader.sample.size(); ++size)
      survive(reader, std::string_view(reader.sample).substr(0, size));
}

TEST(Robustness, any_single_byte_may_be_wrong) {
  for (const auto& reader : readers())
    for (std::size_t at = 0; at < reader.sample.size(); ++at)
      for (const int wrong : {0x00, 0x01, 0x7f, 0x80, 0xff, int{'\n'}, int{'"'}, int{','}, int{':'}}) {
        std::string damaged = reader.sample;
        damaged[at] = static_cast<char>(wrong);
        survive(reader, damaged);
      }
}

RC_GTEST_PROP(Robustness, random_bytes_are_no_danger, ()) {
  const auto bytes = *rc::gen::container<std::string>(rc::gen::arbitrary<char>());
  for (const auto& reader : readers()) survive(reader, bytes);
}

RC_GTEST_PROP(Robustness, random_text_is_no_danger, ()) {
  const auto text = *rc::gen::container<std::string>(rc::gen::element(
      '0', '1', '9', '.', '-', '+', 'e', ':', ',', ';', '\t', ' ', '\n', '\r', '"', '#', 'q', 'n'));
  for (const auto& reader : readers()) survive(reader, text);
}

RC_GTEST_PROP(Robustness, spliced_files_are_no_danger, ()) {
  for (const auto& reader : readers()) {
    const auto place = [&] { return *rc::gen::inRange<std::size_t>(0, reader.sample.size() + 1); };
    const std::size_t head = place(), from = place();
    survive(reader, reader.sample.substr(0, head) + reader.sample.substr(from));
  }
}

}  // namespace
}  // namespace ideal
