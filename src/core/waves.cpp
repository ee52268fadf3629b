// SPDX-License-Identifier: Apache-2.0
#include "core/waves.hpp"

#include "core/cache.hpp"
#include "core/fiber.hpp"
#include "transport/in_process/groups.hpp"

#include <ideal/error.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <mutex>
#include <numeric>
#include <ranges>
#include <thread>

namespace ideal {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Whether somebody looks at the pass after so many others of this wave: asked once, by whichever group comes
/// there first, so that all groups do the same.
class Looks {
 public:
  Looks(const Monitor& monitor, Index passes)
      : monitor_(monitor), answers_(static_cast<std::size_t>(passes)) {}

  bool at(Index others, const Meter& meter) {
    std::atomic<Answer>& answer = answers_[static_cast<std::size_t>(others)];
    if (const Answer known = answer.load(std::memory_order_acquire); known != Answer::none)
      return known == Answer::yes;
    const std::lock_guard lock(asking_);
    if (answer.load(std::memory_order_relaxed) == Answer::none)
      answer.store(monitor_.looks(others, meter) ? Answer::yes : Answer::no, std::memory_order_release);
    return answer.load(std::memory_order_relaxed) == Answer::yes;
  }

  /// All groups are at a gate.
  void forget() {
    for (auto& answer : answers_) answer.store(Answer::none, std::memory_order_relaxed);
  }

 private:
  enum class Answer : std::uint8_t { none, no, yes };
  const Monitor& monitor_;
  std::mutex asking_;
  std::vector<std::atomic<Answer>> answers_;
};

/// What all groups of a run share.
struct Common {
  const Problem& problem;
  const Topology& topology;
  const Method& method;
  const Vector& start;
  Monitor& monitor;
  std::uint64_t seed;
  const Run::Options& options;
  Index passes;  ///< of a wave
  Looks looks{monitor, passes};
  Threads alone{1};
};

/// Some agents and their run, which pauses where it has to wait: for messages, or at a gate, where all groups
/// meet.
class Group final : public Monitor {
 public:
  Group(Common& common, Index first, Index end)
      : common_(common),
        transport_(std::make_unique<GroupTransport>(common.topology.graph(), first, end,
                                                    [this] { wait_for_messages(); })),
        resume_(common.options.resume ? part_of(*common.options.resume, transport_->hosted()) : Checkpoint{}),
        fiber_([this] { live(); }) {}

  GroupTransport& transport() { return *transport_; }

  /// Whether it can go on, and goes on until it cannot.
  [[nodiscard]] bool can_go() const { return !at_gate_ && !fiber_.ended() && transport_->heard_all(); }
  void go() { fiber_.resume(); }

  [[nodiscard]] bool ended() const { return fiber_.ended(); }
  [[nodiscard]] bool arrived() const { return at_gate_ || fiber_.ended(); }

  /// What it shows at a gate: an iterate, or a checkpoint.
  [[nodiscard]] const Block* iterate() const { return iterate_; }
  [[nodiscard]] const Checkpoint* checkpoint() const { return checkpoint_; }
  [[nodiscard]] Index iteration() const { return iteration_; }
  [[nodiscard]] Index passed_by() const { return passed_by_; }
  [[nodiscard]] bool looked_at() const { return looked_at_; }
  void open_gate(bool more) {
    more_ = more;
    at_gate_ = false;
  }

  [[nodiscard]] const Ran& result() const { return result_; }
  [[nodiscard]] const Meter& meter() const { return meter_; }

  // What its method asks of a run. All groups say the same, so the first one speaks.
  bool more(const Block& X, Index iteration, const Meter& meter) override {
    looked_at_ = common_.looks.at(passed_by_, meter);
    if (!looked_at_ && passed_by_ + 1 < common_.passes) {
      ++passed_by_;
      return true;
    }
    iterate_ = &X;
    iteration_ = iteration;
    stop_at_gate();
    iterate_ = nullptr;
    passed_by_ = 0;
    return more_;
  }
  [[nodiscard]] double wanted() const override { return common_.monitor.wanted(); }
  void note(std::string_view text) override {
    if (first()) common_.monitor.note(text);
  }
  void be_patient(bool patient) override {
    if (first()) common_.monitor.be_patient(patient);
  }

