// SPDX-License-Identifier: Apache-2.0
#include <ideal/mixing.hpp>
#include <ideal/random.hpp>

#include <cmath>
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace ideal {
namespace {

/// A random tree with some more edges: connected, and of any shape.
Graph connected_graph(Index agents, Index chords, Random& random) {
  std::set<std::pair<Index, Index>> pairs;
  for (Index i = 1; i < agents; ++i)
    pairs.emplace(static_cast<Index>(random.below(static_cast<std::uint64_t>(i))), i);
  for (Index k = 0; k < chords; ++k) {
    const auto a = static_cast<Index>(random.below(static_cast<std::uint64_t>(agents)));
    const auto b = static_cast<Index>(random.below(static_cast<std::uint64_t>(agents)));
    if (a != b) pairs.insert(std::minmax(a, b));
  }
  std::vector<Graph::Edge> edges;
  for (const auto& [a, b] : pairs) edges.push_back({a, b, 0.1 + random.uniform()});
  return Graph(agents, std::move(edges));
}

struct Drawn {
  Drawn()
      : random(*rc::gen::arbitrary<std::uint32_t>()),
        topology(Topology::make(
            connected_graph(*rc::gen::inRange<Index>(2, 20), *rc::gen::inRange<Index>(0, 20), random),
            *rc::gen::elementOf(mixing_kinds()))),
        transport(in_process(topology.agents())),
        W(topology, *transport, meter, threads) {}

  Block block(Index d) {
    return Block::NullaryExpr(d, topology.agents(), [&] { return random.normal(); });
  }

  Random random;
  Topology topology;
  Meter meter;
  Threads threads;
  std::unique_ptr<Transport> transport;
  Network W;
};

double inner(const Block& X, const Block& Y) { return X.cwiseProduct(Y).sum(); }

RC_GTEST_PROP(Chebyshev, IsLinearSymmetricAndKillsConsensus, ()) {
  Drawn drawn;
  Chebyshev Q(drawn.W, *rc::gen::inRange<Index>(1, 30));
  const Block X = drawn.block(3), Y = drawn.block(3);
  const double size = 1e-10 * (1 + X.norm()) * (1 + Y.norm());
  const Block QX = Q.mix(X), QY = Q.mix(Y), QZ = Q.mix(2 * X - 3 * Y);
  RC_ASSERT((QZ - (2 * QX - 3 * QY)).norm() < size);
  RC_ASSERT(std::abs(inner(QX, Y) - inner(X, QY)) < size);
  RC_ASSERT(QX.rowwise().sum().norm() < size);  // the range is orthogonal to consensus
  const Block consensual = X.col(0).replicate(1, drawn.topology.agents());
  RC_ASSERT(Q.mix(consensual).norm() < size);
}

RC_GTEST_PROP(Chebyshev, KeepsItsSpectrumWithinItsBounds, ()) {
  Drawn drawn;
  Chebyshev Q(drawn.W, *rc::gen::inRange<Index>(1, 30));
  Block X = drawn.block(2);
  X.colwise() -= X.rowwise().mean().eval();
  RC_PRE(X.norm() > 1e-6);
  const double rayleigh = inner(X, Q.mix(X)) / X.squaredNorm();
  RC_ASSERT(rayleigh <= Q.spectrum().lambda_max + 1e-9);
  RC_ASSERT(rayleigh >= Q.spectrum().lambda_min - 1e-9);
  RC_ASSERT(Chebyshev(drawn.W).spectrum().kappa() <= 4 + 1e-9);
}

RC_GTEST_PROP(Chebyshev, DoesNotSeeTheScaleOfW, ()) {
  Drawn drawn;
  const double scale = 0.01 + 10 * drawn.random.uniform();
  const Topology scaled = Topology::from_matrix(SparseRows(drawn.topology.weights() * scale));
  Network scaled_W(scaled, *drawn.transport, drawn.meter, drawn.threads);
  Chebyshev Q(drawn.W, 6), scaled_Q(scaled_W, 6);
  const Block X = drawn.block(2);
  RC_ASSERT((Q.mix(X) - scaled_Q.mix(X)).norm() < 1e-9 * (1 + X.norm()));
}

}  // namespace
}  // namespace ideal
