// SPDX-License-Identifier: Apache-2.0
#include "probe.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace bench {

using namespace ideal;

namespace {

constexpr double resolution = 1.01, hopeless = 1e8;
constexpr Index farthest = 2;

class Probe final : public Monitor {
 public:
  Probe(const Problem& problem, double budget, double wanted)
      : problem_(problem), budget_(budget), wanted_(wanted) {}

  bool more(const Block& X, Index /*iteration*/, const Meter& meter) override {
    if (outcome.certified) return false;
    if (meter.computations < next_ && meter.computations < budget_) return true;
    next_ = std::max(meter.computations + 1, resolution * meter.computations);
    const double gap = worst_gap(X);
    if (outcome.first_gap == 0) outcome.first_gap = gap;
    outcome.diverged = !(gap <= hopeless * std::max(outcome.first_gap, std::abs(problem_.reference->value)));
    for (std::size_t t = 0; t < targets.size(); ++t)
      if (gap <= targets[t] && !outcome.reached[t]) outcome.reached[t] = meter;
    const bool over = wanted_ == 0 && outcome.reached.back();
    return !outcome.diverged && !over && meter.computations < budget_;
  }

  double wanted() const override { return wanted_; }

  bool settled(const Block& X, double bound, const Meter& meter) override {
    outcome.wrong = worst_gap(X) > wanted_ || bound > wanted_;
    outcome.certified = meter;
    return true;
  }

  Outcome outcome;

 private:
  [[nodiscard]] double f(const Vector& x) const {
    double sum = 0;
    for (const auto& loss : problem_.losses) sum += loss->value(x);
    return sum;
  }

  [[nodiscard]] double worst_gap(const Block& X) const {
    const Vector distances = (X.colwise() - problem_.reference->x).colwise().squaredNorm();
    std::vector<Index> order(static_cast<std::size_t>(X.cols()));
    std::iota(order.begin(), order.end(), Index{0});
    std::ranges::partial_sort(order, order.begin() + farthest, std::ranges::greater{},
                              [&](Index i) { return distances[i]; });
    double worst = f(X.rowwise().mean());
    for (Index k = 0; k < farthest; ++k) worst = std::max(worst, f(X.col(order[k])));
    return worst - problem_.reference->value;
  }

  const Problem& problem_;
  double budget_, wanted_, next_ = 0;
};

}  // namespace

Outcome probe(const Problem& problem, const Topology& topology, const Method& method, double budget,
              double wanted) {
  Meter meter;
  Threads threads(1);
  const auto transport = in_process(topology.agents());
  std::vector<Index> agents(static_cast<std::size_t>(topology.agents()));
  std::iota(agents.begin(), agents.end(), Index{0});
  Objective F(problem.losses, agents, problem.constants, 0, meter, threads);
  Network W(topology, *transport, meter, threads);
  Probe monitor(problem, budget, wanted);
  Run run(monitor, meter);
  method(F, W, run, Block::Zero(F.dimension(), topology.agents()));
  monitor.outcome.parameters = run.parameters();
  return monitor.outcome;
}

}  // namespace bench