 private:
  [[nodiscard]] bool first() const { return transport_->hosted().front() == 0; }

  void live() {
    const auto hosted = transport_->hosted();
    std::vector<std::shared_ptr<const Loss>> losses;
    for (const Index i : hosted) losses.push_back(common_.problem.losses[static_cast<std::size_t>(i)]);
    Objective F(std::move(losses), {hosted.begin(), hosted.end()}, common_.problem.constants, common_.seed,
                meter_, common_.alone, common_.problem.regulariser);
    Network W(common_.topology, *transport_, meter_, common_.alone);
    Run run(*this, meter_,
            {.resume = common_.options.resume ? &resume_ : nullptr,
             .checkpoint_every = common_.options.checkpoint_every,
             .on_checkpoint = [this](const Checkpoint& saved) { show(saved); }});
    Block X = common_.method(F, W, run, common_.start.replicate(1, std::ssize(hosted)));
    result_ = {.X = std::move(X),
               .meter = meter_,
               .parameters = run.parameters(),
               .checkpoint = run.final_checkpoint(),
               .dual = run.dual(),
               .computing = F.seconds(),
               .mixing = W.seconds() - away_};
  }

  void show(const Checkpoint& saved) {
    checkpoint_ = &saved;
    stop_at_gate();
    checkpoint_ = nullptr;
  }

  void stop_at_gate() {
    at_gate_ = true;
    Fiber::pause();
  }

  void wait_for_messages() {
    const auto start = Clock::now();
    Fiber::pause();
    away_ += seconds_since(start);
  }

  Common& common_;
  std::unique_ptr<GroupTransport> transport_;
  Checkpoint resume_;
  Meter meter_;
  Index passed_by_ = 0;     ///< passes since the last gate that nobody looked at
  bool looked_at_ = false;  ///< the monitor wants to see this pass
  const Block* iterate_ = nullptr;
  Index iteration_ = 0;
  const Checkpoint* checkpoint_ = nullptr;
  bool at_gate_ = false, more_ = true;
  double away_ = 0;  ///< seconds in which others had the thread
  Ran result_;
  Fiber fiber_;
};

/// The groups that one thread takes turns with. Whoever has gone on lets those beside it go on, the last one
/// first: so a group comes to its next iteration while its rows are in the cache, and the wave goes from the
/// first group to the last.
class Crew {
 public:
  Crew(std::span<Group* const> groups, std::size_t first, std::size_t end)
      : groups_(groups), first_(first), end_(end), waits_(end - first, false) {
    next_.reserve(end - first);
    late_.reserve(end - first);
  }

  /// Until each has arrived at a gate or at its end; groups of other threads are waited for.
  void run(const std::atomic<bool>& failed) {
    for (std::size_t g = first_; g < end_; ++g) go(g);
    for (std::size_t g = first_; g < end_; ++g)
      if (!groups_[g]->arrived()) late_.push_back(g);
    while (!late_.empty() && !failed.load(std::memory_order_relaxed)) {
      const bool moved = std::ranges::count_if(late_, [this](std::size_t g) { return go(g); }) > 0;
      std::erase_if(late_, [this](std::size_t g) { return groups_[g]->arrived(); });
      if (!moved) std::this_thread::yield();
    }
    late_.clear();
  }

 private:
  /// Whether it, or another for its sake, has gone on.
  bool go(std::size_t group) {
    bool moved = false;
    for (look_at(group); !next_.empty();) {
      const std::size_t g = next_.back();
      next_.pop_back();
      waits_[g - first_] = false;
      if (!groups_[g]->can_go()) continue;
      groups_[g]->go();
      moved = true;
      for (const std::size_t other : groups_[g]->transport().beside() | std::views::reverse) look_at(other);
    }
    return moved;
  }

