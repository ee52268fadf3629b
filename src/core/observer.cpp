// SPDX-License-Identifier: Apache-2.0
#include <ideal/observer.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace ideal {

namespace {

// Accelerated methods overshoot before they settle; far beyond that there is no way back.
constexpr double hopeless_growth = 1e8;
constexpr double lost_at_the_end = 10;

/// What a gap is compared with to tell growth: the first gap, or the size of f where the start was (nearly)
/// optimal.
double yardstick(double first_gap, double f_star) { return std::max(first_gap, std::abs(f_star)); }

constexpr Index slice = 256;  // points evaluated at once

constexpr Index first_batch = 4, most_evaluated = 64;
constexpr double rounding = 1e-13;  // of a sum over that many agents, relative

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

// How long a request to stop may go unheard while hosts compute.
constexpr double deaf_seconds = 0.1;
constexpr double most_deaf_passes = 1024;

/// In agent order, so that every host gets the same bits.
Vector sum_of(const Block& all) {
  Vector sum = all.col(0);
  for (Index j = 1; j < all.cols(); ++j) sum += all.col(j);
  return sum;
}

Vector mean_of(const Block& all) { return sum_of(all) / static_cast<double>(all.cols()); }

}  // namespace

Observer::Observer(std::span<const std::shared_ptr<const Loss>> hosted,
                   const std::optional<Reference>& reference, Watch watch, Transport& transport,
                   Threads& threads, double L, Index passes, const Regulariser& regulariser)
    : losses_(hosted.begin(), hosted.end()),
      reference_(reference),
      watch_(std::move(watch)),
      transport_(transport),
      threads_(threads),
      L_(L),
      regulariser_(regulariser),
      passes_(passes),
      next_question_(passes),
      trace_(std::move(watch_.so_far)),
      last_iteration_(passes) {
  if (trace_.empty()) return;
  seconds_ = trace_.back().seconds;
  certified_ = trace_.back().certified;
}

bool Observer::more(const Block& X, Index iteration, const Meter& meter) {
  if (status_ != Status::running) return false;  // it was settled
  seconds_ += std::chrono::duration<double>(Clock::now() - resumed_).count();
  const bool stop_now = asked_to_stop();
  const bool due = looks(0, meter);
  ++passes_;
  last_iteration_ = iteration;
  if (due || stop_now) record(X, iteration, meter);
  resumed_ = Clock::now();
  return status_ == Status::running;
}

bool Observer::looks(Index others, const Meter& meter) const {
  const Index pass = passes_ + others;
  const bool due = pass == 0 || (watch_.every > 0 && pass % watch_.every == 0);
  return due || meter.computations >= watch_.computations;
}

void Observer::record(const Block& X, Index iteration, const Meter& meter) {
  auto [row, cancelled] = measure(X, iteration, meter);
  row.certified = certified_;
  trace_.push_back(row);
  status_ = judge(row, cancelled);
  if (std::isfinite(row.consensus)) last_finite_ = X;
  if (watch_.on_row) watch_.on_row(row);
}

bool Observer::settled(const Block& X, double bound, const Meter& meter) {
  seconds_ += std::chrono::duration<double>(Clock::now() - resumed_).count();
  certified_ = bound;
  record(X, last_iteration_ + 1, meter);
  if (status_ == Status::running || status_ == Status::budget) status_ = Status::converged;
  resumed_ = Clock::now();
  return true;
}

void Observer::conclude(const Block& X, const Meter& meter) {
  seconds_ += std::chrono::duration<double>(Clock::now() - resumed_).count();
  const Status ended = status_;
  record(X, last_iteration_ + 1, meter);
  status_ = ended;
  resumed_ = Clock::now();
}

void Observer::note(std::string_view text) {
  notes_.emplace_back(text);
  if (watch_.on_note) watch_.on_note(text);
}

