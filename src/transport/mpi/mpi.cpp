// SPDX-License-Identifier: Apache-2.0
#include "transport/mpi/exchange.hpp"
#include "transport/mpi/waiting.hpp"

#include <ideal/mpi.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

// Every request goes to wait(), which the checker does not look into.
// NOLINTBEGIN(clang-analyzer-optin.mpi.MPI-Checker)

namespace ideal {

namespace {

using mpi::check;
using mpi::Exchange;
using mpi::Peer;
using mpi::wait;

/// A communicator of our own.
class Communicator {
 public:
  explicit Communicator(MPI_Comm other) {
    check(MPI_Comm_dup(other, &comm_), "duplicate a communicator");
    MPI_Comm_rank(comm_, &rank_);
    MPI_Comm_size(comm_, &size_);
  }
  ~Communicator() { MPI_Comm_free(&comm_); }
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  operator MPI_Comm() const { return comm_; }  // NOLINT(google-explicit-constructor): it is one
  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1;
};

/// Known to all ranks alike, so that all of them throw.
void require_countable(Index elements) {
  if (elements > std::numeric_limits<int>::max())
    throw RunError(fmt::format("ranks have {} numbers to tell each other, more than MPI counts", elements));
}

/// Elements of all ranks, one rank after the other.
template <class Element>
std::vector<Element> gather_all(const Communicator& comm, std::span<const Element> mine, MPI_Datatype type) {
  const auto size = static_cast<std::size_t>(comm.size());
  const auto many = static_cast<Index>(mine.size());
  std::vector<Index> sizes(size);
  MPI_Request request;
  check(MPI_Iallgather(&many, 1, MPI_INT64_T, sizes.data(), 1, MPI_INT64_T, comm, &request), "gather");
  wait(request, "gather");
  require_countable(std::accumulate(sizes.begin(), sizes.end(), Index{0}));
  const std::vector<int> counts(sizes.begin(), sizes.end());
  const int count = static_cast<int>(many);
  std::vector<int> first(size + 1, 0);
  std::partial_sum(counts.begin(), counts.end(), first.begin() + 1);
  std::vector<Element> all(static_cast<std::size_t>(first.back()));
  check(MPI_Iallgatherv(mine.data(), count, type, all.data(), counts.data(), first.data(), type, comm,
                        &request),
        "gather");
  wait(request, "gather");
  return all;
}

class MpiTransport final : public Transport {
 public:
  MpiTransport(std::shared_ptr<const Communicator> comm, const Graph& graph, std::span<const Index> host_of)
      : comm_(std::move(comm)),
        host_of_(host_of.begin(), host_of.end()),
        residents_(static_cast<std::size_t>(comm_->size())),
        where_(host_of.size()) {
    for (std::size_t i = 0; i < host_of_.size(); ++i)
      residents_[host_of_[i]].push_back(static_cast<Index>(i));
    for (std::size_t c = 0; c < here().size(); ++c) where_[here()[c]] = {own, static_cast<Index>(c)};
    for (int other = 0; other < comm_->size(); ++other)
      if (other != comm_->rank()) add_peer(graph, other);
    make_graph();
  }

  ~MpiTransport() override {
    exchanges_.clear();
    MPI_Comm_free(&graph_);
  }

  std::span<const Index> hosted() const override { return here(); }
  bool has_peers() const override { return comm_->size() > 1; }

  void start(const Block& X) override {
    X_ = &X;
    auto& exchange = exchanges_[X.rows()];
    if (!exchange) exchange = std::make_unique<Exchange>(graph_, peers_, X.rows());
    exchange_ = exchange.get();
    exchange_->start(X);
  }

  void finish() override { exchange_->finish(); }

  const double* column(Index agent) const override {
    const auto& [peer, index] = where_[static_cast<std::size_t>(agent)];
    return peer == own ? X_->col(index).data() : exchange_->received(peer, index);
  }

  const Block& gather(const Block& X) override {
    const auto by_rank =
        gather_all<double>(*comm_, {X.data(), static_cast<std::size_t>(X.size())}, MPI_DOUBLE);
    all_.resize(X.rows(), std::ssize(host_of_));
    const double* from = by_rank.data();
    for (const auto& residents : residents_) {
      for (const Index agent : residents) {
        all_.col(agent) = Eigen::Map<const Vector>(from, X.rows());
        from += X.rows();
      }
    }
    return all_;
  }

  void relay(Block& value, const std::function<void(Index, Block&)>& turn) override {
    require_countable(value.size());
    const Index me = comm_->rank(), last = std::ssize(host_of_) - 1;
    for (Index agent = 0; agent <= last; ++agent) {
      if (host_of_[agent] != me) continue;
      if (agent > 0 && host_of_[agent - 1] != me) receive(value, host_of_[agent - 1]);
      turn(where_[agent].index, value);
      if (agent < last && host_of_[agent + 1] != me) send(value, host_of_[agent + 1]);
    }
    MPI_Request request;
    check(MPI_Ibcast(value.data(), count(value), MPI_DOUBLE, static_cast<int>(host_of_[last]), *comm_,
                     &request),
          "pass a sum on");
    wait(request, "pass a sum on");
  }