  void look_at(std::size_t g) {
    if (g < first_ || g >= end_ || waits_[g - first_]) return;
    waits_[g - first_] = true;
    next_.push_back(g);
  }

  std::span<Group* const> groups_;
  std::size_t first_, end_;
  std::vector<std::size_t> next_;  ///< to be looked at, the last one first
  std::vector<bool> waits_;        ///< is one of these
  std::vector<std::size_t> late_;
};

class Waves {
 public:
  Waves(Common& common, const Wave& wave, Threads& threads) : common_(common), threads_(threads) {
    const Index agents = common.topology.agents(), groups = (agents + wave.group - 1) / wave.group;
    for (Index g = 0; g < groups; ++g) {
      groups_.emplace_back(common, g * agents / groups, (g + 1) * agents / groups);
      all_.push_back(&groups_.back());
    }
    std::vector<GroupTransport*> transports;
    transports.reserve(groups_.size());
    for (Group& group : groups_) transports.push_back(&group.transport());
    GroupTransport::connect(common.topology.graph(), transports);
    const std::size_t crews = std::min(all_.size(), static_cast<std::size_t>(threads.count()));
    for (std::size_t c = 0; c < crews; ++c)
      crews_.emplace_back(all_, c * all_.size() / crews, (c + 1) * all_.size() / crews);
  }

  Ran run() {
    while (true) {
      threads_.each(std::ssize(crews_), [this](Index c) { go(crews_[static_cast<std::size_t>(c)]); });
      if (std::ranges::all_of(groups_, &Group::ended)) return together();
      if (std::ranges::any_of(groups_, &Group::ended))
        throw RunError("agents are out of step: some have ended");
      meet();
    }
  }

 private:
  void go(Crew& crew) {
    try {
      crew.run(failed_);
    } catch (...) {
      failed_ = true;
      throw;
    }
  }

  /// All groups are at the gate.
  void meet() {
    common_.looks.forget();
    const bool more = groups_.front().iterate() ? look() : save();
    for (Group& group : groups_) group.open_gate(more);
  }

  bool look() {
    const Group& first = groups_.front();
    Monitor& monitor = common_.monitor;
    monitor.left_out(first.passed_by());
    if (!first.looked_at() && !monitor.cancelled()) {
      monitor.left_out(1);
      return true;
    }
    collect(X_, [](const Group& group) -> const Block& { return *group.iterate(); });
    return monitor.more(X_, first.iteration(), meter());
  }

  bool save() {
    common_.options.on_checkpoint(
        whole([](const Group& group) -> const Checkpoint& { return *group.checkpoint(); }));
    return true;
  }

  /// A block of all agents from the groups' own.
  template <class Of>
  void collect(Block& all, const Of& of) const {
    all.resize(of(groups_.front()).rows(), common_.topology.agents());
    Index at = 0;
    for (const Group& group : groups_) {
      const Block& part = of(group);
      all.middleCols(at, part.cols()) = part;
      at += part.cols();
    }
  }

  template <class Of>
  [[nodiscard]] Checkpoint whole(const Of& of) const {
    Checkpoint all = of(groups_.front());
    all.meter = meter();
    for (std::size_t k = 0; k < all.state.size(); ++k)
      if (auto* block = std::get_if<Block>(&all.state[k]))
        collect(*block,
                [&](const Group& group) -> const Block& { return std::get<Block>(of(group).state[k]); });
    return all;
  }

  [[nodiscard]] Meter meter() const {
    Meter all = groups_.front().meter();
    all.bytes = std::transform_reduce(groups_.begin(), groups_.end(), Index{0}, std::plus(),
                                      [](const Group& group) { return group.meter().bytes; });
    return all;
  }

