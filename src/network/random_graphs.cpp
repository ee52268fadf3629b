// SPDX-License-Identifier: Apache-2.0
#include "network/graph_families.hpp"

#include <ideal/error.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <queue>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace ideal::families {
namespace {

using Edges = std::vector<Graph::Edge>;

Index draw_below(Random& random, Index n) {
  return static_cast<Index>(random.below(static_cast<std::uint64_t>(n)));
}

// Failures before the first success of probability p: the largest k with (1-p)^k > u, found bit by bit.
// Products only, because the last bit of a logarithm differs between platforms.
class Geometric {
 public:
  explicit Geometric(double p) {
    powers_[0] = 1 - p;
    for (std::size_t bit = 1; bit < powers_.size(); ++bit) powers_[bit] = powers_[bit - 1] * powers_[bit - 1];
  }

  Index operator()(Random& random) const {
    const double u = random.uniform();
    double survival = 1;
    Index failures = 0;
    for (std::size_t bit = powers_.size(); bit-- > 0;)
      if (survival * powers_[bit] > u) {
        survival *= powers_[bit];
        failures += Index{1} << bit;
      }
    return failures;
  }

 private:
  std::array<double, 48> powers_{};  // (1-p)^(2^bit); all pairs of 10^7 agents number less than 2^48
};

// A set of edges under construction, asked again and again whether a pair is in it.
class EdgeSet {
 public:
  explicit EdgeSet(Index n) : n_(static_cast<std::uint64_t>(n)) {}
  bool insert(Index a, Index b) { return keys_.insert(key(a, b)).second; }
  void erase(Index a, Index b) { keys_.erase(key(a, b)); }
  [[nodiscard]] bool contains(Index a, Index b) const { return keys_.contains(key(a, b)); }

  [[nodiscard]] Edges edges() const {
    Edges list;
    list.reserve(keys_.size());
    for (const auto key : keys_) list.push_back({static_cast<Index>(key / n_), static_cast<Index>(key % n_)});
    return list;
  }

 private:
  [[nodiscard]] std::uint64_t key(Index a, Index b) const {
    return static_cast<std::uint64_t>(std::min(a, b)) * n_ + static_cast<std::uint64_t>(std::max(a, b));
  }
  std::uint64_t n_;
  std::unordered_set<std::uint64_t> keys_;
};

bool some_pair_left(const std::vector<Index>& stubs, const EdgeSet& edges) {
  for (std::size_t i = 0; i < stubs.size(); ++i)
    for (std::size_t j = i + 1; j < stubs.size(); ++j)
      if (stubs[i] != stubs[j] && !edges.contains(stubs[i], stubs[j])) return true;
  return false;
}

// One attempt of Steger & Wormald; empty if the last stubs cannot be joined.
std::optional<Edges> join_stubs(Index n, Index k, Random& random) {
  std::vector<Index> stubs;
  for (Index copy = 0; copy < k; ++copy)
    for (Index agent = 0; agent < n; ++agent) stubs.push_back(agent);

  EdgeSet edges(n);
  while (!stubs.empty()) {
    random.shuffle(stubs);
    std::vector<Index> left;
    for (std::size_t i = 0; i < stubs.size(); i += 2)
      if (stubs[i] == stubs[i + 1] || !edges.insert(stubs[i], stubs[i + 1]))
        left.insert(left.end(), {stubs[i], stubs[i + 1]});
    if (left.size() == stubs.size() && !some_pair_left(left, edges)) return std::nullopt;
    stubs = std::move(left);
  }
  return edges.edges();
}

Edges simple_regular(Index n, Index k, Random& random) {
  constexpr int attempts = 1000;
  for (int attempt = 0; attempt < attempts; ++attempt)
    if (auto edges = join_stubs(n, k, random)) return *std::move(edges);
  throw RunError(
      fmt::format("regular:{},{}: no simple graph in {} attempts; try another --seed.", n, k, attempts));
}

Graph complement(const Graph& graph) {
  Edges edges;
  for (Index a = 0; a < graph.agents(); ++a)
    for (Index b = a + 1; b < graph.agents(); ++b)
      if (!graph.adjacent(a, b)) edges.push_back({a, b});
  return {graph.agents(), std::move(edges)};
}

Graph random_cycle(Index n, Random& random) {
  std::vector<Index> order(n);
  std::iota(order.begin(), order.end(), Index{0});
  random.shuffle(order);
  Edges edges;
  for (Index i = 0; i < n; ++i) edges.push_back({order[i], order[(i + 1) % n]});
  return {n, std::move(edges)};
}

bool connected(const Graph& graph) {
  return std::ranges::none_of(graph.hops_from(0), [](Index hops) { return hops < 0; });
}

struct Point {
  double x, y;
};

// The unit square cut into cells at least `radius` wide: near points are in the same or in adjacent cells.
class Cells {
 public:
  Cells(const std::vector<Point>& points, double radius) : points_(points) {
    const double cells_of_two_points = std::sqrt(static_cast<double>(points.size()) / 2);
    across_ = std::max<Index>(1, static_cast<Index>(std::min(1 / radius, cells_of_two_points)));
    members_.resize(across_ * across_);
    for (Index i = 0; i < static_cast<Index>(points.size()); ++i)
      members_[row(points[i].x) * across_ + row(points[i].y)].push_back(i);
  }

