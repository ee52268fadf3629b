// SPDX-License-Identifier: Apache-2.0
#include <ideal/error.hpp>
#include <ideal/method.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ideal {

namespace {

std::string place(std::string_view key) { return fmt::format("--set {}", key); }

template <class Value>
std::string shown(const std::optional<Value>& value) {
  return value ? fmt::format("{}", *value) : "auto";
}

bool parse_flag(std::string_view key, std::string_view text) {
  if (text == "true") return true;
  if (text == "false") return false;
  throw InputError(place(key), fmt::format("'{}'", text), "true or false",
                   fmt::format("Write {}=true or {}=false.", key, key));
}

/// The rule and the assignment of an optional field: "auto" hands the choice back to the method.
template <class Value, class Parse>
auto or_auto(std::optional<Value>& field, Parse parse) {
  return [&field, parse](std::string_view text) {
    if (text == "auto")
      field.reset();
    else
      field = parse(text);
  };
}

}  // namespace

double Fields::parse_number(std::string_view key, std::string_view text, const Range& range, bool whole) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool parsed = error == std::errc() && end == text.data() + text.size() && std::isfinite(value);
  const bool inside = parsed && (range.low_open ? value > range.low : value >= range.low) &&
                      (range.high_open ? value < range.high : value <= range.high);
  if (!inside || (whole && value != std::floor(value)))
    throw InputError(place(key), fmt::format("'{}'", text), range.rule,
                     fmt::format("See 'ideal methods NAME' for what {} means.", key));
  return value;
}

void Fields::number(std::string_view key, double& field, const Range& range, std::string_view help) {
  text(key, fmt::format("{}", field), range.rule, help,
       [&](std::string_view t) { field = parse_number(key, t, range, false); });
}

void Fields::number(std::string_view key, Index& field, const Range& range, std::string_view help) {
  text(key, fmt::format("{}", field), range.rule, help,
       [&](std::string_view t) { field = static_cast<Index>(parse_number(key, t, range, true)); });
}

void Fields::number(std::string_view key, std::optional<double>& field, const Range& range,
                    std::string_view help) {
  text(key, shown(field), fmt::format("{}, or auto", range.rule), help,
       or_auto(field, [&](std::string_view t) { return parse_number(key, t, range, false); }));
}

void Fields::number(std::string_view key, std::optional<Index>& field, const Range& range,
                    std::string_view help) {
  text(key, shown(field), fmt::format("{}, or auto", range.rule), help,
       or_auto(field,
               [&](std::string_view t) { return static_cast<Index>(parse_number(key, t, range, true)); }));
}

void Fields::flag(std::string_view key, bool& field, std::string_view help) {
  text(key, fmt::format("{}", field), "true or false", help,
       [&](std::string_view t) { field = parse_flag(key, t); });
}

void Fields::flag(std::string_view key, std::optional<bool>& field, std::string_view help) {
  text(key, shown(field), "true, false or auto", help,
       or_auto(field, [&](std::string_view t) { return parse_flag(key, t); }));
}

std::string Fields::one_of(std::span<const std::string> words) {
  return fmt::format("{}", fmt::join(words, " | "));
}

std::size_t Fields::position(std::string_view key, std::string_view word,
                             std::span<const std::string> words) {
  const auto found = std::ranges::find(words, word);
  if (found == words.end())
    throw InputError(place(key), fmt::format("'{}'", word), one_of(words), did_you_mean(word, words));
  return static_cast<std::size_t>(found - words.begin());
}

}  // namespace ideal
