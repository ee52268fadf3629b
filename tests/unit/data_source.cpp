// SPDX-License-Identifier: Apache-2.0
#include "data/gzip.hpp"
#include "data/readers.hpp"
#include "data/source.hpp"
#include "support/data_bytes.hpp"

#include <ideal/data.hpp>

#include <gtest/gtest.h>

namespace ideal {
namespace {

using data::gunzip;
using test::gzipped;
using test::message;

TEST(Gzip, unpacks_one_or_more_members) {
  EXPECT_EQ(gunzip(gzipped("hello"), "f"), "hello");
  EXPECT_EQ(gunzip(gzipped("hel") + gzipped("") + gzipped("lo"), "f"), "hello");
  EXPECT_EQ(gunzip(gzipped("hello") + std::string(512, '\0'), "f"), "hello");
  const std::string long_text(3'000'000, 'a');
  EXPECT_EQ(gunzip(gzipped(long_text), "f"), long_text);
}

TEST(Gzip, refuses_damage) {
  const std::string whole = gzipped("some text that is long enough");
  EXPECT_EQ(message([&] { gunzip(whole.substr(0, whole.size() - 1), "f.gz"); }),
            "f.gz: gzip data end too early (a gzip file ends with the CRC of its content). "
            "The file is cut short: fetch or pack it again.");
  std::string wrong_crc = whole;
  wrong_crc[whole.size() - 8] ^= 1;
  EXPECT_EQ(
      message([&] { gunzip(wrong_crc, "f.gz"); }),
      "f.gz: damaged gzip data: incorrect data check (every gzip member must unpack and match its CRC). "
      "Fetch or pack the file again.");
  EXPECT_EQ(message([&] { gunzip(whole + "rest", "f.gz"); }),
            "f.gz: 4 bytes that are not gzip after the packed data (only further gzip members may follow). "
            "Fetch or pack the file again.");
}

TEST(Gzip, refuses_a_file_cut_anywhere) {
  const std::string whole = gzipped("some text") + gzipped("and more");
  for (std::size_t size = 1; size < whole.size(); ++size) {
    if (size == gzipped("some text").size()) continue;
    EXPECT_NE(message([&] { gunzip(whole.substr(0, size), "f"); }), "no error") << size;
  }
}

TEST(Source, refuses_what_cannot_be_read) {
  const test::Folder folder;
  const auto missing = folder.path("missing.csv");
  EXPECT_EQ(message([&] { data::load(missing); }),
            missing.string() +
                ": No such file or directory (data come from a readable file). "
                "Check the path and its permissions.");
  const auto directory = folder.path("");
  EXPECT_NE(message([&] { data::load(directory); }).find("Is a directory"), std::string::npos);
  const auto empty = folder.write("empty", "");
  EXPECT_EQ(message([&] { data::load(empty); }), empty.string() +
                                                     ": an empty file (a data set has at least one row). "
                                                     "Check that the file was written to its end.");
  const auto packed_empty = folder.write("empty.gz", gzipped(""));
  EXPECT_NE(message([&] { data::load(packed_empty); }).find("an empty file"), std::string::npos);
}

TEST(Recognise, goes_by_content_and_not_by_name) {
  const auto format_of = [](std::string_view bytes) { return data::recognise_bytes(bytes, "f"); };
  EXPECT_EQ(format_of("1 1:2\n"), Format::libsvm);
  EXPECT_EQ(format_of("# comment\n\n-1\t1:2\t3:4\n"), Format::libsvm);
  EXPECT_EQ(format_of("1 2 3\n"), Format::libsvm);  // its reader explains what is missing
  EXPECT_EQ(format_of("yes 1:2\n"), Format::libsvm);
  EXPECT_EQ(format_of("1 # 1,2\n"), Format::libsvm);
  EXPECT_EQ(format_of("a,b\n1,2\n"), Format::csv);
  EXPECT_EQ(format_of("1\t2\n"), Format::csv);
  EXPECT_EQ(format_of("\xEF\xBB\xBF"
                      "time of day;y\n10:30;2\n"),
            Format::csv);
  EXPECT_EQ(format_of(test::npy_of("<f8", "(0,)", "")), Format::npy);
  EXPECT_EQ(format_of(test::zip({})), Format::npz);
  EXPECT_EQ(format_of(test::idx(8, {1}, "1")), Format::idx);

  const test::Folder folder;
  const auto found = recognise(folder.write("misleading.npy", gzipped("1,2\n")));
  EXPECT_EQ(found.format, Format::csv);
  EXPECT_TRUE(found.gzipped);
  EXPECT_EQ(to_string(found.format), "CSV");
}

TEST(Recognise, lists_what_is_accepted) {
  for (const std::string_view bytes :
       {std::string_view("hello"), std::string_view("\x89PNG\r\n\x1a\n"), std::string_view("\0\0\0\0", 4)})
    EXPECT_NE(message([&] {
                data::recognise_bytes(bytes, "f");
              }).find("accepted are LIBSVM, CSV, NPY, NPZ and IDX, each plain or gzipped"),
              std::string::npos);
  EXPECT_EQ(
      message([&] { data::recognise_bytes("\x01hello", "f"); }),
      "f: an unknown format that starts with '\\x01hello' (accepted are LIBSVM, CSV, NPY, NPZ and IDX, each "
      "plain or gzipped). Convert the file to one of them.");
}

}  // namespace
}  // namespace ideal
