// SPDX-License-Identifier: Apache-2.0
#include "support/by_rows.hpp"
#include "support/data_bytes.hpp"

#include <ideal/data.hpp>

#include <chrono>
#include <fstream>
#include <numeric>

#include <gtest/gtest.h>
#include <unistd.h>

namespace ideal {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view svm_text = "1 1:0.5 3:-2\n-1 2:7\n";
constexpr std::string_view csv_text = "a,b,c\n1,2.5,-1\n3,4,1\n";

bool same(const Dataset& a, const Dataset& b) {
  std::vector<Index> all(static_cast<std::size_t>(b.rows()));
  std::iota(all.begin(), all.end(), Index{0});
  return a.name == b.name && test::same_rows(a, all, b);
}

class Parsed : public testing::Test {
 protected:
  [[nodiscard]] Dataset read(const fs::path& file, const ReadOptions& options = {}) const {
    return read_cached(file, options, cache);
  }

  [[nodiscard]] std::vector<fs::path> entries() const {
    std::vector<fs::path> files;
    if (fs::exists(cache.folder))
      for (const auto& file : fs::directory_iterator(cache.folder)) files.push_back(file.path());
    return files;
  }

  [[nodiscard]] fs::path only_entry() const {
    EXPECT_EQ(entries().size(), 1u);
    return entries().at(0);
  }

  test::Folder folder;
  ParsedCache cache{.folder = folder.path("cache/parsed"), .least_file = 0};
};

TEST_F(Parsed, text_is_the_same_from_the_cache) {
  for (const std::string_view text : {svm_text, csv_text})
    for (const bool packed : {false, true}) {
      const auto file = folder.write("a", packed ? test::gzipped(text) : std::string(text));
      const Dataset truth = read_dataset(file);
      for (const int threads : {1, 1, 3}) EXPECT_TRUE(same(read(file, {.threads = threads}), truth));
    }
  EXPECT_EQ(entries().size(), 4u);
}

TEST_F(Parsed, what_else_is_in_the_folder_is_left_alone) {
  fs::create_directories(cache.folder);
  const fs::path own = cache.folder / "letters.txt";
  std::ofstream(own) << std::string(5000, 'x');
  for (const std::string_view text : {"1 1:2\n", "1 1:3\n"}) {
    (void)read(folder.write("a.svm", text));
    for (const fs::path& entry : entries())
      if (entry != own) cache.most = fs::file_size(entry) * 3 / 2;  // room for one at a time
  }
  EXPECT_TRUE(fs::exists(own));
  EXPECT_EQ(entries().size(), 2u);
}

// Under the name of one file's entry lies that of another: who finds it has not parsed.
TEST_F(Parsed, text_is_not_parsed_again) {
  const auto first = folder.write("a", svm_text);
  (void)read(first);
  const fs::path first_entry = only_entry();
  const auto second = folder.write("b", "5 1:1\n");
  (void)read(second);
  for (const fs::path& entry : entries())
    if (entry != first_entry) fs::copy_file(entry, first_entry, fs::copy_options::overwrite_existing);
  EXPECT_EQ(read(first).labels, Vector::Constant(1, 5));
}

TEST_F(Parsed, other_content_is_another_entry) {
  (void)read(folder.write("a", "1 1:1\n"));
  EXPECT_EQ(read(folder.write("a", "2 1:1\n")).labels, Vector::Constant(1, 2));
  EXPECT_EQ(entries().size(), 2u);
}

TEST_F(Parsed, other_options_are_another_entry) {
  const auto file = folder.write("a.csv", csv_text);
  (void)read(file);
  const Dataset by_name = read(file, {.label = "a"});
  EXPECT_TRUE(same(by_name, read_dataset(file, {.label = "a"})));
  EXPECT_EQ(entries().size(), 2u);
}

TEST_F(Parsed, content_counts_and_not_the_name) {
  (void)read(folder.write("a", svm_text));
  EXPECT_EQ(read(folder.write("b", svm_text)).name, "b");
  EXPECT_EQ(entries().size(), 1u);
}

TEST_F(Parsed, a_damaged_entry_is_made_anew) {
  const auto file = folder.write("a", svm_text);
  const Dataset truth = read(file);
  const fs::path entry = only_entry();
  const std::string name = "cache/parsed/" + entry.filename().string();
  const std::string whole = folder.read(name);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    (void)folder.write(name, damaged);
    ASSERT_TRUE(same(read(file), truth)) << at;
    ASSERT_EQ(folder.read(name), whole) << at;
    (void)folder.write(name, whole.substr(0, at));
    ASSERT_TRUE(same(read(file), truth)) << at;
    ASSERT_EQ(folder.read(name), whole) << at;
  }
}

