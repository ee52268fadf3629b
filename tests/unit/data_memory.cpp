// SPDX-License-Identifier: Apache-2.0
// A process that reads a quarter of a file takes little more memory than that quarter.
#include "support/data_bytes.hpp"

#include <ideal/outline.hpp>

#include <cstdio>
#include <fstream>
#include <functional>

#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ideal {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool memory_is_ours = false;  // a sanitizer takes more than what is measured
#elif defined(__has_feature)
constexpr bool memory_is_ours = !(__has_feature(address_sanitizer) || __has_feature(thread_sanitizer));
#else
constexpr bool memory_is_ours = true;
#endif

constexpr double mebibyte = 1 << 20;

/// A line of /proc/self/status, in bytes.
double status(std::string_view key) {
  std::ifstream in("/proc/self/status");
  for (std::string word; in >> word;)
    if (word == key) {
      double kibibytes = 0;
      in >> kibibytes;
      return kibibytes * 1024;
    }
  return -1;
}

/// How much more memory a process of its own takes for `action` than before, at most; negative on failure.
double growth(const std::function<void()>& action) {
  int ends[2];
  if (::pipe(ends) != 0) return -1;
  const pid_t child = ::fork();
  if (child == 0) {
    double most = -1;
    try {
      ::malloc_trim(0);                             // what was used and freed before would hide growth
      std::ofstream("/proc/self/clear_refs") << 5;  // the highest mark becomes the present
      const double before = status("VmRSS:");
      action();
      most = status("VmHWM:") - before;
    } catch (...) {
    }
    ::_exit(::write(ends[1], &most, sizeof most) == sizeof most ? 0 : 1);
  }
  double most = -1;
  ::close(ends[1]);
  if (child < 0 || ::read(ends[0], &most, sizeof most) != sizeof most) most = -1;
  ::close(ends[0]);
  if (child > 0) ::waitpid(child, nullptr, 0);
  return most;
}

std::vector<Index> every_fourth(Index rows) {
  std::vector<Index> some;
  for (Index row = 1; row < rows; row += 4) some.push_back(row);
  return some;
}

std::vector<Index> third_quarter(Index rows) {
  std::vector<Index> some;
  for (Index row = rows / 2; row < rows / 4 * 3; ++row) some.push_back(row);
  return some;
}

/// Outline included, which every process has.
void expect_a_quarter(const std::filesystem::path& file, Index rows, double whole_bytes) {
  if (!memory_is_ours) GTEST_SKIP() << "memory of the sanitizer";
  for (const auto& choice : {every_fourth(rows), third_quarter(rows)}) {
    const double taken = growth([&] {
      const Outline found = outline(file);
      const Dataset some = read_rows(file, {}, found, choice);
      if (some.rows() != std::ssize(choice)) throw std::runtime_error("rows");
    });
    EXPECT_GT(taken, 0.2 * whole_bytes) << "that would be too little for a quarter";
    EXPECT_LT(taken, 1.3 * 0.25 * whole_bytes);
    std::printf("%s: %.1f MiB for a quarter of %.1f MiB\n", file.filename().c_str(), taken / mebibyte,
                whole_bytes / mebibyte);
  }
}

TEST(Memory, of_a_quarter_of_an_array) {
  constexpr Index rows = 8192, columns = 1025;
  const test::Folder folder;
  write_dataset({"", DenseRows::Ones(rows, columns - 1), Vector::Ones(rows)}, folder.path("a.npy"));
  write_dataset({"", DenseRows::Ones(rows, columns - 1), Vector::Ones(rows)}, folder.path("a.npz"));
  for (const char* name : {"a.npy", "a.npz"}) expect_a_quarter(folder.path(name), rows, rows * columns * 8.0);
}

TEST(Memory, of_a_whole_array_is_not_that_of_the_file_besides) {
  if (!memory_is_ours) GTEST_SKIP() << "memory of the sanitizer";
  constexpr Index rows = 4096, columns = 1025;
  const test::Folder folder;
  write_dataset({"", DenseRows::Ones(rows, columns - 1), Vector::Ones(rows)}, folder.path("a.npy"));
  const double taken = growth([&] {
    if (read_dataset(folder.path("a.npy")).rows() != rows) throw std::runtime_error("rows");
  });
  EXPECT_GT(taken, 0.9 * rows * columns * 8);
  EXPECT_LT(taken, 1.3 * rows * columns * 8);
}

TEST(Memory, of_a_quarter_of_a_text) {
  constexpr Index rows = 40000, features = 100;
  std::string row = "1";
  for (Index index = 1; index <= features; ++index) row += fmt::format(" {}:0.{}", index, index * 7919);
  row += "\n";
  const test::Folder folder;
  {
    std::ofstream out(folder.path("a.svm"));
    for (Index k = 0; k < rows; ++k) out << row;
  }
  expect_a_quarter(folder.path("a.svm"), rows, rows * (features * 12.0 + 12));
  const std::string some = folder.read("a.svm");
  const auto packed = folder.write("a.svm.gz", test::gzipped(some));
  expect_a_quarter(packed, rows, rows * (features * 12.0 + 12));
}

}  // namespace
}  // namespace ideal
