// SPDX-License-Identifier: Apache-2.0
#include "support/data_bytes.hpp"

#include <ideal/datasets.hpp>

#include <gtest/gtest.h>

namespace ideal {
namespace {

using test::message;

TEST(Catalogue, names_and_splits) {
  EXPECT_EQ(find_named("mnist")->title(), "mnist");
  EXPECT_EQ(find_named("mnist:train")->title(), "mnist");
  EXPECT_EQ(find_named("mnist:test")->title(), "mnist:test");
  EXPECT_TRUE(find_named("mnist:test")->test);
  for (const char* file : {"./mnist", "mnist.csv", "MNIST", "", ":test", "/mnist:test", "synthetic:rows=3"})
    EXPECT_FALSE(find_named(file)) << file;
  EXPECT_EQ(message([] { find_named("mnist:tset"); }),
            "mnist:tset: no split 'tset' (the splits are train and test). Write mnist or mnist:test.");
  EXPECT_EQ(message([] { find_named("diabetes:test"); }),
            "diabetes:test: no split 'test' (the only split is train). Write diabetes.");
}

TEST(Catalogue, reads_from_the_cache) {
  const test::Folder cache;
  const NamedSplit split = *find_named("mnist:test");
  const std::filesystem::path file = cached_file(split, cache.path(""));
  EXPECT_EQ(message([&] { read_named(split, cache.path("")); }),
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

TEST(Catalogue, two_classes_are_the_rows_of_the_whole) {
  const test::Folder cache;
  const NamedSplit split = *find_named("digits");
  std::filesystem::create_directories(cached_file(split, cache.path("")).parent_path());
  DenseRows features(5, 2);
  features << 1, 2, 3, 4, 5, 6, 7, 8, 9, 10;
  const Vector labels = (Vector(5) << 3, 1, 8, 3, 0).finished();
  write_dataset({"", features, labels}, cached_file(split, cache.path("")));

  Dataset whole = read_named(split, cache.path(""));
  EXPECT_EQ(std::get<DenseRows>(whole.features), features);
  keep_classes(whole, 8, 3);
  Dataset part = read_named(split, cache.path(""), ClassPair{8, 3});
  EXPECT_EQ(part.rows(), 3);
  keep_classes(part, 8, 3);
  EXPECT_EQ(std::get<DenseRows>(part.features), std::get<DenseRows>(whole.features));
  EXPECT_EQ(part.labels, whole.labels);
  EXPECT_EQ(read_named(split, cache.path(""), ClassPair{3, 12}).rows(), 5);  // for a message that lists all
}

TEST(Catalogue, images_have_features_by_name) {
  for (const std::string name : {"cifar10-ckn", "cifar10-ckn:test", "mnist-ckn:test"}) {
    const auto split = find_named(name);
    ASSERT_TRUE(split.has_value()) << name;
    EXPECT_TRUE(split->ckn);
    EXPECT_EQ(split->title(), name);
  }
  EXPECT_FALSE(find_named("cifar10")->ckn);
  EXPECT_FALSE(find_named("cifar11-ckn").has_value());
  EXPECT_THROW(find_named("diabetes-ckn"), InputError) << "numbers about patients are no images";
  EXPECT_THROW(find_named("mnist-ckn:tset"), InputError);
}

}  // namespace
}  // namespace ideal