  template <class Visit>
  void for_each_near(Index i, Visit visit) const {
    const Index cx = row(points_[i].x), cy = row(points_[i].y);
    for (Index x = std::max<Index>(0, cx - 1); x <= std::min(across_ - 1, cx + 1); ++x)
      for (Index y = std::max<Index>(0, cy - 1); y <= std::min(across_ - 1, cy + 1); ++y)
        for (const Index j : members_[x * across_ + y]) visit(j);
  }

 private:
  [[nodiscard]] Index row(double coordinate) const {
    return static_cast<Index>(coordinate * static_cast<double>(across_));
  }
  const std::vector<Point>& points_;
  Index across_;
  std::vector<std::vector<Index>> members_;
};

// Moves the far end of (a, b) to a random agent; an agent joined to all others keeps its edge.
void rewire(Index a, Index b, Index n, std::vector<Index>& degree, EdgeSet& edges, Random& random) {
  if (degree[a] >= n - 1) return;
  Index c = draw_below(random, n);
  while (c == a || edges.contains(a, c)) c = draw_below(random, n);
  edges.erase(a, b);
  edges.insert(a, c);
  --degree[b];
  ++degree[c];
}

}  // namespace

Graph erdos_renyi(Index n, double p, Random& random) {
  const Geometric skip(p);
  Edges edges;
  // Batagelj & Brandes (2005): walk the pairs (a, b), a < b, jumping from edge to edge.
  for (Index a = 0, b = 1 + skip(random); a < n - 1;) {
    if (b < n) {
      edges.push_back({a, b});
      b += 1 + skip(random);
    } else {
      b += a + 2 - n;
      ++a;
    }
  }
  return {n, std::move(edges)};
}

Graph random_regular(Index n, Index k, Random& random) {
  if (k == 2 && n > 3) return random_cycle(n, random);
  if (2 * k > n - 1) return complement(Graph(n, simple_regular(n, n - 1 - k, random)));
  for (;;)
    if (Graph graph(n, simple_regular(n, k, random)); connected(graph)) return graph;
}

Graph geometric(Index n, double radius, Random& random) {
  std::vector<Point> points(n);
  for (auto& [x, y] : points) {
    x = random.uniform();
    y = random.uniform();
  }
  const Cells cells(points, radius);
  Edges edges;
  for (Index i = 0; i < n; ++i)
    cells.for_each_near(i, [&](Index j) {
      const double dx = points[i].x - points[j].x, dy = points[i].y - points[j].y;
      if (i < j && dx * dx + dy * dy <= radius * radius) edges.push_back({i, j});
    });
  return {n, std::move(edges)};
}

Graph small_world(Index n, Index k, double p, Random& random) {
  EdgeSet edges(n);
  for (Index offset = 1; offset <= k / 2; ++offset)
    for (Index a = 0; a < n; ++a) edges.insert(a, (a + offset) % n);
  std::vector<Index> degree(n, k);
  for (Index offset = 1; offset <= k / 2; ++offset)
    for (Index a = 0; a < n; ++a)
      if (random.uniform() < p) rewire(a, (a + offset) % n, n, degree, edges, random);
  return {n, edges.edges()};
}

Graph random_tree(Index n, Random& random) {
  std::vector<Index> sequence(n - 2), degree(n, 1);
  for (auto& agent : sequence) ++degree[agent = draw_below(random, n)];

  std::priority_queue<Index, std::vector<Index>, std::greater<>> leaves;
  for (Index agent = 0; agent < n; ++agent)
    if (degree[agent] == 1) leaves.push(agent);
  const auto take = [&leaves] {
    const Index leaf = leaves.top();
    leaves.pop();
    return leaf;
  };

  Edges edges;
  for (const Index agent : sequence) {
    edges.push_back({take(), agent});
    if (--degree[agent] == 1) leaves.push(agent);
  }
  const Index last = take();
  edges.push_back({last, take()});
  return {n, std::move(edges)};
}

}  // namespace ideal::families
