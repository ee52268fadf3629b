// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ideal/meter.hpp>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ideal {

/// Looks at the iterates of a run and decides whether it goes on: stop rules, trace and cancellation live
/// behind this.
class Monitor {
 public:
  virtual ~Monitor() = default;
  virtual bool more(const Block& X, Index iteration, const Meter& meter) = 0;
};

/// Everything a method needs to go on from a loop head as if it had never stopped.
struct Checkpoint {
  Index passes = 0;
  Meter meter;
  std::vector<std::variant<Block, Index, double>> state;
};

/// Parameters as a method resolved them.
using Resolved = std::map<std::string, std::variant<bool, Index, double>>;

/// A method's one link to the world outside the mathematics.
class Run {
 public:
  struct Options {
    const Checkpoint* resume = nullptr;                         ///< continue from here
    Index checkpoint_every = 0;                                 ///< passes between checkpoints; 0: none
    std::function<void(const Checkpoint&)> on_checkpoint = {};  ///< where they go
  };

  Run(Monitor& monitor, Meter& meter) : Run(monitor, meter, Options()) {}
  Run(Monitor& monitor, Meter& meter, Options options);

  /// Names a method's state, once, before its loop. When resuming, the state is restored here.
  template <class... State>
  void keep(State&... state) {
    state_ = {&state...};
    if (options_.resume) restore();
  }

  /// The loop head: called with the current iterate before every computation. `iteration` counts outer
  /// iterations where a method has two loops; by default each pass is an iteration.
  bool more(const Block& X, std::optional<Index> iteration = {});

  /// Notes a parameter's resolved value for the summary and passes it on.
  template <class Value>
  Value uses(std::string_view name, Value value) {
    parameters_[std::string(name)] = value;
    return value;
  }

  [[nodiscard]] const Resolved& parameters() const { return parameters_; }

  /// The state at the loop head where the run ended.
  [[nodiscard]] const Checkpoint& final_checkpoint() const { return final_; }

 private:
  [[nodiscard]] Checkpoint checkpoint() const;
  void restore();

  Monitor& monitor_;
  Meter& meter_;
  Options options_;
  Index passes_ = 0;
  bool just_resumed_ = false;
  std::vector<std::variant<Block*, Index*, double*>> state_;
  Resolved parameters_;
  Checkpoint final_;
};

}  // namespace ideal
