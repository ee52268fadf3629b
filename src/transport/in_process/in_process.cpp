// SPDX-License-Identifier: Apache-2.0
#include <ideal/transport.hpp>

#include <numeric>

namespace ideal {

namespace {

class InProcess final : public Transport {
 public:
  explicit InProcess(Index agents) : agents_(static_cast<std::size_t>(agents)) {
    std::iota(agents_.begin(), agents_.end(), Index{0});
  }
  std::span<const Index> hosted() const override { return agents_; }
  bool has_peers() const override { return false; }
  void exchange(const Block& X) override { X_ = &X; }
  const double* column(Index agent) const override { return X_->col(agent).data(); }
  const Block& gather(const Block& X) override { return X; }

 private:
  std::vector<Index> agents_;
  const Block* X_ = nullptr;
};

}  // namespace

std::unique_ptr<Transport> in_process(const Graph& graph) {
  return std::make_unique<InProcess>(graph.agents());
}

}  // namespace ideal
