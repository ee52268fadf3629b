// SPDX-License-Identifier: Apache-2.0
#include "network/graph_families.hpp"

#include <utility>
#include <vector>

namespace ideal::families {
namespace {

using Edges = std::vector<Graph::Edge>;

void join_all(Edges& edges, Index first, Index end) {
  for (Index a = first; a < end; ++a)
    for (Index b = a + 1; b < end; ++b) edges.push_back({a, b});
}

// The product of two lines, or of two cycles where `wrapped`. A cycle of two would repeat its edge.
Graph lattice(Index rows, Index columns, bool wrapped) {
  const auto at = [columns](Index r, Index c) { return r * columns + c; };
  Edges edges;
  for (Index r = 0; r < rows; ++r)
    for (Index c = 0; c < columns; ++c) {
      if (c + 1 < columns) edges.push_back({at(r, c), at(r, c + 1)});
      if (r + 1 < rows) edges.push_back({at(r, c), at(r + 1, c)});
      if (wrapped && columns > 2 && c == 0) edges.push_back({at(r, 0), at(r, columns - 1)});
      if (wrapped && rows > 2 && r == 0) edges.push_back({at(0, c), at(rows - 1, c)});
    }
  return {rows * columns, std::move(edges)};
}

}  // namespace

Graph cycle(Index n) { return lattice(1, n, true); }

Graph line(Index n) { return lattice(1, n, false); }

Graph grid(Index rows, Index columns) { return lattice(rows, columns, false); }

Graph torus(Index rows, Index columns) { return lattice(rows, columns, true); }

Graph complete(Index n) {
  Edges edges;
  join_all(edges, 0, n);
  return {n, std::move(edges)};
}

Graph star(Index n) {
  Edges edges;
  for (Index leaf = 1; leaf < n; ++leaf) edges.push_back({0, leaf});
  return {n, std::move(edges)};
}

Graph hypercube(Index dimension) {
  const Index n = Index{1} << dimension;
  Edges edges;
  for (Index a = 0; a < n; ++a)
    for (Index bit = 1; bit < n; bit <<= 1)
      if (!(a & bit)) edges.push_back({a, a | bit});
  return {n, std::move(edges)};
}

Graph barbell(Index n) {
  const Index half = n / 2;
  Edges edges;
  join_all(edges, 0, half);
  edges.push_back({half - 1, half});
  join_all(edges, half, n);
  return {n, std::move(edges)};
}

}  // namespace ideal::families
