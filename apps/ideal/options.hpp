// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/method.hpp>

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace ideal::cli {

/// The options that say what a command computes: one table from which the command line, its help page and
/// the configuration file come.
class Options {
 public:
  explicit Options(CLI::App& page) : page_(page) {}

  /// The heading of the options that follow.
  void group(std::string heading) { heading_ = std::move(heading); }

  CLI::Option* text(std::string name, std::string& field, std::string kind, std::string help);
  CLI::Option* number(std::string name, double& field, Range range, std::string help);
  CLI::Option* number(std::string name, std::optional<double>& field, Range range, std::string help);
  CLI::Option* whole(std::string name, Index& field, Range range, std::string help);
  CLI::Option* whole(std::string name, std::optional<Index>& field, Range range, std::string help);
  CLI::Option* flag(std::string name, bool& field, std::string help);
  CLI::Option* list(std::string name, std::vector<std::string>& field, std::string kind, std::string help);

  /// Sets one option from words, as the command line would; `place` is for messages.
  void assign(std::string_view key, const std::string& place, const std::vector<std::string>& words) const;

  /// Sets from a file, which this option named, what the command line left alone.
  void read(const std::filesystem::path& file, std::string_view option) const;

  /// All that is set, as such a file.
  [[nodiscard]] std::string toml() const;

 private:
  using Value = std::variant<std::monostate, bool, Index, double, std::string, std::vector<std::string>>;
  struct Entry {
    std::string name;
    CLI::Option* option;
    std::function<void(std::string_view place, const std::vector<std::string>& words)> assign;
    std::function<Value()> value;
  };

  CLI::Option* add(std::string name, std::string kind, std::string help, bool repeatable,
                   decltype(Entry::assign) assign, decltype(Entry::value) value);
  [[nodiscard]] const Entry& named(std::string_view key, const std::string& place) const;

  CLI::App& page_;
  std::string heading_ = "Options";
  std::vector<Entry> entries_;
};

}  // namespace ideal::cli
