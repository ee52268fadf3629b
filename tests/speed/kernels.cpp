// SPDX-License-Identifier: Apache-2.0
// speed_kernels gradient|mixing CALLS: calls one kernel as often, for count_instructions.py, and says on how
// many elements each call works.
#include "problems.hpp"

#include <cstdio>
#include <string_view>

namespace {

using namespace ideal;

constexpr Index dimension = 784;

Index gradients(int calls) {
  const auto data = bench::random_rows(200, dimension);
  const Problem problem = bench::shared_by(1, data);
  bench::Gradients gradient(problem, 1);
  for (int k = 0; k < calls; ++k) gradient();
  return data->rows() * dimension;
}

Index mixings(int calls) {
  constexpr Index agents = 100, entries_of_a_row = 3;
  const Topology topology = Topology::parse("cycle:100", "laplacian");
  const auto transport = in_process(agents);
  Meter meter;
  Threads team(1);
  Network W(topology, *transport, meter, team);
  const Block X = Block::Constant(dimension, agents, 1.5);
  for (int k = 0; k < calls; ++k) W.mix(X);
  return agents * dimension * entries_of_a_row;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const int calls = std::stoi(argv[2]);
  const Index elements = std::string_view(argv[1]) == "gradient" ? gradients(calls) : mixings(calls);
  std::printf("%td %s\n", elements, cpu_target().c_str());
}
