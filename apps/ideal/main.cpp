// SPDX-License-Identifier: Apache-2.0
#include "command.hpp"
#include "launch.hpp"

#include <ideal/error.hpp>

#include <cstdio>
#include <new>
#include <ranges>
#include <system_error>

#include <fmt/format.h>

namespace ideal::cli {
namespace {

/// The page that was being read when parsing failed: the innermost command named so far.
CLI::App& innermost(CLI::App& page) {
  const auto named = page.get_subcommands();
  return named.empty() ? page : innermost(*named.back());
}

std::string path_of(const CLI::App& page) {
  return page.get_parent() ? path_of(*page.get_parent()) + " " + page.get_name() : page.get_name();
}

/// As messages name it; they start with the program's name anyway.
std::string place_of(const CLI::App& page) {
  return page.get_parent() ? path_of(page).substr(std::string_view("ideal ").size()) : "command line";
}

std::string see_help(const CLI::App& page) { return fmt::format("See '{} --help'.", path_of(page)); }

std::vector<std::string> commands_of(CLI::App& page) {
  std::vector<std::string> names;
  for (const CLI::App* command : page.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

std::vector<std::string> options_of(CLI::App& page) {
  std::vector<std::string> names;
  for (const CLI::Option* option : page.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

InputError unknown_word(CLI::App& page, const std::string& word) {
  const std::string place = place_of(page), found = fmt::format("'{}'", word);
  if (word.starts_with('-'))
    return {place, found, "no option of this command",
            did_you_mean(word.substr(0, word.find('=')), options_of(page))};
  if (const auto commands = commands_of(page); !commands.empty())
    return {place, found, "no such command", did_you_mean(word, commands)};
  return {place, found, "one word too many", see_help(page)};
}

InputError explained(CLI::App& program, const CLI::ParseError& error) {
  CLI::App& page = innermost(program);
  // Unknown words are left over whatever the complaint, and are its likely cause.
  if (const auto left_over = program.remaining(true); !left_over.empty())
    return unknown_word(page, left_over.front());
  if (const auto commands = commands_of(page); !commands.empty())
    return {place_of(page), "no command", "a command comes first",
            fmt::format("One of: {}.", fmt::join(commands, ", "))};
  return {place_of(page), error.what(), "as the command's help page says", see_help(page)};
}

int dispatch(CLI::App& program, const std::vector<Command>& commands, int argc, char** argv) {
  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& help_or_version) {
    return speaks() ? program.exit(help_or_version) : reached;
  } catch (const CLI::ParseError& error) {
    throw explained(program, error);
  }
  const auto chosen = std::ranges::find_if(commands, [](const Command& c) { return c.page->parsed(); });
  int code = reached;
  try {
    code = chosen->run();
  } catch (const std::system_error&) {
    if (std::ferror(stdout) == 0) throw;
  }
  if (std::ferror(stdout) != 0 || std::fflush(stdout) != 0)
    throw RunError("cannot write to the standard output");
  leave();
  return code;
}

int run(int argc, char** argv) {
  CLI::App program("Decentralized optimization: many agents, one model, no server.", "ideal");
  program.set_version_flag("--version", "ideal " IDEAL_VERSION);
  program.set_help_flag("-h,--help", "Show this page");
  program.require_subcommand(1);
  program.get_formatter()->column_width(30);
  program.footer(
      "Examples:\n"
      "  ideal solve                                   a built-in problem on a cycle of 8 agents\n"
      "  ideal solve --data heart.svm --graph barbell:8 --method mideal --out runs/heart\n"
      "  ideal compare experiments/mnist.toml          a figure of the paper, as a page to look at\n"
      "  ideal graph barbell:20                        spectrum, degrees, diameter\n"
      "  ideal methods ideal                           what a method does and what can be set\n"
      "\n"
      "'ideal COMMAND --help' explains a command.\n"
      "Exit codes: 0 goal or budget reached, 1 diverged or failed, 2 bad usage or input,\n"
      "3 peer lost, 130 interrupted.");
  const std::vector<Command> commands{add_solve(program), add_compare(program), add_report(program),
                                      add_graph(program), add_methods(program), add_data(program)};
  return dispatch(program, commands, argc, argv);
}

}  // namespace
}  // namespace ideal::cli

int main(int argc, char** argv) {
  using namespace ideal::cli;
  try {
    return run(argc, argv);
  } catch (const ideal::InputError& error) {
    return complain(bad_input, error.what());
  } catch (const ideal::PeerLost& error) {
    return complain(peer_lost, error.what());
  } catch (const std::bad_alloc&) {
    return complain(failed, "out of memory. Use less data, a smaller graph or fewer --threads.");
  } catch (const std::exception& error) {
    return complain(failed, error.what());
  }
}
