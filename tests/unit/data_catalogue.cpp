// SPDX-License-Identifier: Apache-2.0
#include "support/data_bytes.hpp"

#include <ideal/datasets.hpp>

#include <gtest/gtest.h>

namespace ideal {
namespace {

using test::refusal;

TEST(Catalogue, names_and_splits) {
  EXPECT_EQ(find_named("mnist")->title(), "mnist");
  EXPECT_EQ(find_named("mnist:train")->title(), "mnist");
  EXPECT_EQ(find_named("mnist:test")->title(), "mnist:test");
  EXPECT_TRUE(find_named("mnist:test")->test);
  for (const char* file : {"./mnist", "mnist.csv", "MNIST", "", ":test", "/mnist:test", "synthetic:rows=3"})
    EXPECT_FALSE(find_named(file)) << file;
  EXPECT_EQ(refusal([] { find_named("mnist:tset"); }),
            "mnist:tset: no split 'tset' (the splits are train and test). Write mnist or mnist:test.");
  EXPECT_EQ(refusal([] { find_named("diabetes:test"); }),
            "diabetes:test: no split 'test' (the only split is train). Write diabetes.");
}

TEST(Catalogue, reads_from_the_cache) {
  const test::Folder cache;
  const NamedSplit split = *find_named("mnist:test");
  const std::filesystem::path file = cached_file(split, cache.path(""));
  EXPECT_EQ(refusal([&] { read_named(split, cache.path("")); }),
            fmt::format("mnist:test: no {} (a named data set is fetched once, then read from the cache). Run "
                        "'ideal data fetch mnist'.",
                        file.string()));
  EXPECT_FALSE(is_cached(*split.data, cache.path("")));

  std::filesystem::create_directories(file.parent_path());
  write_dataset({"", DenseRows::Ones(2, 3), Vector::Ones(2)}, file);
  EXPECT_EQ(read_named(split, cache.path("")).name, "mnist:test");
  EXPECT_FALSE(is_cached(*split.data, cache.path("")));  // the other split is missing
  write_dataset({"", DenseRows::Ones(2, 3), Vector::Ones(2)},
                cached_file(*find_named("mnist"), cache.path("")));
  EXPECT_TRUE(is_cached(*split.data, cache.path("")));
}

}  // namespace
}  // namespace ideal
