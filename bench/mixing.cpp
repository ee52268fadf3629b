// SPDX-License-Identifier: Apache-2.0
#include "groups.hpp"
#include "limits.hpp"
#include "problems.hpp"
#include "race.hpp"

#include <ideal/ideal.hpp>

#include <fmt/format.h>
#include <hwy/aligned_allocator.h>

namespace bench {

namespace {

using namespace ideal;

void on_a_cycle(Report& report, Index agents, double of_copy) {
  constexpr Index dimension = 784;
  const Topology topology = Topology::parse(fmt::format("cycle:{}", agents), "laplacian");
  const auto transport = in_process(agents);
  const Block X = Block::Random(dimension, agents);
  // An agent's vector is a row here, which is how Eigen multiplies fastest.
  const DenseRows rows = X.transpose();
  DenseRows mixed(agents, dimension);
  const std::span from(X.data(), static_cast<std::size_t>(X.size()));
  const auto copy = hwy::AllocateAligned<double>(from.size());
  for (const int threads : {1, 2}) {
    Meter meter;
    Threads team(threads);
    Network W(topology, *transport, meter, team);
    mixed.noalias() = topology.weights() * rows;
    require_same(W.mix(X), mixed.transpose());
    Race race;
    race.enter("ideal", timed(threads, [&] { W.mix(X); }));
    race.enter("copy", timed(threads, [&] { copy_past_caches(team, from, {copy.get(), from.size()}); }));
    race.enter("Eigen", timed(threads, [&] { mixed.noalias() = topology.weights() * rows; }));
    race.run();
    const std::string item = fmt::format("cycle of {} agents, d = {}", agents, dimension);
    report.add({item, threads, race.speed("ideal", "copy"), "of a copy past the caches", at_least(of_copy)});
    report.add({item, threads, race.speed("ideal", "Eigen"), "x Eigen, sparse times dense, 1 thread",
                at_least(1.9)});
  }
}

}  // namespace

void measure_mixing(Report& report) {
  report.begin("Mixing");
  on_a_cycle(report, 1000, 0.92);
  on_a_cycle(report, 10000, 0.75);
}

}  // namespace bench
