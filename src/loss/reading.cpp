// SPDX-License-Identifier: Apache-2.0
#include "loss/reading.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <utility>
#include <vector>

namespace ideal {

namespace {

using kernel::Reading;
using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

/// What a clock can tell, and what a disturbance seldom meets; so many rows at least, that each way can do
/// what it does.
constexpr Index slice_bytes = 512 << 10, slice_rows = 64, rows_at_once = 8;

/// Rows that about fit the nearest cache are there whatever is asked for.
constexpr Index worth_trying = 64 << 10;

/// In all, whatever the CPU.
constexpr Seconds enough{0.05};

/// The rows of all agents, slice by slice and round and round: each is read when as much else has been read
/// as will have been in a run.
template <class Number>
class Slices {
 public:
  explicit Slices(std::vector<kernel::Rows<Number>> agents) : agents_(std::move(agents)) {
    Index widest = 0, most = 0;
    for (const auto& A : agents_) {
      bytes_ += A.count * A.row_bytes();
      widest = std::max(widest, A.d);
      most = std::max(most, A.count);
    }
    x_.assign(static_cast<std::size_t>(widest), 0);
    g_ = x_;
    labels_.assign(static_cast<std::size_t>(most), 1);
  }

  [[nodiscard]] Index bytes() const { return bytes_; }

  /// Seconds that a byte of the next slice takes.
  double next(Reading reading) {
    const Index wanted = std::max(slice_bytes, slice_rows * agents_[agent_].row_bytes());
    Index done = 0;
    const auto start = Clock::now();
    while (done < wanted) done += pass_some(reading, wanted - done);
    return Seconds(Clock::now() - start).count() / static_cast<double>(done);
  }

 private:
  Index pass_some(Reading reading, Index bytes) {
    kernel::Rows<Number> A = agents_[agent_];
    const Index groups = bytes / (rows_at_once * A.row_bytes()) + 1;
    const Index first = row_, count = std::min(A.count - first, groups * rows_at_once);
    A.reading = reading;
    const kernel::LogisticSlopes slopes{labels_.data(), 0};
    kernel::pass(A.some(first, count), x_.data(), g_.data(), slopes);
    row_ += count;
    if (row_ == A.count) {
      row_ = 0;
      agent_ = (agent_ + 1) % agents_.size();
    }
    return count * A.row_bytes();
  }

  std::vector<kernel::Rows<Number>> agents_;
  kernel::Numbers x_, g_, labels_;
  std::size_t agent_ = 0;
  Index row_ = 0, bytes_ = 0;
};

double median(std::vector<double> values) {
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::ranges::nth_element(values, middle);
  return *middle;
}

/// All ways in turn, each time another first, so that none has the same slices every time: who else uses the
/// machine comes and goes. Of those that are about as fast as the fastest, the first counts.
template <class Number>
Reading fastest(Slices<Number>& slices, Clock::time_point end) {
  constexpr std::size_t rounds = 30, ways = kernel::readings.size();
  constexpr double about = 1.03;
  std::array<std::vector<double>, ways> seconds;
  for (std::size_t round = 0; round < rounds && (round == 0 || Clock::now() < end); ++round)
    for (std::size_t k = 0; k < ways; ++k) {
      const std::size_t way = (round + k) % ways;
      seconds[way].push_back(slices.next(kernel::readings[way]));
    }
  std::array<double, ways> each;
  std::ranges::transform(seconds, each.begin(), median);
  const double least = *std::ranges::min_element(each);
  const auto first = std::ranges::find_if(each, [least](double taken) { return taken <= about * least; });
  return kernel::readings[static_cast<std::size_t>(first - each.begin())];
}

template <class Number>
void choose(std::span<const std::shared_ptr<Rows>> agents, Clock::time_point end) {
  std::vector<kernel::Rows<Number>> dense;
  for (const auto& rows : agents)
    if (const auto* A = rows->template dense<Number>(); A && A->count > 0) dense.push_back(*A);
  Slices<Number> slices(std::move(dense));
  if (slices.bytes() < worth_trying) return;
  const Reading reading = fastest(slices, end);
  for (const auto& rows : agents) rows->template read_by<Number>(reading);
}

}  // namespace

void choose_reading(std::span<const std::shared_ptr<Rows>> agents) {
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(enough);
  choose<double>(agents, end);
  choose<float>(agents, end);
}

}  // namespace ideal
