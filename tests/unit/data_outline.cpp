// SPDX-License-Identifier: Apache-2.0
#include "support/by_rows.hpp"
#include "support/data_bytes.hpp"

#include <ideal/datasets.hpp>
#include <ideal/loss.hpp>
#include <ideal/outline.hpp>

#include <cmath>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>
#include <sys/stat.h>

namespace ideal {
namespace {

using test::message;
using test::npy_of;
using test::values;

using Chosen = std::vector<Index>;

/// Every part, all rows, some rows in disorder, none.
void expect_by_rows(const std::filesystem::path& file, const ReadOptions& options = {}) {
  const Dataset whole = read_dataset(file, options);
  for (Index parts = 1; parts <= 7; ++parts) {
    const Outline found = test::outline_in_parts(file, options, parts);
    EXPECT_TRUE(test::same_bits(found.labels, whole.labels)) << file << parts;
    EXPECT_EQ(found.columns, whole.columns()) << file << parts;
    EXPECT_EQ(found.sparse, whole.sparse()) << file << parts;
    const Index last = whole.rows() - 1;
    for (const Chosen& rows : {Chosen{}, Chosen{0}, Chosen{last}, Chosen{last, 0, last / 2, last, 0}}) {
      const Dataset some = read_rows(file, options, found, rows);
      EXPECT_TRUE(test::same_rows(some, rows, whole)) << file << parts;
      EXPECT_EQ(some.name, whole.name);
    }
  }
}

TEST(Outline, tells_labels_and_where_rows_are) {
  const test::Folder folder;
  const auto file = folder.write("a.svm", "# title\n1 1:2\n\n-1 3:4 # no more\n");
  const Outline found = outline(file);
  EXPECT_EQ(found.labels, (Vector(2) << 1, -1).finished());
  EXPECT_EQ(found.columns, 3);
  EXPECT_TRUE(found.sparse);
  EXPECT_EQ(found.format, Format::libsvm);
  EXPECT_EQ(found.lines, 4);
  ASSERT_EQ(found.landmarks.size(), 1u);
  EXPECT_EQ(found.landmarks[0].row, 0);
  EXPECT_EQ(found.landmarks[0].line, 1);
  EXPECT_EQ(found.landmarks[0].offset, 8u);
}

TEST(Outline, serves_text) {
  const test::Folder folder;
  const std::string svm =
      "\xEF\xBB\xBF# title\r\n\r\n1 qid:7 1:1 # 2:2\r\n \t\n2\t2:+3  \n3 1:-0.0 qid:2 5:1e-400\n\n4";
  expect_by_rows(folder.write("a.svm", svm));
  expect_by_rows(folder.write("a.svm.gz", test::gzipped(svm)));
  const std::string csv =
      "\xEF\xBB\xBF\r\n\"a;b\",\"the \"\"class\"\"\",c\r\n1,0,\" 2 \"\n\n+3,1,4\r\n5,6,-0.0";
  expect_by_rows(folder.write("a.csv", csv));
  expect_by_rows(folder.write("a.csv", csv), {.label = "the \"class\"", .labels = {}});
  expect_by_rows(folder.write("a.csv.gz", test::gzipped(csv)), {.label = "a;b", .labels = {}});
  expect_by_rows(folder.write("b.csv", "1;2\n3;4\n"));
}

TEST(Outline, serves_arrays) {
  const test::Folder folder;
  const std::string array =
      npy_of(">i2", "(3, 2)", values<std::int16_t>({1, 2, 3, 4, 5, 6}, std::endian::big));
  const std::string y = npy_of("<f4", "(3,)", values<float>({0.5, 1, 2}));
  const ReadOptions elsewhere{.label = {}, .labels = folder.write("y.npy", y)};
  for (const bool packed : {false, true}) {
    const auto file = folder.write(packed ? "a.npy.gz" : "a.npy", packed ? test::gzipped(array) : array);
    expect_by_rows(file);
    expect_by_rows(file, elsewhere);
    const std::string images = test::idx(8, {3, 1, 2}, "abcdef");
    const auto beside = folder.write("b-labels-idx1-ubyte", test::idx(8, {3}, "xyz"));
    expect_by_rows(folder.write(packed ? "b-images-idx3-ubyte.gz" : "b-images-idx3-ubyte",
                                packed ? test::gzipped(images) : images));
  }
}

TEST(Outline, serves_archives) {
  const test::Folder folder;
  const std::string y = npy_of("<i8", "(3,)", values<std::int64_t>({-1, 1, 1}));
  const std::vector<std::pair<std::string, std::string>> dense{
      {"X.npy", npy_of("<f4", "(3, 2)", values<float>({1, 2, 3, 4, 5, 6}))}, {"y.npy", y}},
      sparse{{"indices.npy", npy_of("<i8", "(3,)", values<std::int64_t>({1, 0, 2}))},
             {"indptr.npy", npy_of("<i4", "(4,)", values<std::int32_t>({0, 1, 1, 3}))},
             {"format.npy", npy_of("|S3", "()", "csr")},
             {"shape.npy", npy_of("<i8", "(2,)", values<std::int64_t>({3, 3}))},
             {"data.npy", npy_of("<f8", "(3,)", values<double>({5, 6, 7}))},
             {"y.npy", y}};
  const ReadOptions elsewhere{.label = {}, .labels = folder.write("y.npy", y)};
  for (const auto& members : {dense, sparse})
    for (const bool deflate : {false, true}) {
      const std::string archive = test::zip(members, {.deflate = deflate, .zip64 = deflate});
      expect_by_rows(folder.write("a.npz", archive));
      expect_by_rows(folder.write("a.npz", archive), elsewhere);
      expect_by_rows(folder.write("a.npz.gz", test::gzipped(archive)));
    }
}

TEST(Outline, serves_named_data_sets) {
  const test::Folder cache;
  const NamedSplit split = *find_named("heart_scale");
  EXPECT_NE(message([&] { rows_file(split, cache.path("")); }).find("ideal data fetch"), std::string::npos);
  const auto file = cached_file(split, cache.path(""));
  std::filesystem::create_directories(file.parent_path());
  write_dataset({"", DenseRows::Random(5, 3), Vector::Ones(5)}, file);
  EXPECT_EQ(rows_file(split, cache.path("")), file);
  expect_by_rows(file);
}

/// What the first of the parts that refuses says.
std::string refused_in_parts(const std::filesystem::path& file, Index parts) {
  return message([&] { test::outline_in_parts(file, {}, parts); });
}

TEST(Outline, names_the_true_line_from_whichever_part) {
  const test::Folder folder;
  for (const int bad : {1, 2, 50, 99, 100}) {
    std::string svm = "# title\n", csv = "x,label\r\n";
    for (int row = 1; row <= 100; ++row) {
      svm += row == bad ? "1 0:1\n\n" : "1 1:1 # comment\n\n";
      csv += row == bad ? "1,red\r\n" : "1,2\r\n";
    }
    const auto sparse = folder.write("a.svm", svm), dense = folder.write("a.csv", csv);
    EXPECT_EQ(message([&] { read_dataset(sparse); }),
              fmt::format("{}:{}: index 0 (LIBSVM indices start at 1 and ascend). Write 1 for the first "
                          "feature.",
                          sparse.string(), 2 * bad));
    for (const Index parts : {1, 2, 3, 7, 1000}) {
      EXPECT_EQ(refused_in_parts(sparse, parts), message([&] { read_dataset(sparse); })) << parts;
      EXPECT_EQ(refused_in_parts(dense, parts), message([&] { read_dataset(dense); })) << parts;
    }
  }
}

TEST(Outline, refuses_what_a_data_set_is_refused_for) {
  const test::Folder folder;
  const std::vector<std::filesystem::path> files{
      folder.write("empty.svm", "# nothing\n1\n2\n"),
      folder.write("one.csv", "a,b\n"),
      folder.write("cut.npy", npy_of("<f8", "(2, 2)", values<double>({1, 2, 3}))),
      folder.write("cut.npy.gz", test::gzipped(npy_of("<f8", "(2, 2)", values<double>({1, 2, 3})))),
      folder.write("long.npy.gz", test::gzipped(npy_of("<f8", "(1, 2)", values<double>({1, 2, 3})))),
      folder.write("nan.npy", npy_of("<f8", "(2, 2)", values<double>({1, 2, 3, std::nan("")}))),
      folder.write("no-labels.npz", test::zip({{"X.npy", npy_of("<f8", "(1, 1)", values<double>({1}))}})),
      folder.write("lonely", test::idx(8, {1, 1}, "a")),
      folder.write("unknown", "\x01"),
      folder.write("cut.svm.gz", test::gzipped("1 1:1\n").substr(0, 20)),
      folder.path("missing")};
  for (const auto& file : files)
    for (const Index parts : {1, 3})
      EXPECT_EQ(refused_in_parts(file, parts), message([&] { read_dataset(file); })) << file << parts;
}

TEST(Outline, is_not_made_of_a_pipe) {
  const test::Folder folder;
  const auto pipe = folder.path("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const auto while_writing = [&](auto action) {
    std::thread writer([&] { std::ofstream(pipe) << "1 1:2\n"; });
    action();
    writer.join();
  };
  while_writing([&] { EXPECT_EQ(read_dataset(pipe).rows(), 1); });
  while_writing([&] {
    EXPECT_EQ(message([&] { outline(pipe); }),
              pipe.string() +
                  ": a pipe (a file that is read by rows can be read more than once). "
                  "Write the data to a file.");
  });
}

TEST(Outline, has_parts_that_exist) {
  const test::Folder folder;
  const auto file = folder.write("a.csv", "1,2\n");
  EXPECT_EQ(message([&] { outline(file, {}, 2, 2); }),
            "outline: part 2 of 2 (parts count from 0 and are fewer than there are). Ask for a part that "
            "exists.");
}

TEST(Outline, does_not_survive_damage_on_the_way) {
  const test::Folder folder;
  const std::string sent = to_bytes(outline(folder.write("a.svm", "1 1:2\n2 2:3\n")));
  for (std::size_t size = 0; size < sent.size(); ++size)
    EXPECT_THROW(outline_from_bytes(std::string_view(sent).substr(0, size)), InputError) << size;
  EXPECT_THROW(outline_from_bytes(sent + "x"), InputError);
  for (std::size_t at = 0; at < sent.size(); ++at)
    for (const int wrong : {0x00, 0x7f, 0x80, 0xff}) {
      std::string damaged = sent;
      damaged[at] = static_cast<char>(wrong);
      try {
        const Outline found = outline_from_bytes(damaged);  // a wrong label is none of its business
        EXPECT_EQ(found.labels.size(), 2);
      } catch (const InputError&) {
      }
    }
}

TEST(ReadRows, refuses_rows_that_are_not_there) {
  const test::Folder folder;
  const auto file = folder.write("a.svm", "1 1:2\n2 2:3\n");
  const Outline found = outline(file);
  for (const Index row : {-1, 2})
    EXPECT_EQ(message([&] {
                read_rows(file, {}, found, Chosen{0, row});
              }),
              fmt::format("{}: row {} (the file has 2 rows, counted from 0). Ask for rows that are there.",
                          file.string(), row));
}

TEST(ReadRows, names_the_row_of_the_file) {
  const test::Folder folder;
  const auto file =
      folder.write("a.npy", npy_of("<f8", "(3, 2)", values<double>({1, 2, 3, 4, std::nan(""), 6})));
  const Outline found = outline(file);
  EXPECT_EQ(read_rows(file, {}, found, Chosen{1}).labels[0], 4);
  EXPECT_EQ(message([&] { read_rows(file, {}, found, Chosen{2, 0}); }), message([&] { read_dataset(file); }));
}

TEST(ReadRows, notices_another_file) {
  const test::Folder folder;
  const Chosen last{1};
  const auto changes = [&](std::string_view name, std::string_view before, std::string_view after) {
    const auto file = folder.write(name, before);
    const Outline found = outline(file);
    const auto same = folder.write(name, after);
    return message([&] { read_rows(same, {}, found, last); }).find("other rows than before") !=
           std::string::npos;
  };
  EXPECT_TRUE(changes("a.svm", "1 1:2\n2 2:3\n", "1 1:2\n"));
  EXPECT_TRUE(changes("a.svm", "1 1:2\n2 2:3\n", "1 1:2\n2 3:3\n"));
  EXPECT_TRUE(changes("a.csv", "1,2\n3,4\n", "1,2,3\n4,5,6\n"));
  EXPECT_TRUE(changes("a.npy", npy_of("|u1", "(2, 2)", "abcd"), npy_of("|u1", "(2, 3)", "abcdef")));
}

TEST(Shards, are_named_by_one_integer_conversion) {
  for (const char* pattern : {"part-%d.svm", "%04d", "a%%b%3d.csv"})
    EXPECT_TRUE(is_shard_pattern(pattern)) << pattern;
  for (const char* file :
       {"", "a.svm", "100%%.csv", "%d-%d.csv", "%s", "%", "a%", "%4", "%99d", "%-4d", "%ld", "%5.2f"})
    EXPECT_FALSE(is_shard_pattern(file)) << file;
  EXPECT_EQ(shard_file("part-%d.svm", 12), "part-12.svm");
  EXPECT_EQ(shard_file("shards/part-%04d.svm", 12), "shards/part-0012.svm");
  EXPECT_EQ(shard_file("%02d", 12345), "12345");
  EXPECT_EQ(shard_file("a%%b%3d", 7), "a%b  7");
  EXPECT_EQ(message([] { shard_file("a.svm", 3); }),
            "'a.svm': no file of agent 3 (a pattern holds one %d for the number of the agent, from 0). Write "
            "for example shards/part-%04d.svm.");
}

TEST(Division, is_what_a_partition_does) {
  for (const std::string_view kind : {"contiguous", "shuffled", "by-label", "dirichlet:0.3"}) {
    const Dataset whole = synthesize({.rows = 101, .columns = 3, .classes = 4, .density = 0.5});
    Dataset moved = whole;
    const Division division = divide(whole.labels, kind, 7, 5);
    EXPECT_EQ(partition(moved, kind, 7, 5), division.offsets) << kind;
    EXPECT_TRUE(test::same_rows(moved, division.order, whole)) << kind;
  }
}

TEST(Labels, are_prepared_without_features) {
  Vector labels{{8, 3, 3, 8}};
  EXPECT_EQ(prepare_labels(labels, "a.svm", LossKind::logistic), 2);
  EXPECT_EQ(labels, (Vector{{1, -1, -1, 1}}));
  labels[0] = 7;
  EXPECT_NE(message([&] { prepare_labels(labels, "a.svm", LossKind::logistic); }).find("a.svm: 3 distinct"),
            std::string::npos);
}

}  // namespace
}  // namespace ideal
