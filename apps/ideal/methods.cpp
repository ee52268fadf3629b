// SPDX-License-Identifier: Apache-2.0
#include "command.hpp"

#include <ideal/method.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace ideal::cli {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const Method& method) {
  const About& about = method.about();
  Json parameters = Json::array();
  for (const Parameter& p : method.parameters())
    parameters.push_back({{"key", p.key}, {"default", p.value}, {"rule", p.rule}, {"help", p.help}});
  Json meets = Json::array();
  for (const Demand demand : all_demands())
    if (about.meets.has(demand)) meets.push_back(describe(demand));
  return {{"name", about.name},
          {"family", about.family},
          {"summary", about.summary},
          {"rule", about.rule},
          {"cost", about.cost},
          {"rate", about.rate},
          {"assumptions", about.assumptions},
          {"citation", about.citation},
          {"meets", meets},
          {"linear", about.linear},
          {"parameters", parameters}};
}

/// Lines of at most `width` characters, broken between words.
std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
  std::vector<std::string> lines(1);
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (word.empty()) continue;
    if (!lines.back().empty() && lines.back().size() + 1 + word.size() > width) lines.emplace_back();
    lines.back() += fmt::format("{}{}", lines.back().empty() ? "" : " ", word);
  }
  return lines;
}

constexpr std::array<std::size_t, 3> widths{34, 42, 32};

/// Three texts side by side, below a method's name.
void print_row(const std::array<std::string, 3>& texts) {
  std::array<std::vector<std::string>, 3> columns;
  for (std::size_t c = 0; c < columns.size(); ++c) columns[c] = wrapped(texts[c], widths[c]);
  const std::size_t height = std::ranges::max(columns, {}, &std::vector<std::string>::size).size();
  for (std::size_t row = 0; row < height; ++row) {
    std::string line = fmt::format("{:<20}", "");
    for (std::size_t c = 0; c < columns.size(); ++c)
      line += fmt::format("{:<{}}  ", row < columns[c].size() ? columns[c][row] : "", widths[c]);
    fmt::print("{}\n", line.substr(0, line.find_last_not_of(' ') + 1));
  }
}

/// As wide as the three together.
void print_citation(const std::string& citation) {
  for (const std::string& line : wrapped(citation, widths[0] + widths[1] + widths[2]))
    fmt::print("{:<20}{}\n", "", line);
}

void print_all() {
  std::vector<std::string> families;
  for (const Method& m : methods())
    if (std::ranges::find(families, m.about().family) == families.end()) families.push_back(m.about().family);
  print_row({"assumes", "rate: iterations to accuracy eps", "cost: (computations, rounds)"});
  for (const std::string& family : families) {
    fmt::print("\n{}\n", family);
    for (const Method& m : methods()) {
      const About& about = m.about();
      if (about.family != family) continue;
      fmt::print("  {:<17} {}\n", about.name, about.summary);
      print_row({about.assumptions, about.rate, about.cost});
      print_citation(about.citation);
    }
  }
  fmt::print("\n'ideal methods NAME' shows a method's rule and parameters.\n");
}

std::string met(const Demands& demands) {
  std::string text;
  for (const Demand demand : all_demands())
    if (demands.has(demand)) text += fmt::format("{}{}", text.empty() ? "where " : "; ", describe(demand));
  return text.empty() ? "nothing beyond" : text;
}

void print_one(const Method& method) {
  const About& about = method.about();
  fmt::print("{}: {}\n\n", about.name, about.summary);
  fmt::print(
      "family    {}\nrule      {}\ncost      {}\nrate      {}\nassumes   {}\nmeets     {}\ncitation  {}\n",
      about.family, about.rule, about.cost, about.rate, about.assumptions, met(about.meets), about.citation);
  fmt::print("\nparameters (--set key=value)\n");
  for (const Parameter& p : method.parameters())
    fmt::print("  {:<12} {}\n  {:<12} default {}; {}\n", p.key, p.help, "", p.value, p.rule);
}

struct Listing {
  std::string name;
  bool json = false;

  int operator()() const {
    if (json) {
      Json all = Json::array();
      for (const Method& m : methods()) all.push_back(to_json(m));
      fmt::print("{}\n", (name.empty() ? all : to_json(method(name))).dump(2));
    } else if (name.empty()) {
      print_all();
    } else {
      print_one(method(name));
    }
    return reached;
  }
};

}  // namespace

Command add_methods(CLI::App& program) {
  CLI::App* page = program.add_subcommand("methods", "List the methods, or explain one");
  const auto listing = std::make_shared<Listing>();
  page->add_option("name", listing->name, "The method to explain")->type_name("NAME");
  page->add_flag("--json", listing->json, "Print JSON instead of a table");
  page->footer("Examples:\n  ideal methods\n  ideal methods mideal");
  return {page, [listing] { return (*listing)(); }};
}

}  // namespace ideal::cli
