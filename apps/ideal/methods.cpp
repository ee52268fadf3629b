// SPDX-License-Identifier: Apache-2.0
#include "command.hpp"

#include <ideal/method.hpp>

#include <memory>

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
  return {{"name", about.name},
          {"family", about.family},
          {"summary", about.summary},
          {"rule", about.rule},
          {"cost", about.cost},
          {"rate", about.rate},
          {"assumptions", about.assumptions},
          {"citation", about.citation},
          {"linear", about.linear},
          {"parameters", parameters}};
}

void print_all() {
  std::vector<std::string> families;
  for (const Method& m : methods())
    if (std::ranges::find(families, m.about().family) == families.end()) families.push_back(m.about().family);
  for (const std::string& family : families) {
    fmt::print("{}\n", family);
    for (const Method& m : methods())
      if (m.about().family == family) fmt::print("  {:<17} {}\n", m.about().name, m.about().summary);
  }
  fmt::print("\n'ideal methods NAME' shows a method's rule, cost, rate and parameters.\n");
}

void print_one(const Method& method) {
  const About& about = method.about();
  fmt::print("{}: {}\n\n", about.name, about.summary);
  fmt::print("rule      {}\ncost      {}\nrate      {}\nassumes   {}\ncitation  {}\n", about.rule, about.cost,
             about.rate, about.assumptions, about.citation);
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
