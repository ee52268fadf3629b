// SPDX-License-Identifier: Apache-2.0
#include <ideal/error.hpp>
#include <ideal/transport.hpp>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <set>

#include <fmt/format.h>

namespace ideal {

namespace {

/// A one-way channel of messages between two hosts.
class Mailbox {
 public:
  void put(Block message) {
    {
      const std::lock_guard lock(mutex_);
      messages_.push_back(std::move(message));
    }
    arrived_.notify_one();
  }

  Block take() {
    std::unique_lock lock(mutex_);
    arrived_.wait(lock, [&] { return closed_ || !messages_.empty(); });
    // What was sent before the sender left is still good.
    if (messages_.empty()) throw PeerLost("a neighbouring host left while a round was under way");
    Block message = std::move(messages_.front());
    messages_.pop_front();
    return message;
  }

  void close() {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
    }
    arrived_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<Block> messages_;
  bool closed_ = false;
};

/// Every pair of hosts has a mailbox in each direction, for rounds and for gathering.
struct Post {
  explicit Post(std::size_t count) : hosts(count), rounds(count * count), gathers(count * count) {}
  Mailbox& round(std::size_t from, std::size_t to) { return rounds[from * hosts + to]; }
  Mailbox& gather(std::size_t from, std::size_t to) { return gathers[from * hosts + to]; }

  std::size_t hosts;
  std::deque<Mailbox> rounds, gathers;
};

struct Peer {
  std::size_t host;
  std::vector<Index> outgoing;  ///< local columns with a neighbour there
  std::vector<Index> incoming;  ///< agents there with a neighbour here, ascending
  Block received;               ///< their vectors, in that order
};

class MailboxTransport final : public Transport {
 public:
  MailboxTransport(std::shared_ptr<Post> post, const Graph& graph, std::span<const Index> host_of,
                   std::size_t host)
      : post_(std::move(post)),
        host_(host),
        host_of_(host_of.begin(), host_of.end()),
        residents_(post_->hosts),
        where_(static_cast<std::size_t>(graph.agents())) {
    for (Index i = 0; i < graph.agents(); ++i) residents_[static_cast<std::size_t>(host_of[i])].push_back(i);
    for (std::size_t other = 0; other < post_->hosts; ++other)
      if (other != host_) add_peer(graph, host_of, other);
    const auto& here = residents_[host_];
    for (std::size_t c = 0; c < here.size(); ++c) where_[here[c]] = {nullptr, static_cast<Index>(c)};
  }

  ~MailboxTransport() override {
    for (std::size_t other = 0; other < post_->hosts; ++other) {
      post_->round(host_, other).close();
      post_->gather(host_, other).close();
    }
  }

  std::span<const Index> hosted() const override { return residents_[host_]; }

  bool has_peers() const override { return post_->hosts > 1; }

  void start(const Block& X) override {
    X_ = &X;
    for (const Peer& peer : peers_) post_->round(host_, peer.host).put(X(Eigen::all, peer.outgoing));
  }

  void finish() override {
    for (Peer& peer : peers_) {
      peer.received = post_->round(peer.host, host_).take();
      if (peer.received.rows() != X_->rows())
        throw RunError("hosts are out of step: they send vectors of different lengths");
    }
  }

  const double* column(Index agent) const override {
    const auto& [peer, index] = where_[static_cast<std::size_t>(agent)];
    return (peer ? peer->received : *X_).col(index).data();
  }

  const Block& gather(const Block& X) override {
    for (std::size_t other = 0; other < post_->hosts; ++other)
      if (other != host_) post_->gather(host_, other).put(X);
    all_.resize(X.rows(), static_cast<Index>(where_.size()));
    for (std::size_t other = 0; other < post_->hosts; ++other)
      all_(Eigen::all, residents_[other]) = other == host_ ? X : post_->gather(other, host_).take();
    return all_;
  }

  void relay(Block& value, const std::function<void(Index, Block&)>& turn) override {
    for (std::size_t agent = 0; agent < host_of_.size(); ++agent) {
      if (host_of_[agent] != host_) continue;
      if (agent > 0 && host_of_[agent - 1] != host_) value = post_->gather(host_of_[agent - 1], host_).take();
      turn(where_[agent].index, value);
      if (agent + 1 < host_of_.size() && host_of_[agent + 1] != host_)
        post_->gather(host_, host_of_[agent + 1]).put(value);
    }
    const std::size_t last = host_of_.back();
    for (std::size_t other = 0; host_ == last && other < post_->hosts; ++other)
      if (other != last) post_->gather(last, other).put(value);
    if (host_ != last) value = post_->gather(last, host_).take();
  }

 private:
  void add_peer(const Graph& graph, std::span<const Index> host_of, std::size_t other) {
    const auto touches = [&](Index agent, std::size_t host) {
      return std::ranges::any_of(graph.neighbours(agent),
                                 [&](Index j) { return host_of[j] == static_cast<Index>(host); });
    };
    Peer peer{.host = other, .outgoing = {}, .incoming = {}, .received = {}};
    for (std::size_t c = 0; c < residents_[host_].size(); ++c)
      if (touches(residents_[host_][c], other)) peer.outgoing.push_back(static_cast<Index>(c));
    if (peer.outgoing.empty()) return;
    std::ranges::copy_if(residents_[other], std::back_inserter(peer.incoming),
                         [&](Index j) { return touches(j, host_); });
    peers_.push_back(std::move(peer));
    const Peer& kept = peers_.back();
    for (std::size_t k = 0; k < kept.incoming.size(); ++k)
      where_[kept.incoming[k]] = {&kept, static_cast<Index>(k)};
  }

  struct Place {
    const Peer* peer = nullptr;  ///< null: on this host
    Index index = 0;
  };

  std::shared_ptr<Post> post_;
  std::size_t host_;
  std::vector<std::size_t> host_of_;           ///< of every agent
  std::vector<std::vector<Index>> residents_;  ///< agents of each host, ascending
  std::deque<Peer> peers_;                     ///< hosts we share an edge with; a deque keeps addresses
  std::vector<Place> where_;
  const Block* X_ = nullptr;
  Block all_;
};

std::size_t count_hosts(const Graph& graph, std::span<const Index> host_of) {
  const std::set<Index> hosts(host_of.begin(), host_of.end());
  const bool numbered = !hosts.empty() && *hosts.begin() == 0 && *hosts.rbegin() == std::ssize(hosts) - 1;
  if (std::ssize(host_of) != graph.agents() || !numbered)
    throw InputError(
        "host_of", fmt::format("{} entries naming {} hosts", host_of.size(), hosts.size()),
        fmt::format("one host for each of {} agents, hosts numbered 0, 1, ... without a gap", graph.agents()),
        "Number the hosts that have agents.");
  return hosts.size();
}

}  // namespace

std::vector<std::unique_ptr<Transport>> mailboxes(const Graph& graph, std::span<const Index> host_of) {
  const std::size_t hosts = count_hosts(graph, host_of);
  auto post = std::make_shared<Post>(hosts);
  std::vector<std::unique_ptr<Transport>> transports;
  transports.reserve(hosts);
  for (std::size_t host = 0; host < hosts; ++host)
    transports.push_back(std::make_unique<MailboxTransport>(post, graph, host_of, host));
  return transports;
}

}  // namespace ideal
