// SPDX-License-Identifier: Apache-2.0
#include "transport/mpi/exchange.hpp"

#include "transport/mpi/waiting.hpp"

#include <algorithm>
#include <limits>

namespace ideal::mpi {

namespace {

/// Where each peer's numbers begin, and the end.
std::vector<Index> beginnings(std::span<const Peer> peers, Index length, std::vector<Index> Peer::*vectors) {
  std::vector<Index> first{0};
  for (const Peer& peer : peers) first.push_back(first.back() + std::ssize(peer.*vectors) * length);
  if (first.back() > std::numeric_limits<int>::max())
    throw RunError(fmt::format("a rank exchanges {} numbers a round, more than MPI counts; use more ranks",
                               first.back()));
  return first;
}

}  // namespace

Exchange::Exchange(MPI_Comm graph, std::span<const Peer> peers, Index length)
    : peers_(peers),
      length_(length),
      first_outgoing_(beginnings(peers, length, &Peer::outgoing)),
      first_incoming_(beginnings(peers, length, &Peer::incoming)) {
  outgoing_.resize(first_outgoing_.back());
  incoming_.resize(first_incoming_.back());
  const auto size = [](const std::vector<Index>& first, std::size_t p) {
    return static_cast<int>(first[p + 1] - first[p]);
  };
#if MPI_VERSION >= 4
  // One persistent collective: measured faster than its parts on MPICH, which has it.
  const std::size_t count = peers.size();
  counts_.resize(4 * count);
  int *out = counts_.data(), *out_at = out + count, *in = out_at + count, *in_at = in + count;
  for (std::size_t p = 0; p < count; ++p) {
    out[p] = size(first_outgoing_, p);
    out_at[p] = static_cast<int>(first_outgoing_[p]);
    in[p] = size(first_incoming_, p);
    in_at[p] = static_cast<int>(first_incoming_[p]);
  }
  requests_.resize(1);
  check(MPI_Neighbor_alltoallv_init(outgoing_.data(), out, out_at, MPI_DOUBLE, incoming_.data(), in, in_at,
                                    MPI_DOUBLE, graph, MPI_INFO_NULL, requests_.data()),
        "set up an exchange");
#else
  constexpr int tag = 0;
  requests_.resize(2 * peers.size());
  for (std::size_t p = 0; p < peers.size(); ++p) {
    check(MPI_Recv_init(incoming_.data() + first_incoming_[p], size(first_incoming_, p), MPI_DOUBLE,
                        peers[p].rank, tag, graph, &requests_[2 * p]),
          "set up an exchange");
    check(MPI_Send_init(outgoing_.data() + first_outgoing_[p], size(first_outgoing_, p), MPI_DOUBLE,
                        peers[p].rank, tag, graph, &requests_[2 * p + 1]),
          "set up an exchange");
  }
#endif
}

Exchange::~Exchange() {
  for (MPI_Request& request : requests_) MPI_Request_free(&request);
}

void Exchange::start(const Block& X) {
  for (std::size_t p = 0; p < peers_.size(); ++p) {
    double* to = outgoing_.data() + first_outgoing_[p];
    for (const Index column : peers_[p].outgoing) {
      std::copy_n(X.col(column).data(), length_, to);
      to += length_;
    }
  }
  if (requests_.empty()) return;  // a rank alone: some libraries refuse to start nothing
  check(MPI_Startall(static_cast<int>(requests_.size()), requests_.data()), "start a round");
}

void Exchange::finish() { wait(requests_, "finish a round"); }

}  // namespace ideal::mpi
