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
  void start(const Block& X) override { X_ = &X; }
  void start_laden(const Block& X, const Block& riders) override {
    X_ = &X;
    riders_ = &riders;
  }
  void finish() override {}
  const double* column(Index agent) const override { return X_->col(agent).data(); }
  const double* rider(Index agent) const override { return riders_->col(agent).data(); }
  void expect(const Block&, const Block&) override {}
  const Block& gather(const Block& X) override { return X; }
  void relay(Block& value, const std::function<void(Index, Block&)>& turn) override {
    for (Index c = 0; c < std::ssize(agents_); ++c) turn(c, value);
  }

 private:
  std::vector<Index> agents_;
  const Block* X_ = nullptr;
  const Block* riders_ = nullptr;
};

}  // namespace

std::unique_ptr<Transport> in_process(Index agents) { return std::make_unique<InProcess>(agents); }

}  // namespace ideal