/// A single host may stop at any pass; several must stop at the same one. They ask each other, and agent 0's
/// host says by its clock how many passes later they ask again.
bool Observer::asked_to_stop() {
  if (!transport_.has_peers()) return watch_.cancelled.stop_requested();
  if (passes_ != next_question_) return false;
  const double waited = std::chrono::duration<double>(Clock::now() - last_question_).count();
  last_question_ = Clock::now();
  Block told(2, std::ssize(losses_));
  told.row(0).setConstant(watch_.cancelled.stop_requested() ? 1 : 0);
  told.row(1).setConstant(waited);
  const Block& all = transport_.gather(told);
  const double passes = static_cast<double>(question_interval_) * deaf_seconds / std::max(all(1, 0), 1e-6);
  // Twice as far at most: the first answer comes before anything was computed, and says nothing.
  const double most = std::min(most_deaf_passes, 2 * static_cast<double>(question_interval_));
  question_interval_ = static_cast<Index>(std::clamp(passes, 1.0, most));
  next_question_ += question_interval_;
  return all.row(0).maxCoeff() > 0;
}

/// Of a column per hosted agent.
Vector Observer::sum_over_agents(const Block& per_agent) { return sum_of(transport_.gather(per_agent)); }

/// f at every column of `points`. Each host evaluates its own losses; slices bound the table of losses x
/// points.
Vector Observer::values(const Block& points) {
  Vector f(points.cols());
  for (Index first = 0; first < points.cols(); first += slice) {
    const Index count = std::min(slice, points.cols() - first);
    const Block some = points.middleCols(first, count);
    Block table(count, std::ssize(losses_));
    threads_.each(table.cols(), [&](Index c) { table.col(c) = losses_[c]->values(some); });
    const Block& all = transport_.gather(table);
    f.segment(first, count) = sum_of(all);
    if (regulariser_.none()) continue;
    const Regulariser together = regulariser_.times(static_cast<double>(all.cols()));
    for (Index c = 0; c < count; ++c) f[first + c] += together.value(some.col(c));
  }
  return f;
}

Vector Observer::gradient_at(const Vector& x) {
  Block gradients(x.size(), std::ssize(losses_));
  threads_.each(gradients.cols(), [&](Index c) { losses_[c]->gradient(x, gradients.col(c)); });
  return sum_over_agents(gradients);
}

Observer::Report Observer::measure(const Block& X, Index iteration, const Meter& meter) {
  TraceRow row{.iteration = iteration, .meter = meter, .seconds = seconds_};
  const Block& all = transport_.gather(X);
  if (all.cols() <= Observer::looks_at_all)
    measure_every_agent(Block(all), row);
  else
    measure_some_agents(X, feasible(mean_of(all)), row);

  Block flags = Block::Zero(2, X.cols());
  flags(0, 0) = static_cast<double>(meter.bytes);
  flags(1, 0) = watch_.cancelled.stop_requested() ? 1 : 0;
  const Vector told = sum_over_agents(flags);
  row.meter.bytes = static_cast<Index>(told[0]);
  return {row, told[1] > 0};
}

double Observer::f_star() const { return reference_ ? reference_->value : unknown; }

/// The mean of vectors in a box is in it but for rounding.
Vector Observer::feasible(Vector mean) const {
  if (!regulariser_.none())
    for (double& x : mean) x = std::isnan(x) ? x : regulariser_.project(x);
  return mean;
}

void Observer::measure_every_agent(const Block& all, TraceRow& row) {
  const Index n = all.cols();
  const Vector mean = feasible(mean_of(all));
  Block points(all.rows(), n + 1);
  points << all, mean;
  const Vector f = values(points);
  gaps_ = f.head(n).array() - f_star();
  row.suboptimality = f[n] - f_star();
  row.worst_suboptimality = worst_bound_ = gaps_.maxCoeff<Eigen::PropagateNaN>();
  row.consensus = (all.colwise() - mean).norm();
  row.distance = reference_ ? (all.colwise() - reference_->x).squaredNorm() : f_star();
}

