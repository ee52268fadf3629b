// SPDX-License-Identifier: Apache-2.0
// speed_kernels tiles_asked_for|groups|pairs|streams|mixing CALLS: calls one kernel as often, for
// count_instructions.py, and says on how many elements each call works. All but the last are gradients, by
// how rows are read: which way a run chooses is not the same every time.
#include "loss/kernels.hpp"

#include "problems.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>
#include <utility>

namespace {

using namespace ideal;

constexpr Index dimension = 784;

using kernel::Reading;
constexpr std::array readings{std::pair{std::string_view("tiles_asked_for"), Reading::tiles_asked_for},
                              std::pair{std::string_view("groups"), Reading::groups},
                              std::pair{std::string_view("pairs"), Reading::pairs},
                              std::pair{std::string_view("streams"), Reading::streams}};

Index gradients(Reading reading, int calls) {
  const auto data = bench::random_rows(200, dimension);
  const kernel::Rows<double> rows{bench::values_of(*data).data(), data->rows(), dimension,
                                  kernel::Place::own_cache, reading};
  const Vector x = Vector::Constant(dimension, 1e-3);
  Vector g = Vector::Zero(dimension);
  for (int k = 0; k < calls; ++k)
    kernel::pass(rows, x.data(), g.data(), kernel::LogisticSlopes{data->labels.data(), 1.0});
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
  const auto* const reading =
      std::ranges::find(readings, std::string_view(argv[1]), [](const auto& named) { return named.first; });
  const bool mixing = std::string_view(argv[1]) == "mixing";
  if (reading == readings.end() && !mixing) return 2;
  const Index elements = mixing ? mixings(calls) : gradients(reading->second, calls);
  std::printf("%td %s\n", elements, cpu_target().c_str());
}
