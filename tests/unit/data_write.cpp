// SPDX-License-Identifier: Apache-2.0
#include "support/data_bytes.hpp"

#include <ideal/data.hpp>

#include <csignal>

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace ideal {
namespace {

/// Makes every write beyond `bytes` of a file fail, as a full disk would.
class SmallDisk {
 public:
  explicit SmallDisk(rlim_t bytes) : old_handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &old_limit_);
    const rlimit limit{bytes, old_limit_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~SmallDisk() {
    setrlimit(RLIMIT_FSIZE, &old_limit_);
    std::signal(SIGXFSZ, old_handler_);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

 private:
  rlimit old_limit_{};
  void (*old_handler_)(int);
};

Dataset sample() {
  return {"sample", (DenseRows(2, 2) << 0.1, 0, -3, 1e-300).finished(), (Vector(2) << -1, 1).finished()};
}

TEST(Write, libsvm_and_csv_are_plain_to_read) {
  const test::Folder folder;
  write_dataset(sample(), folder.path("a.svm"));
  EXPECT_EQ(folder.read("a.svm"), "-1 1:0.1\n1 1:-3 2:1e-300\n");
  write_dataset(sample(), folder.path("a.csv"));
  EXPECT_EQ(folder.read("a.csv"), "x1,x2,label\n0.1,0,-1\n-3,1e-300,1\n");
  EXPECT_EQ(folder.files(), 2u);
}

TEST(Write, libsvm_keeps_an_empty_last_column) {
  const test::Folder folder;
  Dataset data = sample();
  std::get<DenseRows>(data.features).col(1).setZero();
  write_dataset(data, folder.path("a.svm"));
  EXPECT_EQ(folder.read("a.svm"), "-1 1:0.1 2:0\n1 1:-3\n");
  EXPECT_EQ(read_dataset(folder.path("a.svm")).columns(), 2);
}

TEST(Write, a_full_disk_leaves_the_old_file_and_no_other) {
  const test::Folder folder;
  const Dataset large = synthesize({.rows = 500});
  for (const std::string_view name : {"a.svm", "a.csv", "a.csv.gz", "a.npy", "a.npz"}) {
    const auto file = folder.write(name, "old");
    const SmallDisk disk(1000);
    try {
      write_dataset(large, file);
      ADD_FAILURE() << name << " was written";
    } catch (const RunError& error) {
      EXPECT_EQ(error.what(), fmt::format("cannot write {}: File too large", file.string()));
    }
    EXPECT_EQ(folder.read(name), "old");
  }
  EXPECT_EQ(folder.files(), 5u);
}

TEST(Write, refuses_places_that_cannot_hold_a_file) {
  const test::Folder folder;
  EXPECT_THROW(write_dataset(sample(), folder.path("missing/a.csv")), RunError);
  std::filesystem::create_directory(folder.path("folder.csv"));
  EXPECT_THROW(write_dataset(sample(), folder.path("folder.csv")), RunError);
  EXPECT_THROW(write_npy(DenseRows::Zero(1, 1), "/dev/null"), RunError);
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(Write, follows_a_link_to_the_file_it_names) {
  const test::Folder folder;
  const auto real = folder.write("real.csv", "old");
  std::filesystem::create_symlink(real, folder.path("link.csv"));
  write_dataset(sample(), folder.path("link.csv"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder.path("link.csv")));
  EXPECT_EQ(read_dataset(real).rows(), 2);
}

TEST(Write, refuses_unknown_extensions) {
  for (const std::string_view name : {"a.txt", "a", "a.npy.gz", "a.npz.gz", "a.gz"})
    EXPECT_NE(
        test::message([&] { write_dataset(sample(), name); }).find("the extension names the format to write"),
        std::string::npos)
        << name;
}

}  // namespace
}  // namespace ideal