/// f at every agent would take n^2 losses. f at the mean takes n, and bounds it everywhere:
/// f(x) <= f(mean) + <grad f(mean), x - mean> + (n L / 2) |x - mean|^2, to which r(x) - r(mean) comes. Losses
/// without L have no such bound.
void Observer::measure_some_agents(const Block& X, const Vector& mean, TraceRow& row) {
  const Vector gradient = reference_ ? gradient_at(mean) : Vector::Zero(mean.size());
  const Vector target = reference_ ? reference_->x : mean;
  Block each(4, X.cols());
  threads_.each(X.cols(), [&](Index c) {
    const auto x = X.col(c);
    each.col(c) << (x - mean).squaredNorm(), gradient.dot(x - mean), (x - target).squaredNorm(),
        regulariser_.value(x);
  });
  const Block all = transport_.gather(each);
  const auto n = static_cast<double>(all.cols());
  const Vector sum = sum_of(all);
  row.consensus = std::sqrt(sum[0]);
  row.distance = reference_ ? sum[2] : f_star();

  row.evaluated = 0;
  row.suboptimality = row.worst_suboptimality = worst_bound_ = unknown;
  gaps_ = Vector::Constant(all.cols(), unknown);
  if (!reference_ || !std::isfinite(row.consensus)) return;
  row.suboptimality = values(Block(mean))[0] - f_star();
  const double curvature = std::isfinite(L_) ? n * L_ / 2 : std::numeric_limits<double>::max();
  Vector bounds = row.suboptimality + (all.row(1) + curvature * all.row(0)).transpose().array();
  if (!regulariser_.none()) bounds.array() += n * (all.row(3).transpose().array() - regulariser_.value(mean));
  // What cannot be bounded may be anything.
  bounds =
      bounds.unaryExpr([](double b) { return std::isnan(b) ? std::numeric_limits<double>::infinity() : b; });
  row.evaluated = find_worst(X, bounds);
  row.worst_suboptimality = gaps_.maxCoeff<Eigen::PropagateNumbers>();
}

/// Evaluates f where its bound is largest, until no other agent can be worse or enough have been looked at.
/// Returns at how many.
Index Observer::find_worst(const Block& X, const Vector& bounds) {
  std::vector<Index> order(static_cast<std::size_t>(bounds.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::partial_sort(order, order.begin() + most_evaluated + 1, [&](Index a, Index b) {
    return bounds[a] > bounds[b] || (bounds[a] == bounds[b] && a < b);
  });
  const double slack = rounding * std::abs(f_star());
  double worst = -std::numeric_limits<double>::infinity();
  Index evaluated = 0;
  for (Index batch = first_batch; evaluated < most_evaluated; batch *= 2) {
    const std::span chosen(order.data() + evaluated, std::min(batch, most_evaluated - evaluated));
    const Block points = transport_.gather(X)(Eigen::all, chosen);
    gaps_(chosen) = values(points).array() - f_star();
    worst = std::max(worst, gaps_(chosen).maxCoeff());
    evaluated += std::ssize(chosen);
    worst_bound_ = std::max(worst, bounds[order[evaluated]]);
    if (!(worst_bound_ <= worst + slack)) continue;
    worst_bound_ = worst;
    break;
  }
  return evaluated;
}

Status Observer::judge(const TraceRow& row, bool cancelled) const {
  const double gap = row.worst_suboptimality;
  const double first = reference_ ? yardstick(trace_.front().worst_suboptimality, reference_->value) : 0;
  const bool spent = !(row.meter.computations < watch_.computations);
  const bool hopeless =
      !std::isfinite(row.consensus) || (reference_ && (!std::isfinite(gap) || gap > hopeless_growth * first));
  if (hopeless && !(patient_ && !spent && !cancelled)) return Status::diverged;
  if (watch_.tol > 0 && !watch_.certified && worst_bound_ <= watch_.tol) return Status::converged;
  if (cancelled) return Status::interrupted;
  if (!spent) return Status::running;
  return gap > lost_at_the_end * first ? Status::diverged : Status::budget;
}

}  // namespace ideal
