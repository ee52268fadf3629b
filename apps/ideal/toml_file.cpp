// SPDX-License-Identifier: Apache-2.0
#include "toml_file.hpp"

#include <ideal/error.hpp>

#include <fmt/format.h>

namespace ideal::cli {

std::string word_of(const ::toml::node& node, std::string_view place) {
  if (const auto text = node.value_exact<std::string>()) return *text;
  if (const auto truth = node.value_exact<bool>()) return *truth ? "true" : "false";
  if (const auto whole = node.value_exact<std::int64_t>()) return fmt::format("{}", *whole);
  if (const auto real = node.value_exact<double>()) return fmt::format("{}", *real);
  throw InputError(place, "a value that is neither text, number nor truth", "an option takes one of these",
                   "Write it as config.toml of an earlier run does.");
}

std::vector<std::string> words_of(const ::toml::node& node, std::string_view place) {
  const auto* array = node.as_array();
  if (!array) return {word_of(node, place)};
  std::vector<std::string> words;
  for (const auto& element : *array) words.push_back(word_of(element, place));
  return words;
}

std::string place_of(const ::toml::key& key, const std::filesystem::path& file) {
  return fmt::format("{}:{}", file.string(), key.source().begin.line);
}

::toml::table parse_toml(const std::filesystem::path& file, std::string_view option, std::string_view what) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored))
    throw InputError(fmt::format("{} {}", option, file.string()), "no such file", what, "Check the path.");
  try {
    return ::toml::parse_file(file.string());
  } catch (const ::toml::parse_error& error) {
    throw InputError(fmt::format("{}:{}", file.string(), error.source().begin.line), error.description(),
                     "a configuration is TOML", "Write key = value, with text in quotes.");
  }
}

}  // namespace ideal::cli
