// SPDX-License-Identifier: Apache-2.0
#include <ideal/cluster.hpp>
#include <ideal/error.hpp>

#include <fmt/format.h>

namespace ideal {

namespace {

class Alone final : public Cluster {
 public:
  Index rank() const override { return 0; }
  Index size() const override { return 1; }
  std::vector<std::string> share(std::string_view mine) override { return {std::string(mine)}; }
  std::unique_ptr<Transport> transport(const Graph& graph, std::span<const Index>) override {
    return in_process(graph.agents());
  }
};

}  // namespace

std::unique_ptr<Cluster> alone() { return std::make_unique<Alone>(); }

std::string told_by_first(Cluster& cluster, std::string_view mine) {
  return std::move(cluster.share(cluster.rank() == 0 ? mine : "").front());
}

void require_same(Cluster& cluster, std::string_view what, std::string_view mine) {
  const auto all = cluster.share(mine);
  for (std::size_t rank = 1; rank < all.size(); ++rank)
    if (all[rank] != all[0])
      throw InputError(fmt::format("rank {}", rank), fmt::format("{} {}", what, all[rank]),
                       fmt::format("rank 0 has {}", all[0]), "Start every rank the same way.");
}

}  // namespace ideal