TEST_F(Parsed, a_cache_that_cannot_be_made_is_no_error) {
  (void)folder.write("cache", "a file where the folder should be");
  const auto file = folder.write("a", svm_text);
  EXPECT_TRUE(same(read(file), read_dataset(file)));
}

TEST_F(Parsed, a_cache_that_cannot_be_written_is_no_error) {
  const auto file = folder.write("a", svm_text);
  fs::create_directories(folder.path("cache"));
  constexpr auto readable = fs::perms::owner_read | fs::perms::group_read | fs::perms::others_read;
  constexpr auto enterable = fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec;
  fs::permissions(file, readable);
  fs::permissions(folder.path("cache"), readable | enterable);
  fs::permissions(folder.path(""), readable | enterable | fs::perms::owner_write);
  const bool root = ::geteuid() == 0;  // who may write everywhere, and is somebody else meanwhile
  constexpr uid_t nobody = 65534;
  ASSERT_TRUE(!root || ::seteuid(nobody) == 0);
  const bool equal = same(read(file), read_dataset(file));
  ASSERT_TRUE(!root || ::seteuid(0) == 0);
  EXPECT_TRUE(equal);
  EXPECT_TRUE(fs::is_empty(folder.path("cache")));
  fs::permissions(folder.path("cache"), fs::perms::owner_all);
}

TEST_F(Parsed, others_cannot_read_what_may_be_private) {
  (void)read(folder.write("a", svm_text));
  EXPECT_EQ(fs::status(cache.folder).permissions(), fs::perms::owner_all);
}

TEST_F(Parsed, small_files_and_binary_ones_are_not_kept) {
  const auto array = folder.write("a.npy", test::npy_of("<f8", "(1, 2)", test::values<double>({1, 2})));
  (void)read(array);
  EXPECT_TRUE(entries().empty());
  cache.least_file = svm_text.size() + 1;
  (void)read(folder.write("a", svm_text));
  EXPECT_TRUE(entries().empty());
  cache.least_file = svm_text.size();
  (void)read(folder.write("a", svm_text));
  EXPECT_EQ(entries().size(), 1u);
}

TEST_F(Parsed, what_was_not_used_for_longest_makes_room) {
  const auto file = [&](int label) { return folder.write("f", fmt::format("{} 1:1\n", label)); };
  const auto age = [&](const fs::path& entry, int hours) {
    fs::last_write_time(entry, fs::file_time_type::clock::now() - std::chrono::hours(hours));
  };
  (void)read(file(1));
  const fs::path first = only_entry();
  const std::uint64_t size = fs::file_size(first);
  (void)read(file(2));
  fs::path second;
  for (const fs::path& entry : entries())
    if (entry != first) second = entry;
  age(first, 3);
  age(second, 2);
  (void)read(file(1));  // used just now
  cache.most = 2 * size + size / 2;
  (void)read(file(3));
  EXPECT_EQ(entries().size(), 2u);
  EXPECT_TRUE(fs::exists(first));
  EXPECT_FALSE(fs::exists(second));
  cache.most = size / 2;
  (void)read(file(4));
  EXPECT_TRUE(fs::exists(first)) << "what can never fit drives nothing out";
}

TEST_F(Parsed, bad_text_is_refused_as_ever) {
  const auto file = folder.write("a", "1 1:1\n1 0:1\n");
  EXPECT_EQ(test::message([&] { (void)read(file); }), test::message([&] { (void)read_dataset(file); }));
  EXPECT_TRUE(entries().empty());
  EXPECT_NE(test::message([&] { (void)read(folder.path("missing")); }).find("No such file"),
            std::string::npos);
}

}  // namespace
}  // namespace ideal
