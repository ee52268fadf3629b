// SPDX-License-Identifier: Apache-2.0
#include "groups.hpp"
#include "problems.hpp"
#include "race.hpp"

#include <ideal/ideal.hpp>

#include <stdexcept>

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace bench {

namespace {

using namespace ideal;

constexpr Index rows = 12000, columns = 784, agents = 8;

Result inner_rounds(const Problem& problem, const Topology& topology, int threads, int rounds) {
  SolveOptions options;
  options.threads = threads;
  options.watch = {.computations = static_cast<double>(rounds), .every = 0};
  return simulate(problem, topology, method("ideal"), options);
}

double seconds(const Result& result) { return result.trace.back().seconds; }

/// Peak memory, in bytes, of a process that does nothing else.
double peak_memory_of(const std::function<void()>& work) {
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("no process to measure the memory of");
  if (child == 0) {
    work();
    _exit(0);
  }
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  if (status != 0) throw std::runtime_error("the process whose memory is measured failed");
  return static_cast<double>(usage.ru_maxrss) * 1024;
}

void memory(Report& report) {
  const double peak = peak_memory_of([] {
    const Problem problem = shared_by(agents, random_rows(rows, columns));
    inner_rounds(problem, Topology::parse("cycle:8", "laplacian"), 2, 20);
  });
  report.add({fmt::format("peak memory, {} x {}, n = {}", rows, columns, agents), 2,
              peak / static_cast<double>(rows * columns * 8), "x the data", at_most(1.5)});
}

void own_time(Report& report) {
  const Problem problem = shared_by(agents, random_rows(rows, columns));
  const Topology topology = Topology::parse("cycle:8", "laplacian");
  for (const int threads : {1, 2}) {
    std::vector<double> shares;
    for (int k = 0; k < 11; ++k) {
      const Result result = inner_rounds(problem, topology, threads, 20);
      shares.push_back(1 - (result.computing + result.mixing) / seconds(result));
    }
    report.add({fmt::format("IDEAL, inner, {} x {}, n = {}", rows, columns, agents), threads, median(shares),
                "of the time outside the oracles", at_most(0.03)});
  }
}

void smallest_round(Report& report) {
  constexpr int rounds = 100'000;
  const Problem problem = shared_by(2, random_rows(2, 1));
  const Topology topology = Topology::parse("line:2", "laplacian");
  std::vector<double> microseconds;
  for (int k = 0; k < 11; ++k)
    microseconds.push_back(1e6 * seconds(inner_rounds(problem, topology, 1, rounds)) / rounds);
  report.add(
      {"IDEAL, inner, 1 row and d = 1 each, n = 2", 1, median(microseconds), "µs a round", at_most(2)});
}

}  // namespace

void measure_framework(Report& report) {
  report.begin("The framework's own time and memory");
  memory(report);  // first: a child starts with what its parent holds
  own_time(report);
  smallest_round(report);
}

}  // namespace bench