 private:
  static constexpr std::size_t own = static_cast<std::size_t>(-1);
  static constexpr int relay_tag = 1;

  [[nodiscard]] const std::vector<Index>& here() const { return residents_[comm_->rank()]; }

  static int count(const Block& value) { return static_cast<int>(value.size()); }

  void send(const Block& value, Index to) {
    MPI_Request request;
    check(
        MPI_Isend(value.data(), count(value), MPI_DOUBLE, static_cast<int>(to), relay_tag, *comm_, &request),
        "pass a sum on");
    wait(request, "pass a sum on");
  }

  void receive(Block& value, Index from) {
    MPI_Request request;
    check(MPI_Irecv(value.data(), count(value), MPI_DOUBLE, static_cast<int>(from), relay_tag, *comm_,
                    &request),
          "pass a sum on");
    wait(request, "pass a sum on");
  }

  void add_peer(const Graph& graph, int other) {
    const auto touches = [&](Index agent, Index host) {
      return std::ranges::any_of(graph.neighbours(agent), [&](Index j) { return host_of_[j] == host; });
    };
    Peer peer{.rank = other, .outgoing = {}, .incoming = {}};
    for (std::size_t c = 0; c < here().size(); ++c)
      if (touches(here()[c], other)) peer.outgoing.push_back(static_cast<Index>(c));
    if (peer.outgoing.empty()) return;
    for (const Index agent : residents_[other]) {
      if (!touches(agent, comm_->rank())) continue;
      where_[agent] = {peers_.size(), std::ssize(peer.incoming)};
      peer.incoming.push_back(agent);
    }
    peers_.push_back(std::move(peer));
  }

  /// Edges of the process graph weigh what they carry, for libraries that look at it.
  void make_graph() {
    std::vector<int> ranks, in, out;
    for (const Peer& peer : peers_) {
      ranks.push_back(peer.rank);
      in.push_back(static_cast<int>(peer.incoming.size()));
      out.push_back(static_cast<int>(peer.outgoing.size()));
    }
    const int degree = static_cast<int>(ranks.size());
    check(MPI_Dist_graph_create_adjacent(*comm_, degree, ranks.data(), in.data(), degree, ranks.data(),
                                         out.data(), MPI_INFO_NULL, 0, &graph_),
          "build the graph of ranks");
  }

  struct Place {
    std::size_t peer = own;
    Index index = 0;
  };

  std::shared_ptr<const Communicator> comm_;
  std::vector<Index> host_of_;
  std::vector<std::vector<Index>> residents_;  ///< agents of each rank, ascending
  std::vector<Peer> peers_;
  std::vector<Place> where_;
  MPI_Comm graph_ = MPI_COMM_NULL;
  std::map<Index, std::unique_ptr<Exchange>> exchanges_;  ///< by length of the vectors
  Exchange* exchange_ = nullptr;
  const Block* X_ = nullptr;
  Block all_;
};

class MpiCluster final : public Cluster {
 public:
  explicit MpiCluster(MPI_Comm communicator) : comm_(std::make_shared<const Communicator>(communicator)) {}

  Index rank() const override { return comm_->rank(); }
  Index size() const override { return comm_->size(); }

  std::vector<std::string> share(std::string_view mine) override {
    const auto length = static_cast<Index>(mine.size());
    const auto lengths = gather_all<Index>(*comm_, {&length, 1}, MPI_INT64_T);
    const auto bytes = gather_all<char>(*comm_, mine, MPI_CHAR);
    std::vector<std::string> all;
    auto at = bytes.begin();
    for (const Index size : lengths) {
      all.emplace_back(at, at + size);
      at += size;
    }
    return all;
  }

  std::unique_ptr<Transport> transport(const Graph& graph, std::span<const Index> host_of) override {
    require_ranks(graph, host_of);
    return std::make_unique<MpiTransport>(comm_, graph, host_of);
  }

 private:
  void require_ranks(const Graph& graph, std::span<const Index> host_of) const {
    std::vector<bool> used(static_cast<std::size_t>(size()), false);
    bool valid = std::ssize(host_of) == graph.agents();
    for (const Index host : host_of) {
      valid = valid && host >= 0 && host < size();
      if (valid) used[host] = true;
    }
    if (!valid || std::ranges::find(used, false) != used.end())
      throw InputError("host_of", fmt::format("{} entries", host_of.size()),
                       fmt::format("a rank of 0 ... {} for each of {} agents, and no rank without one",
                                   size() - 1, graph.agents()),
                       "Use place(graph, cluster.size()).");
  }

  std::shared_ptr<const Communicator> comm_;
};

}  // namespace

std::unique_ptr<Cluster> mpi_cluster(MPI_Comm communicator) {
  return std::make_unique<MpiCluster>(communicator);
}

}  // namespace ideal

// NOLINTEND(clang-analyzer-optin.mpi.MPI-Checker)
