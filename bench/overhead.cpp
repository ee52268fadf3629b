// SPDX-License-Identifier: Apache-2.0
// The framework's own overhead: what an inner IDEAL iteration costs beyond its gradients, and the memory
// beyond the data. Bare gradients and whole iterations alternate in one process; the ratio of each pair is
// taken, and the median of the ratios.
#include <ideal/ideal.hpp>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <numeric>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>

namespace {

using namespace ideal;

constexpr Index rows = 12000, columns = 784, agents = 8;
constexpr int iterations = 20, repetitions = 15;

double seconds(auto&& action) {
  const auto start = std::chrono::steady_clock::now();
  action();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + std::ssize(values) / 2);
  return values[values.size() / 2];
}

double bare_gradients(const Problem& problem, int threads) {
  Meter meter;
  Threads team(threads);
  std::vector<Index> hosted(agents);
  std::iota(hosted.begin(), hosted.end(), Index{0});
  Objective F(problem.losses, hosted, problem.constants, 0, meter, team);
  const Block X = Block::Constant(columns, agents, 1e-3);
  F.gradient(X);
  return seconds([&] {
    for (int k = 0; k < iterations; ++k) F.gradient(X);
  });
}

double whole_iterations(const Problem& problem, const Topology& topology, int threads) {
  SolveOptions options;
  options.threads = threads;
  options.watch = {.computations = iterations, .every = 0};
  return simulate(problem, topology, method("ideal"), options).trace.back().seconds;
}

double peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024;
}

}  // namespace

int main(int argc, char** argv) {
  Dataset data = synthesize({.rows = rows, .columns = columns});
  const std::vector<Index> offsets = partition(data, "shuffled", agents, 1);
  const double bytes = static_cast<double>(rows * columns * 8);
  const auto shared = std::make_shared<const Dataset>(std::move(data));
  Problem problem{
      .losses = make_losses(shared, offsets, LossKind::logistic, 1e-3), .constants = {}, .reference = {}};
  Threads team(2);
  problem.constants = constants_of(problem.losses, {}, {}, team);
  const Topology topology = Topology::parse("cycle:8", "laplacian");

  nlohmann::json report = {{"rows", rows}, {"columns", columns}, {"agents", agents}};
  fmt::print("inner IDEAL iteration, {} x {} dense, {} agents on a cycle\n", rows, columns, agents);
  for (const int threads : {1, 2}) {
    std::vector<double> share, time;
    for (int k = 0; k < repetitions; ++k) {
      const double gradients = bare_gradients(problem, threads),
                   whole = whole_iterations(problem, topology, threads);
      share.push_back(gradients / whole);
      time.push_back(whole / iterations);
    }
    fmt::print("  {} thread{}: {:.3f} of the time in gradients, {:.2f} ms an iteration\n", threads,
               threads > 1 ? "s" : " ", median(share), 1e3 * median(time));
    report["gradient_share"].push_back(median(share));
    report["milliseconds"].push_back(1e3 * median(time));
  }
  const double memory = peak_memory() / bytes;
  fmt::print("  peak memory: {:.2f} x the data ({:.0f} MB)\n", memory, bytes / 1e6);
  report["peak_memory_over_data"] = memory;
  if (argc > 1) std::ofstream(argv[1]) << report.dump(2) << '\n';
  const double least_share = std::ranges::min(report["gradient_share"].get<std::vector<double>>());
  return least_share >= 0.9 && memory <= 1.5 ? 0 : 1;
}
