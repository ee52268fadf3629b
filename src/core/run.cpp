// SPDX-License-Identifier: Apache-2.0
#include <ideal/error.hpp>
#include <ideal/run.hpp>
#include <ideal/sentry.hpp>

#include <algorithm>
#include <type_traits>
#include <utility>

namespace ideal {

Run::Run(Monitor& monitor, Meter& meter, Options options)
    : monitor_(monitor), meter_(meter), options_(std::move(options)) {}

bool Run::more(const Block& X, std::optional<Index> iteration) {
  if (std::exchange(just_resumed_, false)) {
    ++passes_;
    return true;  // this iterate was looked at before the checkpoint was taken
  }
  const Index method_iteration = iteration.value_or(passes_);
  if (sentry_ && sentry_->astray(X, method_iteration)) {
    astray_ = true;
    return false;
  }
  const Index before = sentry_ && iteration ? sentry_->iterations_before() : 0;
  if (!monitor_.more(X, before + method_iteration, meter_)) {
    final_ = checkpoint();
    return false;
  }
  if (options_.checkpoint_every > 0 && passes_ > 0 && passes_ % options_.checkpoint_every == 0)
    options_.on_checkpoint(checkpoint());
  ++passes_;
  return true;
}

void Run::sums_to_zero(const Block& dual) {
  const auto found = std::ranges::find_if(state_, [&](const auto& slot) {
    const auto* block = std::get_if<Block*>(&slot);
    return block && *block == &dual;
  });
  if (found != state_.end()) dual_ = static_cast<std::size_t>(found - state_.begin());
}

Index Run::watched_by(Sentry& sentry) {
  sentry_ = &sentry;
  const Index before = options_.resume ? Sentry::retreats_of(*options_.resume) : 0;
  monitor_.be_patient(before < Sentry::most_retreats);
  return before;
}

bool Run::starts_together() const { return !sentry_ || sentry_->retreats() == 0; }

/// A checkpoint is taken from once: a method that goes back names its state again.
void Run::complete_state() {
  if (sentry_) sentry_->join(state_);
  if (sentry_ && std::exchange(astray_, false)) {
    monitor_.be_patient(sentry_->may_go_back());
    return;
  }
  if (!options_.resume) return;
  restore();
  if (sentry_) sentry_->resume();
}

Checkpoint Run::checkpoint() const {
  Checkpoint saved{.passes = passes_, .meter = meter_, .state = {}};
  for (const auto& slot : state_)
    std::visit([&](const auto* value) { saved.state.emplace_back(*value); }, slot);
  return saved;
}

void Run::restore() {
  const Checkpoint& saved = *options_.resume;
  if (saved.state.size() != state_.size()) throw RunError("the checkpoint belongs to another method");
  for (std::size_t k = 0; k < state_.size(); ++k) {
    const auto restore_from = [&]<class Value>(Value* value) {
      const auto* kept = std::get_if<Value>(&saved.state[k]);
      if (!kept) throw RunError("the checkpoint belongs to another method");
      if constexpr (std::is_same_v<Value, Block>)
        if (kept->rows() != value->rows() || kept->cols() != value->cols())
          throw RunError("the checkpoint belongs to a problem of another size");
      *value = *kept;
    };
    std::visit(restore_from, state_[k]);
  }
  passes_ = saved.passes;
  meter_ = saved.meter;
  just_resumed_ = true;
}

}  // namespace ideal
