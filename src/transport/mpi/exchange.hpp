// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/block.hpp>

#include <span>
#include <vector>

#include <mpi.h>

namespace ideal::mpi {

/// A rank that shares edges with this one.
struct Peer {
  int rank;
  std::vector<Index> outgoing;  ///< local columns with a neighbour there
  std::vector<Index> incoming;  ///< agents there with a neighbour here, ascending
};

/// Vectors of one length, to and from all peers: buffers and persistent requests, set up once.
/// Peers are the neighbours of `graph`, in the same order.
class Exchange {
 public:
  Exchange(MPI_Comm graph, std::span<const Peer> peers, Index length);
  ~Exchange();
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  void start(const Block& X);
  void finish();

  /// The k-th incoming vector of a peer.
  [[nodiscard]] const double* received(std::size_t peer, Index k) const {
    return incoming_.data() + first_incoming_[peer] + k * length_;
  }

 private:
  std::span<const Peer> peers_;
  Index length_;
  Vector outgoing_, incoming_;
  std::vector<Index> first_outgoing_, first_incoming_;  ///< where a peer's vectors begin, and the end
  std::vector<int> counts_;                             ///< what MPI keeps a pointer to
  std::vector<MPI_Request> requests_;
};

}  // namespace ideal::mpi
