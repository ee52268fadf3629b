// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/graph.hpp>
#include <ideal/transport.hpp>

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace ideal {

/// One of several groups of agents in one process, agents first ... end-1, which may be a round ahead of the
/// groups beside it and so many rounds ahead of others. What neighbours elsewhere need is copied; each copy
/// lives until they have used it.
class GroupTransport final : public Transport {
 public:
  /// `wait` is called over and over until a round's messages are there.
  GroupTransport(const Graph& graph, Index first, Index end, std::function<void()> wait);

  /// Makes groups known to each other; groups[k] hosts the agents that follow those of groups[k-1].
  static void connect(const Graph& graph, std::span<GroupTransport* const> groups);

  /// Whether what neighbours have sent in this round is there.
  [[nodiscard]] bool heard_all() const;

  /// Groups with neighbours of ours, by number.
  [[nodiscard]] std::span<const std::size_t> beside() const { return beside_; }

  std::span<const Index> hosted() const override { return agents_; }
  bool has_peers() const override { return !beside_.empty(); }
  void start(const Block& X) override;
  void start_laden(const Block& X, const Block& riders) override;
  void finish() override;
  const double* column(Index agent) const override;
  const double* rider(Index agent) const override;
  void expect(const Block& X, const Block& riders) override;

  /// Groups have no way to reach all agents: who needs that is not run in groups.
  const Block& gather(const Block& X) override;
  void relay(Block& value, const std::function<void(Index, Block&)>& turn) override;

 private:
  /// An agent elsewhere, and where its group has its copies.
  struct Neighbour {
    Index agent;
    const GroupTransport* group;
    Index place;
  };

  void send(const Block& X, const Block* riders);
  [[nodiscard]] Index here(Index agent) const { return agent - agents_.front(); }
  [[nodiscard]] bool is_here(Index agent) const { return here(agent) >= 0 && agent <= agents_.back(); }
  [[nodiscard]] const double* copy_of(Index agent) const;
  /// The columns that were shown in a round; there is room for the longest so far.
  struct Copies {
    Vector numbers;
    Index length = 0;
    void resize(Index rows, Index columns) {
      length = rows;
      if (numbers.size() < rows * columns) numbers.resize(rows * columns);
    }
    [[nodiscard]] const double* column(Index k) const { return numbers.data() + k * length; }
  };
  [[nodiscard]] const Copies& copies(Index round) const {
    return copies_[static_cast<std::size_t>(round % 2)];
  }

  std::vector<Index> agents_;
  std::function<void()> wait_;
  std::vector<Index> shown_;  ///< columns that other groups need
  /// Of the last two rounds: nobody is further behind, for else we would not have its messages of the last.
  std::array<Copies, 2> copies_;
  std::atomic<Index> sent_{0};  ///< rounds
  Index round_ = -1;            ///< the last one started
  const Block *X_ = nullptr, *riders_ = nullptr;
  std::vector<Neighbour> neighbours_;  ///< ascending
  std::vector<const GroupTransport*> peers_;
  std::vector<std::size_t> beside_;
};

}  // namespace ideal
