// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include "number.hpp"
#include "toml_file.hpp"

#include <ideal/error.hpp>

#include <algorithm>
#include <sstream>

#include <fmt/format.h>
#include <toml++/toml.h>

namespace ideal::cli {
namespace {

double parse(std::string_view place, std::string_view word, const Range& range, bool whole) {
  if (const auto value = parse_number(word, range, whole)) return *value;
  throw InputError(place, fmt::format("'{}'", word), fmt::format("takes {}", range.rule),
                   fmt::format("Give {}.", range.rule));
}

bool parse_flag(std::string_view place, std::string_view word) {
  if (word == "true" || word == "false") return word == "true";
  throw InputError(place, fmt::format("'{}'", word), "true or false", "Write true or false, without quotes.");
}

void put(::toml::table& table, const std::string& name, const auto& value) {
  using Value = std::decay_t<decltype(value)>;
  if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
    ::toml::array array;
    for (const std::string& word : value) array.push_back(word);
    table.insert(name, std::move(array));
  } else if constexpr (std::is_same_v<Value, Index>) {
    table.insert(name, static_cast<std::int64_t>(value));
  } else if constexpr (!std::is_same_v<Value, std::monostate>) {
    table.insert(name, value);
  }
}

}  // namespace

CLI::Option* Options::add(std::string name, std::string kind, std::string help, bool repeatable,
                          decltype(Entry::assign) assign, decltype(Entry::value) value) {
  const std::string flag = "--" + name;
  CLI::Option* option = page_.add_option(
      flag,
      [flag, assign](const std::vector<std::string>& words) {
        assign(flag, words);
        return true;
      },
      std::move(help));
  option->group(heading_)->type_name(std::move(kind))->type_size(1)->expected(1);
  option->multi_option_policy(repeatable ? CLI::MultiOptionPolicy::TakeAll
                                         : CLI::MultiOptionPolicy::TakeLast);
  entries_.push_back({std::move(name), option, std::move(assign), std::move(value)});
  return option;
}

CLI::Option* Options::text(std::string name, std::string& field, std::string kind, std::string help) {
  const auto assign = [&field](std::string_view, const auto& words) { field = words.back(); };
  const auto value = [&field] { return field.empty() ? Value() : Value(field); };
  return add(std::move(name), std::move(kind), std::move(help), false, assign, value)->default_str(field);
}

CLI::Option* Options::number(std::string name, double& field, Range range, std::string help) {
  const auto assign = [&field, range](std::string_view place, const auto& words) {
    field = parse(place, words.back(), range, false);
  };
  const auto value = [&field] { return Value(field); };
  return add(std::move(name), "NUMBER", std::move(help), false, assign, value)
      ->default_str(fmt::format("{}", field));
}

CLI::Option* Options::number(std::string name, std::optional<double>& field, Range range, std::string help) {
  const auto assign = [&field, range](std::string_view place, const auto& words) {
    field = parse(place, words.back(), range, false);
  };
  const auto value = [&field] { return field ? Value(*field) : Value(); };
  return add(std::move(name), "NUMBER", std::move(help), false, assign, value);
}

CLI::Option* Options::whole(std::string name, Index& field, Range range, std::string help) {
  const auto assign = [&field, range](std::string_view place, const auto& words) {
    field = static_cast<Index>(parse(place, words.back(), range, true));
  };
  const auto value = [&field] { return Value(field); };
  return add(std::move(name), "N", std::move(help), false, assign, value)
      ->default_str(fmt::format("{}", field));
}

CLI::Option* Options::whole(std::string name, std::optional<Index>& field, Range range, std::string help) {
  const auto assign = [&field, range](std::string_view place, const auto& words) {
    field = static_cast<Index>(parse(place, words.back(), range, true));
  };
  const auto value = [&field] { return field ? Value(*field) : Value(); };
  return add(std::move(name), "N", std::move(help), false, assign, value);
}

CLI::Option* Options::flag(std::string name, bool& field, std::string help) {
  const auto assign = [&field](std::string_view place, const auto& words) {
    field = parse_flag(place, words.back());
  };
  CLI::Option* option = page_.add_flag("--" + name, field, std::move(help))->group(heading_);
  entries_.push_back({std::move(name), option, assign, [&field] { return Value(field); }});
  return option;
}

CLI::Option* Options::list(std::string name, std::vector<std::string>& field, std::string kind,
                           std::string help) {
  const auto assign = [&field](std::string_view, const auto& words) { field = words; };
  const auto value = [&field] { return field.empty() ? Value() : Value(field); };
  return add(std::move(name), std::move(kind), std::move(help), true, assign, value);
}

const Options::Entry& Options::named(std::string_view key, const std::string& place) const {
  const auto entry = std::ranges::find(entries_, key, &Entry::name);
  if (entry != entries_.end()) return *entry;
  std::vector<std::string> names;
  std::ranges::transform(entries_, std::back_inserter(names), &Entry::name);
  throw InputError(place, fmt::format("unknown key '{}'", key), "the keys are the names of the options",
                   did_you_mean(key, names));
}

void Options::assign(std::string_view key, const std::string& place,
                     const std::vector<std::string>& words) const {
  const Entry& entry = named(key, place);
  entry.assign(fmt::format("{}: {}", place, entry.name), words);
}

void Options::read(const std::filesystem::path& file, std::string_view option) const {
  const auto given = [](const CLI::Option* of) { return of->count() > 0; };
  for (const auto& [key, node] : parse_toml(file, option, "a config.toml of an earlier run")) {
    const std::string place = place_of(key, file);
    const Entry& entry = named(key.str(), place);
    if (given(entry.option) || std::ranges::any_of(entry.option->get_excludes(), given)) continue;
    entry.assign(fmt::format("{}: {}", place, entry.name), words_of(node, place));
  }
}

std::string Options::toml() const {
  std::ostringstream out;
  for (const Entry& entry : entries_) {
    ::toml::table line;
    std::visit([&](const auto& value) { put(line, entry.name, value); }, entry.value());
    if (!line.empty()) out << line << '\n';
  }
  return out.str();
}

}  // namespace ideal::cli
