// SPDX-License-Identifier: Apache-2.0
#include "run_directory.hpp"

#include "text_file.hpp"

#include <ideal/data.hpp>
#include <ideal/error.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <sstream>
#include <system_error>

#include <fmt/chrono.h>
#include <fmt/format.h>

namespace ideal::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 5> names{"config.toml", "trace.csv", "solution.npy", "summary.json",
                                                "report.html"};

fs::path default_path(std::string_view method) {
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  return fs::path("runs") / fmt::format("{:%Y%m%dT%H%M%SZ}-{}", now, method);
}

fs::path first_free(const fs::path& wanted) {
  fs::path path = wanted;
  for (int count = 2; fs::exists(path); ++count) path = fs::path(wanted) += fmt::format("-{}", count);
  return path;
}

/// One of its files, or what was to become one when its run was killed.
bool part_of_a_run(const fs::path& file) {
  const std::string name = file.filename().string();
  const auto inside = [&](std::string_view known) { return name.find(known) != std::string::npos; };
  return name.starts_with("checkpoint-") || std::ranges::any_of(names, inside);
}

std::string csv(const Trace& trace) {
  std::ostringstream out;
  write_csv(trace, out);
  return std::move(out).str();
}

void write_files(const RunFiles& files, const fs::path& folder) {
  write_text(folder / "config.toml", files.config);
  write_text(folder / "trace.csv", csv(files.trace));
  write_npy(files.X.transpose(), folder / "solution.npy");
  write_text(folder / "summary.json", files.summary);
  write_text(folder / "report.html", files.report);
  if (files.saved) write_checkpoint(*files.saved, folder);
}

/// A folder that goes away again unless it was moved.
struct Scratch {
  explicit Scratch(fs::path folder) : path(std::move(folder)) { fs::create_directories(path); }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  fs::path path;
};

}  // namespace

RunDirectory::RunDirectory(const fs::path& path, std::string_view method, bool force)
    : path_(fs::weakly_canonical(fs::absolute(path.empty() ? default_path(method) : path))),
      may_rename_(path.empty()),
      force_(force) {
  if (!path_.has_filename()) path_ = path_.parent_path();  // "runs/a/" means "runs/a"
  if (!may_rename_) check_replaceable();
  require_creatable("--out", path_);
}

void RunDirectory::check_replaceable() const {
  const std::string place = fmt::format("--out {}", path_.string());
  if (!fs::exists(path_)) return;
  if (!fs::is_directory(path_))
    throw InputError(place, "a file", "a run needs a directory of its own", "Name another directory.");
  if (fs::is_empty(path_)) return;
  if (!force_)
    throw InputError(place, "already there", "a run never overwrites without being told to",
                     "Name another directory, or add --force.");
  // A mistyped --force must not cost anybody a folder of other things.
  for (const auto& entry : fs::directory_iterator(path_)) {
    if (part_of_a_run(entry.path())) continue;
    throw InputError(place, fmt::format("'{}' in it", entry.path().filename().string()),
                     "--force replaces run directories only",
                     "Move that file away or name another directory.");
  }
}

void RunDirectory::begin(const std::string& config, Index resumed_passes) try {
  if (may_rename_)
    path_ = first_free(path_);
  else
    check_replaceable();
  fs::create_directories(path_);
  write_text(path_ / "config.toml", config);
  for (const auto& entry : fs::directory_iterator(path_)) {
    if (entry.path().filename() == "config.toml") continue;
    if (!is_checkpoint(entry.path()) || passes_of(entry.path()) > resumed_passes) fs::remove(entry.path());
  }
  begun_ = true;
} catch (const fs::filesystem_error& error) {
  throw RunError(fmt::format("cannot write {}: {}", path_.string(), error.code().message()));
}

fs::path RunDirectory::write(const RunFiles& files) try {
  if (begun_) {  // its checkpoints stay where they are; each file is whole or not there
    write_files(files, path_);
    return path_;
  }
  const Scratch fresh(hidden_beside(path_, "new"));
  write_files(files, fresh.path);
  move_in(fresh.path);
  return path_;
} catch (const fs::filesystem_error& error) {
  throw RunError(fmt::format("cannot write {}: {}", path_.string(), error.code().message()));
}

void RunDirectory::move_in(const fs::path& fresh) {
  if (force_ && fs::exists(path_)) return replace_by(fresh);
  const fs::path wanted = path_;
  for (;;) {
    if (may_rename_) path_ = first_free(wanted);
    std::error_code error;
    fs::rename(fresh, path_, error);  // fails where another run came first
    if (!error) return;
    if (!may_rename_ || !fs::exists(path_)) throw fs::filesystem_error("rename", fresh, path_, error);
  }
}

void RunDirectory::replace_by(const fs::path& fresh) const {
  const fs::path old = hidden_beside(path_, "old");
  fs::rename(path_, old);
  std::error_code error;
  fs::rename(fresh, path_, error);
  if (error) {
    fs::rename(old, path_);
    throw fs::filesystem_error("rename", fresh, path_, error);
  }
  fs::remove_all(old);
}

}  // namespace ideal::cli
