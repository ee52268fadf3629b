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

class Sentry;

/// Looks at the iterates of a run and decides whether it goes on: stop rules, trace and cancellation live
/// behind this.
class Monitor {
 public:
  virtual ~Monitor() = default;
  virtual bool more(const Block& X, Index iteration, const Meter& meter) = 0;

  /// Whether more() has to be asked in the pass that comes after so many others, with the meter as it is
  /// then, of which the bytes may be those of some agents only. It may be left out where not: the answer
  /// would be yes. Asked at most once for each pass where agents run ahead of others, by any thread, but
  /// never by two at once.
  [[nodiscard]] virtual bool looks(Index /*others*/, const Meter& /*meter*/) const { return true; }
  virtual void left_out(Index /*passes*/) {}

  /// Whether it wants the run to end at the next occasion.
  [[nodiscard]] virtual bool cancelled() const { return false; }

  /// The suboptimality of the worst agent at which a method that can certify it ends the run; 0: none.
  [[nodiscard]] virtual double wanted() const { return 0; }

  /// News from such a method: the mean of some rounds ago was no worse than this.
  virtual void bounded(double /*bound*/) {}

  /// What a method has to say to its user, as why it chose what it chose.
  virtual void note(std::string_view /*text*/) {}

  /// While the method itself goes back where it goes astray, growth is no reason to end the run.
  virtual void be_patient(bool /*patient*/) {}

  /// All agents know that no column of X is worse than `bound` <= wanted(). True if that ends the run.
  virtual bool settled(const Block& /*X*/, double /*bound*/, const Meter& /*meter*/) { return false; }
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
    complete_state();
  }

  /// Says that the columns of a kept block sum to zero over all agents, as dual variables do: what a
  /// diagnosis looks at.
  void sums_to_zero(const Block& dual);

  /// Where such a block is in the state.
  [[nodiscard]] std::optional<std::size_t> dual() const { return dual_; }

  /// The loop head: called with the current iterate before every computation. `iteration` counts outer
  /// iterations where a method has two loops; by default each pass is an iteration.
  bool more(const Block& X, std::optional<Index> iteration = {});

  /// A sentry looks at every loop head from now on. Returns how often it made the method go back before, in a
  /// resumed run.
  Index watched_by(Sentry& sentry);

  /// Whether the last loop ended because it went astray. The next one starts from where the sentry says.
  [[nodiscard]] bool went_astray() const { return astray_; }

  /// Whether the block a method starts from is the same for every agent: not after it went back.
  [[nodiscard]] bool starts_together() const;

  /// For methods that can certify what they have reached.
  [[nodiscard]] double wanted() const { return monitor_.wanted(); }
  void bounded(double bound) { monitor_.bounded(bound); }
  void note(std::string_view text) { monitor_.note(text); }
  void be_patient(bool patient) { monitor_.be_patient(patient); }
  bool settled(const Block& X, double bound) { return monitor_.settled(X, bound, meter_); }

  /// So far.
  [[nodiscard]] const Meter& spent() const { return meter_; }

  /// Whether keep() will restore a state.
  [[nodiscard]] bool resumes() const { return options_.resume != nullptr; }

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
  void complete_state();
  void restore();

  Monitor& monitor_;
  Meter& meter_;
  Options options_;
  Index passes_ = 0;
  bool just_resumed_ = false;
  Sentry* sentry_ = nullptr;
  bool astray_ = false;
  std::vector<std::variant<Block*, Index*, double*>> state_;
  std::optional<std::size_t> dual_;
  Resolved parameters_;
  Checkpoint final_;
};

}  // namespace ideal
