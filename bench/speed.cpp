// SPDX-License-Identifier: Apache-2.0
// bench_speed RESULTS.json [GROUP...]: measures the groups named, or all of them, prints the figures as they
// come and writes them. scripts/bench builds, runs and renders it.
#include "groups.hpp"

#include <ideal/cpu.hpp>

#include <algorithm>
#include <array>
#include <exception>
#include <fstream>

#include <fmt/format.h>

namespace {

struct Group {
  std::string_view name;
  void (*measure)(bench::Report&);
};

// The framework first: it measures the memory of a process that has done nothing yet.
constexpr std::array groups{Group{"framework", bench::measure_framework},
                            Group{"gradients", bench::measure_gradients},
                            Group{"mixing", bench::measure_mixing}, Group{"rounds", bench::measure_rounds}};

}  // namespace

int main(int argc, char** argv) try {
  const std::vector<std::string_view> arguments(argv + 1, argv + argc);
  if (arguments.empty()) {
    fmt::print(stderr, "usage: bench_speed RESULTS.json [framework|gradients|mixing|rounds]...\n");
    return 2;
  }
  const std::span wanted = std::span(arguments).subspan(1);
  bench::Report report;
  report.note("instruction set", ideal::cpu_target());
  for (const Group& group : groups)
    if (wanted.empty() || std::ranges::find(wanted, group.name) != wanted.end()) group.measure(report);
  std::ofstream file{std::string(arguments[0])};
  file << report.json().dump(2) << '\n';
  return file.flush() ? 0 : 1;
} catch (const std::exception& error) {
  fmt::print(stderr, "bench_speed: {}\n", error.what());
  return 1;
}
