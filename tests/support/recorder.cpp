// SPDX-License-Identifier: Apache-2.0
#include "support/recorder.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ideal::test {

namespace {

class Recorder final : public Monitor {
 public:
  explicit Recorder(std::size_t passes) : passes_(passes) {}
  bool more(const Block& X, Index iteration, const Meter& meter) override {
    recording.X.push_back(X);
    recording.iteration.push_back(iteration);
    recording.meter.push_back(meter);
    return recording.X.size() <= passes_;
  }
  Recording recording;

 private:
  std::size_t passes_;
};

}  // namespace

Recording record(const Problem& problem, const Topology& topology, const Method& method, std::size_t passes) {
  Meter meter;
  Threads threads;
  const auto transport = in_process(topology.agents());
  const auto hosted = transport->hosted();
  Objective F(problem.losses, {hosted.begin(), hosted.end()}, problem.constants, 0, meter, threads,
              problem.regulariser);
  Network W(topology, *transport, meter, threads);
  Recorder recorder(passes);
  std::vector<Checkpoint> states;
  Run run(recorder, meter,
          {.resume = nullptr, .checkpoint_every = 1, .on_checkpoint = [&](const Checkpoint& c) {
             states.push_back(c);
           }});
  const double start = problem.regulariser.project(0);
  method(F, W, run, Block::Constant(F.dimension(), topology.agents(), start));
  recorder.recording.states = std::move(states);
  return std::move(recorder.recording);
}

double difference(const std::vector<Block>& a, const std::vector<Block>& b, std::size_t count) {
  double worst = a.size() < count || b.size() < count ? std::numeric_limits<double>::infinity() : 0;
  for (std::size_t k = 0; k < std::min({count, a.size(), b.size()}); ++k) {
    const double one = (a[k] - b[k]).norm() / (1e-300 + std::max(a[k].norm(), b[k].norm()));
    if (!(one <= worst)) worst = one;  // a NaN stays
    if (std::isnan(worst)) break;
  }
  return worst;
}

double relative_column_sum(const Block& X) { return X.rowwise().sum().norm() / (X.norm() + 1e-300); }

double squared_distance(const Block& X, const Vector& best) { return (X.colwise() - best).squaredNorm(); }

}  // namespace ideal::test
