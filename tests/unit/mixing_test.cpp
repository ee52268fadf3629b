// SPDX-License-Identifier: Apache-2.0
#include "network/weighted_sum.hpp"

#include <ideal/cpu.hpp>
#include <ideal/mixing.hpp>

#include <cmath>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace ideal::test {
namespace {

/// Numbers of very different size, so that another order of additions gives other bits.
Block uneven(Index rows, Index cols) {
  return Block::NullaryExpr(rows, cols, [](Index i, Index j) {
    return std::sin(static_cast<double>(1 + i + 31 * j)) * std::pow(10.0, (7 * i + 3 * j) % 9 - 4);
  });
}

/// W X entry by entry, neighbours in agent order.
Block in_order(const Block& X, const SparseRows& W) {
  Block result(X.rows(), X.cols());
  for (Index c = 0; c < X.cols(); ++c)
    for (Index i = 0; i < X.rows(); ++i) {
      double sum = 0;
      for (SparseRows::InnerIterator w(W, c); w; ++w) sum += w.value() * X(i, w.col());
      result(i, c) = sum;
    }
  return result;
}

TEST(Mixing, AddsNeighboursInAgentOrderOnEveryInstructionSet) {
  for (const char* graph : {"cycle:5", "star:12", "complete:9", "barbell:8", "line:2", "er:40,0.3"}) {
    const Topology topology = Topology::parse(graph, "metropolis", 3);
    for (const Index d : {1, 2, 3, 4, 7, 8, 9, 15, 31, 32, 33, 64, 100, 257}) {
      const Block X = uneven(d, topology.agents()), expected = in_order(X, topology.weights());
      for (const std::string& target : cpu_targets()) {
        use_cpu_target(target);
        for (const int count : {1, 2, 3}) {
          Meter meter;
          Threads threads(count);
          const auto transport = in_process(topology.agents());
          Network W(topology, *transport, meter, threads);
          EXPECT_EQ(W.mix(X), expected) << graph << " d=" << d << ' ' << target << ' ' << count;
        }
      }
    }
  }
  use_cpu_target("auto");
}

TEST(Mixing, BlocksBeyondTheCachesAreMixedLikeSmallOnes) {
  const Topology topology = Topology::parse("cycle:1100", "laplacian");
  for (const Index d : {800, 613}) {  // columns on cache lines, and not
    const Block X = uneven(d, topology.agents());
    for (const int count : {1, 3}) {
      Meter meter;
      Threads threads(count);
      const auto transport = in_process(topology.agents());
      Network W(topology, *transport, meter, threads);
      EXPECT_TRUE(W.mix(X) == in_order(X, topology.weights())) << d << ' ' << count;
    }
  }
}

TEST(WeightedSum, StreamsTheSameNumbersAndNothingBesideThem) {
  const Block X = uneven(300, 5);
  const double weights[] = {0.3, -1.7, 2.5, 1e-3, -0.9};
  for (const std::string& target : cpu_targets()) {
    use_cpu_target(target);
    for (Index terms = 1; terms <= 5; ++terms)
      for (Index offset = 0; offset < 9; ++offset)
        for (const Index size : {1, 2, 5, 8, 31, 64, 77, 280}) {
          std::vector<const double*> columns;
          for (Index k = 0; k < terms; ++k) columns.push_back(X.col(k).data() + k);
          Vector cached = Vector::Constant(300, -7), streamed = cached, expected = cached;
          weighted_sum(weights, columns.data(), terms, cached.data() + offset, size, Stores::cached);
          weighted_sum(weights, columns.data(), terms, streamed.data() + offset, size, Stores::streaming);
          end_streams();
          for (Index i = 0; i < size; ++i) {
            double sum = weights[0] * columns[0][i];
            for (Index k = 1; k < terms; ++k) sum += weights[k] * columns[k][i];
            expected[offset + i] = sum;
          }
          ASSERT_EQ(cached, expected) << target << ' ' << terms << ' ' << offset << ' ' << size;
          ASSERT_EQ(streamed, expected) << target << ' ' << terms << ' ' << offset << ' ' << size;
        }
  }
  use_cpu_target("auto");
}

TEST(Blocks, StartOnCacheLines) {
  for (const Index d : {1, 8, 100, 784}) {
    const Block X = Block::Zero(d, 3);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(X.data()) % 64, 0u) << d;
  }
}

TEST(LocalUpdates, ReachEveryEntryOnce) {
  const Topology topology = Topology::parse("cycle:3", "laplacian");
  const auto transport = in_process(3);
  for (const int count : {1, 2, 5})
    for (const Index d : {1, 3, 85, 86, 256, 1000, 2000}) {  // the last are shared by the threads
      Meter meter;
      Threads threads(count);
      Network W(topology, *transport, meter, threads);
      Block X = uneven(d, 3), hits = Block::Zero(d, 3);
      const Block expected = 2 * X + Block::Ones(d, 3);
      W.locally(X, [&](auto own) {
        own(hits).array() += 1;
        const Part twice = 2 * own(X);
        own(X) = twice + own(hits);
      });
      EXPECT_EQ(hits, Block::Ones(d, 3)) << d;
      EXPECT_EQ(X, expected) << d;
      EXPECT_EQ(meter, Meter{}) << "nothing is counted";
    }
}

TEST(Mixing, PartByPartIsMixingAtOnce) {
  for (const char* graph : {"star:12", "barbell:8", "er:40,0.3"}) {
    const Topology topology = Topology::parse(graph, "metropolis", 3);
    for (const Index d : {1, 7, 100, 256, 700})
      for (const int count : {1, 3}) {
        Meter meter;
        Threads threads(count);
        const auto transport = in_process(topology.agents());
        Network W(topology, *transport, meter, threads);
        Chebyshev Q(W, 3);
        const Block X = uneven(d, topology.agents());
        for (Mixing* M : {static_cast<Mixing*>(&W), static_cast<Mixing*>(&Q)}) {
          const Block expected = X + M->mix(X);
          const Meter before = meter;
          Block sum = Block::Zero(d, X.cols());
          M->mix(X, [&](auto own, const auto& MX) { own(sum) += own(X) + MX; });
          EXPECT_EQ(sum, expected) << graph << " d=" << d << ' ' << count;
          EXPECT_EQ(meter.communications - before.communications, M->rounds());
        }
      }
  }
}

}  // namespace
}  // namespace ideal::test
