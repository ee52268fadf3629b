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
  Probe(const Problem& problem, const Limits& limits) : problem_(problem), limits_(limits) {}

  bool more(const Block& X, Index /*iteration*/, const Meter& meter) override {
    if (outcome.certified) return false;
    if (meter.computations < next_ && meter.computations < limits_.budget) return true;
    next_ = std::max(meter.computations + 1, resolution * meter.computations);
    look_at(X, meter);
    const bool over = wanted() == 0 && (outcome.reached.back() || limits_.beaten(meter, outcome.reached));
    return !outcome.diverged && !over && meter.computations < limits_.budget;
  }

  double wanted() const override { return limits_.wanted; }

  bool settled(const Block& X, double bound, const Meter& meter) override {
    outcome.wrong = worst_gap(X, distances(X)) > wanted() || bound > wanted();
    outcome.certified = meter;
    return true;
  }

  Outcome outcome;

 private:
  /// The worst agent is no nearer than the mean, and takes longer to find.
  void look_at(const Block& X, const Meter& meter) {
    const Vector away = distances(X);
    double gap = f(X.rowwise().mean()) - problem_.reference->value;
    if (outcome.first_gap == 0) outcome.first_gap = gap, first_distance_ = away.maxCoeff();
    if (gap <= targets[next_target()]) gap = worst_gap(X, away);
    for (std::size_t t = 0; t < targets.size(); ++t)
      if (gap <= targets[t] && !outcome.reached[t]) outcome.reached[t] = meter;
    outcome.diverged =
        !(gap <= hopeless * std::max(outcome.first_gap, std::abs(problem_.reference->value))) ||
        !(away.maxCoeff() <= hopeless * first_distance_);  // squares, as gaps are
  }

  [[nodiscard]] std::size_t next_target() const {
    std::size_t t = 0;
    while (t + 1 < targets.size() && outcome.reached[t]) ++t;
    return t;
  }

  [[nodiscard]] Vector distances(const Block& X) const {
    return (X.colwise() - problem_.reference->x).colwise().squaredNorm();
  }

  [[nodiscard]] double f(const Vector& x) const {
    double sum = 0;
    for (const auto& loss : problem_.losses) sum += loss->value(x);
    return sum;
  }

  [[nodiscard]] double worst_gap(const Block& X, const Vector& distances) const {
    std::vector<Index> order(static_cast<std::size_t>(X.cols()));
    std::iota(order.begin(), order.end(), Index{0});
    std::ranges::partial_sort(order, order.begin() + farthest, std::ranges::greater{},
                              [&](Index i) { return distances[i]; });
    double worst = f(X.rowwise().mean());
    for (Index k = 0; k < farthest; ++k) worst = std::max(worst, f(X.col(order[k])));
    return worst - problem_.reference->value;
  }

  const Problem& problem_;
  const Limits& limits_;
  double next_ = 0, first_distance_ = 0;
};

}  // namespace

Outcome probe(const Problem& problem, const Topology& topology, const Method& method, const Limits& limits) {
  Meter meter;
  Threads threads(1);
  const auto transport = in_process(topology.agents());
  std::vector<Index> agents(static_cast<std::size_t>(topology.agents()));
  std::iota(agents.begin(), agents.end(), Index{0});
  Objective F(problem.losses, agents, problem.constants, 0, meter, threads);
  Network W(topology, *transport, meter, threads);
  Probe monitor(problem, limits);
  Run run(monitor, meter);
  method(F, W, run, Block::Zero(F.dimension(), topology.agents()));
  monitor.outcome.parameters = run.parameters();
  return monitor.outcome;
}

}  // namespace bench
