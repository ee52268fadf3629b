// SPDX-License-Identifier: Apache-2.0
// A method's loop takes no memory: its blocks are there before it starts. The linker sends the library's
// calls of malloc and operator new here (-Wl,--wrap).
#include "core/waves.hpp"
#include "support/problems.hpp"

#include <ideal/observer.hpp>

#include <atomic>
#include <cstdlib>

#include <gtest/gtest.h>

namespace {
std::atomic<long> allocations{0};
}

// The linker's names; _Znwm is operator new.
// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" {
void* __real_malloc(std::size_t size);
void* __wrap_malloc(std::size_t size) {
  ++allocations;
  return __real_malloc(size);
}
void* __real__Znwm(std::size_t size);
void* __wrap__Znwm(std::size_t size) {
  ++allocations;
  return __real__Znwm(size);
}
}
// NOLINTEND(bugprone-reserved-identifier)

namespace ideal::test {
namespace {

/// (c/2) |x - m|^2, whose gradient takes no memory itself.
class Bowl final : public Loss {
 public:
  Bowl(double c, double m, Index d) : c_(c), m_(m), d_(d) {}
  Index dimension() const override { return d_; }
  double value(VectorRef x) const override { return c_ / 2 * (x.array() - m_).square().sum(); }
  void gradient(VectorRef x, VectorOut g) const override { g = c_ * (x.array() - m_).matrix(); }
  Curvature curvature() const override { return {c_, c_}; }
  void hessian_vector(VectorRef /*x*/, VectorRef v, VectorOut Hv) const override { Hv = c_ * v; }

 private:
  double c_, m_;
  Index d_;
};

/// Notes how much had been allocated at two passes.
class Witness final : public Monitor {
 public:
  explicit Witness(Monitor& observer) : observer_(observer) {}
  bool more(const Block& X, Index iteration, const Meter& meter) override {
    const bool goes_on = observer_.more(X, iteration, meter);
    ++passes_;
    if (passes_ == 10) before = allocations;
    if (passes_ == 1000) after = allocations;
    return goes_on && passes_ < 1000;
  }
  long before = -1, after = -1;

 private:
  Monitor& observer_;
  int passes_ = 0;
};

class EveryMethod : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Memory, EveryMethod, testing::ValuesIn(method_names()), readable);

constexpr Index agents = 6, d = 50;

std::vector<std::shared_ptr<const Loss>> bowls() {
  std::vector<std::shared_ptr<const Loss>> losses;
  for (Index i = 0; i < agents; ++i)
    losses.push_back(std::make_shared<Bowl>(1 + static_cast<double>(i), static_cast<double>(i * i), d));
  return losses;
}

/// Where agents live on a network of six.
void expect_no_memory_taken(const std::string& name, const Topology& topology) {
  const auto losses = bowls();
  for (const int count : {1, 2}) {
    Threads threads(count);
    const Constants constants = constants_of(losses, {}, {}, threads);
    const std::optional<Reference> none;
    Meter meter;
    const auto transport = in_process(agents);
    const auto hosted = transport->hosted();
    Objective F(losses, {hosted.begin(), hosted.end()}, constants, 0, meter, threads);
    Network W(topology, *transport, meter, threads);
    Observer observer(losses, none, {.every = 0}, *transport, threads, F.L());
    Witness witness(observer);
    ideal::Run run(witness, meter);
    const long at_first = allocations;
    method(name)(F, W, run, Block::Zero(d, agents));
    EXPECT_GT(witness.before, at_first) << "blocks are counted at all";
    EXPECT_EQ(witness.after - witness.before, 0) << "with " << count << " threads";
  }
}

TEST_P(EveryMethod, TakesNoMemoryWhileItRuns) {
  expect_no_memory_taken(GetParam(), Topology::parse("cycle:6", "laplacian"));
}

/// Looks twice, and notes how much had been allocated.
class SeldomWitness final : public Monitor {
 public:
  bool looks(Index others, const Meter& /*meter*/) const override {
    const Index pass = passes_ + others;
    return pass == first || pass == last;
  }
  void left_out(Index passes) override { passes_ += passes; }
  bool more(const Block& /*X*/, Index /*iteration*/, const Meter& /*meter*/) override {
    (passes_ == first ? before : after) = allocations;
    return passes_++ < last;
  }
  long before = -1, after = -1;

 private:
  static constexpr Index first = 10, last = 1000;
  Index passes_ = 0;
};

TEST_P(EveryMethod, TakesNoMemoryInWaves) {
  const Method m = method(GetParam());
  if (!m.about().local) return;
  const Topology topology = Topology::parse("cycle:6", "laplacian");
  Problem problem{.losses = bowls(), .constants = {}};
  for (const int count : {1, 2}) {
    Threads threads(count);
    problem.constants = constants_of(problem.losses, {}, {}, threads);
    SeldomWitness witness;
    run_in_waves(problem, topology, m, {.group = 2, .passes = 16}, Vector::Zero(d), witness, threads, 0, {});
    EXPECT_GT(witness.before, 0);
    EXPECT_EQ(witness.after - witness.before, 0) << "with " << count << " threads";
  }
}

TEST(Memory, NetworksThatChangeTakeNone) {
  for (const char* graph : {"awake:0.4:cycle:6", "periodic:cycle:6+star:6"})
    for (const char* name : {"diging", "push-diging"})
      expect_no_memory_taken(name, Topology::parse(graph, "laplacian"));
  expect_no_memory_taken("push-diging", Topology::parse("awake:0.7:directed-cycle:6", "laplacian"));
}

}  // namespace
}  // namespace ideal::test