  [[nodiscard]] Ran together() const {
    const Ran& first = groups_.front().result();
    Ran all{.X = {},
            .meter = meter(),
            .parameters = first.parameters,
            .checkpoint =
                whole([](const Group& group) -> const Checkpoint& { return group.result().checkpoint; }),
            .dual = first.dual};
    collect(all.X, [](const Group& group) -> const Block& { return group.result().X; });
    for (const Group& group : groups_) {
      all.computing += group.result().computing / static_cast<double>(crews_.size());
      all.mixing += group.result().mixing / static_cast<double>(crews_.size());
    }
    return all;
  }

  Common& common_;
  Threads& threads_;
  std::deque<Group> groups_;
  std::vector<Group*> all_;
  std::deque<Crew> crews_;
  std::atomic<bool> failed_{false};
  Block X_;
};

/// The most agents between two neighbours, counted around where that is shorter: a cycle's ends are
/// neighbours.
Index farthest_neighbours(const Graph& graph) {
  Index farthest = 0;
  for (const auto& [a, b, weight] : graph.edges())
    farthest = std::max(farthest, std::min(b - a, graph.agents() - (b - a)));
  return farthest;
}

}  // namespace

std::optional<Wave> wave_for(const Problem& problem, const Topology& topology, const Method& method,
                             const Monitor& monitor, int threads) {
  constexpr Index most_passes = 16, least_passes = 3, vectors = 6, groups_of_a_wave = 10;
  constexpr Index least_group_bytes = 128 << 10;  // smaller ones cost more than they save
  constexpr Index most_bytes = 30'000'000'000;    // of a wave: in two seconds a request to stop is heard
  constexpr Index most_groups = 10'000;  // each has a stack, of which the system has room for some 30 000
  constexpr Index most_unequal = 4;  // times the mean: others would wait for that agent, and no cache hold it
  if (!method.about().local || method.about().certifies || topology.sequence()) return {};
  const Index n = topology.agents(), d = problem.losses.front()->dimension();
  const auto number = static_cast<Index>(sizeof(double));
  const auto bytes_of = [&](const auto& f) { return f->bytes() + vectors * d * number; };
  const Index bytes =
      std::transform_reduce(problem.losses.begin(), problem.losses.end(), Index{0}, std::plus(), bytes_of);
  const Index largest = std::transform_reduce(
      problem.losses.begin(), problem.losses.end(), Index{0}, [](Index a, Index b) { return std::max(a, b); },
      bytes_of);
  if (bytes <= cached_bytes() || largest > most_unequal * bytes / n) return {};
  const Index wave_bytes = cached_bytes() / std::max(threads, 2);
  const Index group_bytes =
      std::max(least_group_bytes, std::min(own_cache_bytes() / 2, wave_bytes / groups_of_a_wave));
  const Index group = std::max({Index{1}, group_bytes * n / bytes, (n + most_groups - 1) / most_groups});
  const Index beside = std::max<Index>(1, (farthest_neighbours(topology.graph()) + group - 1) / group);
  const Index fit = wave_bytes / (group * bytes / n);
  Index passes = std::min({most_passes, (fit - 1) / beside - 1, most_bytes / bytes});
  for (Index k = 1; k < passes; ++k)
    if (monitor.looks(k, {})) passes = k;
  if (passes < least_passes || n / group < 4 * beside * threads) return {};
  return Wave{.group = group, .passes = passes};
}

std::optional<Ran> run_in_waves(const Problem& problem, const Topology& topology, const Method& method,
                                const Wave& wave, const Vector& start, Monitor& monitor, Threads& threads,
                                std::uint64_t seed, const Run::Options& options) {
  Common common{.problem = problem,
                .topology = topology,
                .method = method,
                .start = start,
                .monitor = monitor,
                .seed = seed,
                .options = options,
                .passes = wave.passes};
  std::optional<Waves> waves;
  try {
    waves.emplace(common, wave, threads);
  } catch (const std::bad_alloc&) {
    return {};  // other runs of this process have the stacks that the system has room for
  }
  return waves->run();
}

}  // namespace ideal
