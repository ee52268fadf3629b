// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/problems.hpp"

#include <vector>

namespace ideal::test {

/// What a method did, pass by pass.
struct Recording {
  std::vector<Block> X;          // before each computation; X[0] is the start
  std::vector<Index> iteration;  // the iteration the method reported
  std::vector<Meter> meter;
  std::vector<Checkpoint> states;  // everything the method keeps

  /// The iterate at the end of each outer iteration, X_1, X_2, ...
  [[nodiscard]] std::vector<Block> outer() const {
    std::vector<Block> ends;
    for (std::size_t p = 1; p < X.size(); ++p)
      if (iteration[p] > iteration[p - 1]) ends.push_back(X[p]);
    return ends;
  }
};

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

/// Runs a method for a number of passes in the simulator and keeps every iterate.
inline Recording record(const Problem& problem, const Topology& topology, const Method& method,
                        std::size_t passes) {
  Meter meter;
  Threads threads;
  const auto transport = in_process(topology.graph());
  const auto hosted = transport->hosted();
  Objective F(problem.losses, {hosted.begin(), hosted.end()}, problem.constants, 0, meter, threads);
  Network W(topology, *transport, meter, threads);
  Recorder recorder(passes);
  std::vector<Checkpoint> states;
  Run run(recorder, meter,
          {.resume = nullptr, .checkpoint_every = 1, .on_checkpoint = [&](const Checkpoint& c) {
             states.push_back(c);
           }});
  method(F, W, run, Block::Zero(F.dimension(), topology.agents()));
  recorder.recording.states = std::move(states);
  return std::move(recorder.recording);
}

/// Largest relative difference between two sequences of iterates.
inline double difference(const std::vector<Block>& a, const std::vector<Block>& b) {
  double worst = 0;
  for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k)
    worst = std::max(worst, (a[k] - b[k]).norm() / (1e-300 + std::max(a[k].norm(), b[k].norm())));
  return worst;
}

}  // namespace ideal::test
