// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/graph.hpp>
#include <ideal/random.hpp>

/// The named graphs. Arguments are taken as valid: the spec parser checks them.
namespace ideal::families {

Graph cycle(Index n);  ///< n = 2 is a single edge
Graph line(Index n);
Graph complete(Index n);
Graph star(Index n);                    ///< agent 0 is the centre
Graph grid(Index rows, Index columns);  ///< node (r, c) has index r * columns + c
Graph torus(Index rows,
            Index columns);  ///< cycles in both directions; a direction of 2 is a single edge, of 1 nothing
Graph hypercube(Index dimension);  ///< agents whose binary numbers differ in one bit
Graph barbell(Index n);  ///< complete on 0..h-1 and on h..n-1, h = floor(n/2), and the bridge (h-1, h)

Graph erdos_renyi(Index n, double p, Random& random);  ///< each pair is an edge with probability p

/// Steger & Wormald (1999): stubs are joined at random where that keeps the graph simple; asymptotically
/// uniform. Drawn again until it is connected; for k = 2 a random cycle, for k > (n - 1) / 2 the complement
/// of a draw.
Graph random_regular(Index n, Index k, Random& random);

Graph geometric(Index n, double radius,
                Random& random);  ///< points in the unit square, joined within the radius

/// Watts & Strogatz (1998): a ring joined to the k/2 nearest on each side; each edge's far end moves with
/// probability p.
Graph small_world(Index n, Index k, double p, Random& random);

Graph random_tree(Index n, Random& random);  ///< uniform over the n^(n-2) labelled trees (Prüfer sequence)

}  // namespace ideal::families
